/** Copies a text; a failure is shown. */
import { Button, type ButtonProps, Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { copied } from './copy.ts'
import { partsText } from './text.ts'

interface CopyButtonProps extends Omit<ButtonProps, 'children'> {
  /** Called on a click only: the text may be long. */
  text(): string
  children?: ReactNode
}

const shownMs = 2_000

export function CopyButton({ text, children, ...rest }: CopyButtonProps) {
  const c = useText(sharedText)
  const p = useText(partsText)
  const [outcome, setOutcome] = useState<'copied' | 'refused'>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  async function copy(): Promise<void> {
    clearTimeout(timer.current)
    const isCopied = await copied(text())
    setOutcome(isCopied ? 'copied' : 'refused')
    if (isCopied) timer.current = setTimeout(() => setOutcome(undefined), shownMs)
  }
  return (
    <>
      <Button size="xs" variant="default" {...rest} onClick={() => void copy()}>
        {outcome === 'copied' ? c('copied') : (children ?? c('copy'))}
      </Button>
      {outcome === 'refused' && (
        <Text size="sm" c="red" role="alert">
          {p('notCopied')}
        </Text>
      )}
    </>
  )
}
