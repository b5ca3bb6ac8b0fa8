/** A bare box for tables and facets; in forms it is Mantine's `Checkbox`. */
import { useEffect, useRef } from 'react'
import styles from './check.module.css'

interface CheckProps {
  /** Read by screen readers; what is seen stands beside it. */
  label: string
  isChecked: boolean
  isMixed?: boolean
  isDisabled?: boolean
  onToggle(): void
}

export function Check({ label, isChecked, isMixed = false, isDisabled = false, onToggle }: CheckProps) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current) box.current.indeterminate = isMixed
  }, [isMixed])
  return (
    <input
      ref={box}
      type="checkbox"
      className={styles['check']}
      aria-label={label}
      checked={isChecked}
      disabled={isDisabled}
      onChange={onToggle}
    />
  )
}
