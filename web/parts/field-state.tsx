/** What there is to say about a field: its old value with undo while it is changed, or that the environment sets it. */
import { Lock, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useText } from '../text/text.ts'
import styles from './field-state.module.css'
import { partsText } from './text.ts'

interface FieldStateProps {
  /** The value before the change; undefined: it is not changed. */
  was?: string | undefined
  onUndo?(): void
  /** Who sets it, when it cannot be set here. */
  source?: 'environment' | undefined
  children: ReactNode
}

export function FieldState({ was, onUndo, source, children }: FieldStateProps) {
  const p = useText(partsText)
  return (
    <div data-changed={was !== undefined || undefined} className={styles['field']}>
      {children}
      {was !== undefined && (
        <div className={styles['line']}>
          {p('was')} <span className="mono">{was === '' ? '–' : was}</span>
          {onUndo && (
            <button type="button" onClick={onUndo}>
              <Undo2 size={14} aria-hidden />
              {p('undo')}
            </button>
          )}
        </div>
      )}
      {source === 'environment' && (
        <div className={styles['line']}>
          <Lock size={14} aria-hidden />
          {p('setByEnvironment')}
        </div>
      )}
    </div>
  )
}
