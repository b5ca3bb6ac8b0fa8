/** Names and their values: at the sides of a card (values right), or in a line of facts (`Facts`). */
import type { ReactNode } from 'react'
import styles from './key-value.module.css'

type Row = readonly [name: ReactNode, value: ReactNode]

/** @param isLeft values stand at the left, for long ones */
export function KeyValue({ rows, isLeft = false }: { rows: readonly Row[]; isLeft?: boolean }) {
  return (
    <dl className={styles['rows']} data-left={isLeft || undefined}>
      {rows.map(([name, value], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a list of facts do not move
        <div key={at}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** A line of facts, each with its name above. */
export function Facts({ rows }: { rows: readonly Row[] }) {
  return (
    <dl className={styles['facts']}>
      {rows.map(([name, value], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <div key={at}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
