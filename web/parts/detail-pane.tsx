/**
 * What a row opens, beside its list: the list stays, ↑ ↓ in it go on, Esc closes. Up to 1,100 px it lies over the list, on
 * a phone it is a page of its own with a way back.
 *
 *   <ListWithPane pane={open && <DetailPane title={…} onClose={close}>…</DetailPane>}>
 *     <DataTable … openKey={open?.id} />
 *   </ListWithPane>
 */
import { ArrowLeft, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { isCovered } from '../app/key-target.ts'
import { useIsPhone } from '../app/screen.ts'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import styles from './detail-pane.module.css'
import { useFocusReturn } from './use-focus-return.ts'

interface ListWithPaneProps {
  /** Undefined: nothing is open. */
  pane?: ReactNode
  /** For what is read and answered there: the pane has the larger part. */
  isWide?: boolean
  children: ReactNode
}

export function ListWithPane({ pane, isWide = false, children }: ListWithPaneProps) {
  return (
    <div className={styles['split']} data-open={pane ? true : undefined} data-wide={isWide || undefined}>
      <div className={styles['list']}>{children}</div>
      {pane}
    </div>
  )
}

interface DetailPaneProps {
  title: ReactNode
  /** Names it for screen readers. */
  label: string
  actions?: ReactNode
  onClose(): void
  children: ReactNode
}

export function DetailPane({ title, label, actions, onClose, children }: DetailPaneProps) {
  const c = useText(sharedText)
  const isPhone = useIsPhone()
  useFocusReturn()
  const latest = useRef(onClose)
  latest.current = onClose
  useEffect(() => {
    // What lies over the page closes first; it is gone already when the key gets here, so that is looked at before.
    let wasCovered = false
    const look = () => {
      wasCovered = isCovered()
    }
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !wasCovered) latest.current()
    }
    addEventListener('keydown', look, { capture: true })
    addEventListener('keydown', press)
    return () => {
      removeEventListener('keydown', look, { capture: true })
      removeEventListener('keydown', press)
    }
  }, [])
  const Icon = isPhone ? ArrowLeft : X
  return (
    <aside className={styles['pane']} aria-label={label}>
      <div className={styles['head']}>
        <h2 className={styles['title']}>{title}</h2>
        {actions}
        <button type="button" aria-label={c(isPhone ? 'back' : 'close')} className={styles['close']} onClick={onClose}>
          <Icon size={16} aria-hidden />
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={styles['body']} aria-label={label} tabIndex={0}>
        {children}
      </section>
    </aside>
  )
}
