/** A count in a pill: grey, or with a tone; "99+" past 99, nothing at 0. */
import styles from './count.module.css'

export type CountTone = 'wait' | 'warn' | 'bad'

/** Empty at 0: nothing is shown then. */
export const countText = (count: number): string => (count <= 0 ? '' : count > 99 ? '99+' : String(count))

export function Count({ count, tone }: { count: number; tone?: CountTone | undefined }) {
  const text = countText(count)
  if (text === '') return null
  return (
    <span className={styles['count']} data-tone={tone}>
      {text}
    </span>
  )
}
