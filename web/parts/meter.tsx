/** A share of a limit: blue, amber from 80 %, red from 100 %. The forecast stands beside it in words. */
import styles from './meter.module.css'

/** @param share from 0; 1 is the limit, and past it stays full */
export function Meter({ share, label }: { share: number; label: string }) {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100)
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers draw a meter element each in a way of its own
    <div
      className={styles['meter']}
      role="meter"
      aria-label={label}
      aria-valuenow={percent}
      aria-valuetext={`${Math.round(share * 100)}%`}
      aria-valuemin={0}
      aria-valuemax={100}
      data-level={share >= 1 ? 'over' : share >= 0.8 ? 'near' : undefined}
    >
      <i style={{ width: `${percent}%` }} />
    </div>
  )
}
