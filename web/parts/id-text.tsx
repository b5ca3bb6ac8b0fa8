/** An id: small, in mono, cut in the middle, whole on hover, with a button that copies it. */
import { Check, Copy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { copied } from './copy.ts'
import styles from './id-text.module.css'

const shownMs = 2_000

/** @param isWhole not cut, for ids that are read aloud or compared */
export function IdText({ id, isWhole = false }: { id: string; isWhole?: boolean }) {
  const c = useText(sharedText)
  const [isCopied, setCopied] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  async function copy(): Promise<void> {
    clearTimeout(timer.current)
    setCopied(await copied(id))
    timer.current = setTimeout(() => setCopied(false), shownMs)
  }
  return (
    <span className={styles['id']}>
      <span className="mono" title={id}>
        {isWhole ? id : shortId(id)}
      </span>
      <button type="button" aria-label={`${c(isCopied ? 'copied' : 'copy')} ${id}`} onClick={() => void copy()}>
        {isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      </button>
    </span>
  )
}

/** `turn_01a93f…3e9c`: the kind, and both ends. */
export const shortId = (id: string): string => (id.length <= 18 ? id : `${id.slice(0, 11)}…${id.slice(-4)}`)
