/**
 * Toasts at the foot of the window: what was done, for 6 s, with Undo; errors stay until they are closed. `toast()` may be
 * called from anywhere; the shell shows them.
 */
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useSyncExternalStore } from 'react'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { StateMark } from './state.tsx'
import { partsText } from './text.ts'
import styles from './toast.module.css'

export interface ToastContent {
  title: ReactNode
  about?: ReactNode
  isError?: boolean
  /** Takes it back. */
  onUndo?(): void
}

interface Toast extends ToastContent {
  key: number
}

const shownMs = 6_000
/** Older ones go. */
const toastsMax = 4

let toasts: readonly Toast[] = []
let nextKey = 1
const listeners = new Set<() => void>()

function set(next: readonly Toast[]): void {
  toasts = next.slice(-toastsMax)
  for (const listener of listeners) listener()
}
const close = (key: number): void => set(toasts.filter((one) => one.key !== key))

export function toast(content: ToastContent): void {
  set([...toasts, { ...content, key: nextKey++ }])
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export default function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div className={styles['toasts']}>
      {shown.map((one) => (
        <OneToast key={one.key} toast={one} onClose={() => close(one.key)} />
      ))}
    </div>
  )
}

function OneToast({ toast: { title, about, isError = false, onUndo }, onClose }: { toast: Toast; onClose(): void }) {
  const c = useText(sharedText)
  const p = useText(partsText)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time runs from when it came
  useEffect(() => {
    if (isError) return
    const timer = setTimeout(onClose, shownMs)
    return () => clearTimeout(timer)
  }, [isError])
  return (
    <div className={styles['toast']} role={isError ? 'alert' : 'status'}>
      <StateMark state={isError ? 'failed' : 'healthy'} label={p(isError ? 'failed' : 'done')} />
      <div className={styles['words']}>
        <strong>{title}</strong>
        {about !== undefined && <div>{about}</div>}
      </div>
      {onUndo && (
        <button
          type="button"
          className={styles['undo']}
          onClick={() => {
            onClose()
            onUndo()
          }}
        >
          {p('undo')}
        </button>
      )}
      <button type="button" className={styles['close']} aria-label={c('close')} onClick={onClose}>
        <X size={14} aria-hidden />
      </button>
    </div>
  )
}
