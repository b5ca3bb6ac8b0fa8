/** The bar of a form with changes: how many, what is wrong, Discard, Review, Save. It shows only with changes; Ctrl S saves. */
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { Kbd } from './kbd.tsx'
import styles from './save-bar.module.css'
import { partsText } from './text.ts'

interface SaveBarProps {
  /** At 0 there is no bar. */
  changes: number
  /** Why it cannot be saved, in words. */
  problem?: ReactNode
  isBusy: boolean
  onDiscard(): void
  onReview?(): void
  onSave(): void
}

export function SaveBar({ changes, problem, isBusy, onDiscard, onReview, onSave }: SaveBarProps) {
  const c = useText(sharedText)
  const p = useText(partsText)
  if (changes === 0) return null
  return (
    <section className={styles['bar']} aria-label={p('changes', { n: changes })}>
      <strong>{p('changes', { n: changes })}</strong>
      {problem !== undefined && <span className={styles['problem']}>{problem}</span>}
      <span className={styles['buttons']}>
        <Button variant="subtle" color="gray" onClick={onDiscard}>
          {c('discard')}
        </Button>
        {onReview && (
          <Button variant="default" onClick={onReview}>
            {p('review')}
          </Button>
        )}
        <Button data-save loading={isBusy} disabled={problem !== undefined} onClick={onSave}>
          {c('save')} <Kbd>Ctrl S</Kbd>
        </Button>
      </span>
    </section>
  )
}
