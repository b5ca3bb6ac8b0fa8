/** Copies a text, over plain HTTP too, where browsers offer no clipboard API; a failure is shown. */
import { Button, type ButtonProps, Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
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
      <Button size="compact-xs" variant="default" {...rest} onClick={() => void copy()}>
        {outcome === 'copied' ? c('copied') : (children ?? c('copy'))}
      </Button>
      {outcome === 'refused' && (
        <Text size="xs" c="red" role="alert">
          {p('notCopied')}
        </Text>
      )}
    </>
  )
}

/** False: the browser refused. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Not offered over plain HTTP, or not permitted: the old API needs neither.
    return copiedBySelection(text)
  }
}

/** Selects the text in a temporary field next to the focused element, because dialogs trap the focus. */
function copiedBySelection(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.style.cssText = 'position: fixed; opacity: 0'
  const place = before?.parentElement ?? document.body
  place.append(field)
  field.select()
  try {
    return document.execCommand('copy')
  } finally {
    field.remove()
    if (before instanceof HTMLElement) before.focus()
  }
}
