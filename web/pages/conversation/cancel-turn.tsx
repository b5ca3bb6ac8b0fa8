/** Cancels a waiting or running turn. */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useText } from '../../text/text.ts'
import type { Turn } from './about-messages.ts'
import { conversationText } from './text.ts'

export function CancelTurn({ turn }: { turn: Pick<Turn, 'id' | 'conversation_id'> }) {
  const t = useText(conversationText)
  const { may } = useSession()
  const queries = useQueryClient()
  const { error, isBusy, submit } = useSubmit(async () => {
    await call('POST /v1/admin/turns/cancel', { body: { turn_id: turn.id } })
    await queries.invalidateQueries({ queryKey: ['conversation', turn.conversation_id] })
  })
  if (!may('conversations.write')) return null
  return (
    <>
      <Button size="xs" variant="default" color="red" loading={isBusy} onClick={() => submit()}>
        {t('cancelTurn')}
      </Button>
      <ErrorPanel error={error} />
    </>
  )
}
