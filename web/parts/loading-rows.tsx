/** A list that is on its way: the shape of its rows, after 200 ms. */
import styles from './loading-rows.module.css'

export function LoadingRows({ label, rows = 6 }: { label: string; rows?: number }) {
  return (
    <div className={styles['rows']} aria-busy="true" aria-label={label} role="status">
      {Array.from({ length: rows }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: shapes without a content
        <div key={line} className={styles['row']}>
          <i />
          <i />
          <i />
          <i />
        </div>
      ))}
    </div>
  )
}
