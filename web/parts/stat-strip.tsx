/** Key figures in a row: label, figure with its unit, and the change against an earlier time; red only where it is worse. */
import { lazy, type ReactNode, Suspense } from 'react'
import styles from './stat-strip.module.css'

const Spark = lazy(() => import('./spark.tsx'))

interface StatProps {
  label: ReactNode
  /** As it is read; `–` for nothing, never 0. */
  figure: string
  unit?: string
  /** Against the same time before, such as "↑ 6.2 % · 41 / min". */
  change?: ReactNode
  /** Whether the change is one for the worse or the better; undefined: neither. */
  trend?: 'worse' | 'better' | undefined
  /** The last values, drawn small. */
  spark?: readonly (number | null)[]
}

export function StatStrip({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section className={styles['strip']} aria-label={label}>
      {children}
    </section>
  )
}

export function Stat({ label, figure, unit, change, trend, spark }: StatProps) {
  return (
    <div className={styles['stat']}>
      <div className={styles['label']}>{label}</div>
      <div className={styles['figure']}>
        {figure}
        {unit !== undefined && <small>{unit}</small>}
        {spark && (
          <span className={styles['spark']}>
            <Suspense>
              <Spark values={spark} isBad={trend === 'worse'} />
            </Suspense>
          </span>
        )}
      </div>
      {change !== undefined && (
        <div className={styles['change']} data-trend={trend}>
          {change}
        </div>
      )}
    </div>
  )
}
