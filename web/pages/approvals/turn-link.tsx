/** A link from a tool call to its turn. */

import { Anchor } from '@mantine/core'
import { linkTo } from '../../parts/link-to.tsx'
import { useText } from '../../text/text.ts'
import { approvalsText } from './text.ts'

export function TurnLink({ id }: { id: string }) {
  const t = useText(approvalsText)
  const label = `${t('turn')} …${id.slice(-8)}`
  return (
    <Anchor size="sm" style={{ textDecoration: 'underline' }} title={id} renderRoot={linkTo(`/turns/${id}`)}>
      {label}
    </Anchor>
  )
}
