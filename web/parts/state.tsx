/**
 * A state: a shape, a word and a colour, in this order, so that it reads in grey. In lists plain; `isPill` in heads and
 * banners. Violet (`waiting`) is for what waits for a person, and for nothing else.
 */
import type { ReactNode } from 'react'
import styles from './state.module.css'

export type StateName = 'healthy' | 'running' | 'waiting' | 'degraded' | 'failed' | 'paused' | 'cancelled' | 'queued'

export function State({ state, isPill, children }: { state: StateName; isPill?: boolean; children: ReactNode }) {
  return (
    <span className={styles['state']} data-state={state} data-pill={isPill || undefined}>
      <Shape state={state} />
      <span>{children}</span>
    </span>
  )
}

/** The shape alone, where the word stands elsewhere; `label` says it to screen readers. */
export function StateMark({ state, label }: { state: StateName; label: string }) {
  return (
    <span className={styles['state']} data-state={state} role="img" aria-label={label} title={label}>
      <Shape state={state} />
    </span>
  )
}

/** Tick in a disc, turning ring, clock, triangle, octagon with a cross, bars, struck ring, empty ring. */
const shapes: Record<StateName, ReactNode> = {
  healthy: (
    <>
      <circle cx="8" cy="8" r="7" fill="currentColor" />
      <path d="m5 8.2 2.1 2.1L11 6.2" stroke="var(--mark-on)" />
    </>
  ),
  running: (
    <>
      <circle cx="8" cy="8" r="6" stroke="currentColor" strokeOpacity=".3" strokeWidth="2.2" />
      <path d="M8 2a6 6 0 0 1 6 6" stroke="currentColor" strokeWidth="2.2" />
    </>
  ),
  waiting: (
    <>
      <circle cx="8" cy="8" r="6.4" stroke="currentColor" strokeWidth="1.6" />
      <path d="M8 4.6V8l2.2 1.6" stroke="currentColor" />
    </>
  ),
  degraded: (
    <>
      <path d="M8 1.6 15 14H1z" fill="currentColor" stroke="currentColor" strokeLinejoin="round" strokeWidth="1.4" />
      <path d="M8 6v3.6M8 11.9v.1" stroke="var(--mark-on)" />
    </>
  ),
  failed: (
    <>
      <path d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z" fill="currentColor" />
      <path d="m5.8 5.8 4.4 4.4m0-4.4-4.4 4.4" stroke="var(--mark-on)" />
    </>
  ),
  paused: (
    <>
      <circle cx="8" cy="8" r="7" fill="currentColor" />
      <path d="M6.2 5.5v5m3.6-5v5" stroke="var(--mark-on)" strokeWidth="1.7" />
    </>
  ),
  queued: <circle cx="8" cy="8" r="6.2" stroke="currentColor" strokeWidth="1.6" />,
  cancelled: (
    <>
      <circle cx="8" cy="8" r="6.2" stroke="currentColor" strokeWidth="1.6" />
      <path d="m3.8 12.2 8.4-8.4" stroke="currentColor" />
    </>
  ),
}

const Shape = ({ state }: { state: StateName }) => (
  <svg
    viewBox="0 0 16 16"
    width="14"
    height="14"
    fill="none"
    strokeWidth="1.6"
    strokeLinecap="round"
    aria-hidden="true"
  >
    {shapes[state]}
  </svg>
)
