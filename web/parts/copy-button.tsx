/** Copies a text, over plain HTTP too, where browsers offer no clipboard; where nothing helps it says so. */
import { Button, type ButtonProps, Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { sharedWords } from '../text/shared-words.ts'
import { useText } from '../text/text.ts'
import { partsText } from './text.ts'

interface CopyButtonProps extends Omit<ButtonProps, 'children'> {
  /** Asked for when it is wanted: it may be long. */
  text(): string
  children?: ReactNode
}

const shownMs = 2_000

export function CopyButton({ text, children, ...rest }: CopyButtonProps) {
  const c = useText(sharedWords)
  const p = useText(partsText)
  const [became, setBecame] = useState<'copied' | 'refused'>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  async function copy(): Promise<void> {
    clearTimeout(timer.current)
    const isCopied = await copied(text())
    setBecame(isCopied ? 'copied' : 'refused')
    if (isCopied) timer.current = setTimeout(() => setBecame(undefined), shownMs)
  }
  return (
    <>
      <Button size="compact-xs" variant="default" {...rest} onClick={() => void copy()}>
        {became === 'copied' ? c('copied') : (children ?? c('copy'))}
      </Button>
      {became === 'refused' && (
        <Text size="xs" c="red" role="alert">
          {p('notCopied')}
        </Text>
      )}
    </>
  )
}

/** False: the browser would not. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Not offered, or not permitted: the old way, which wants neither.
    return copiedBySelection(text)
  }
}

/** Out of an element of its own, beside the one that has the focus: dialogs keep the focus within. */
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
