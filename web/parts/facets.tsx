/** Facets at the left of a list: the values of a field with their counts; a box each, several at once. */
import { type ReactNode, useState } from 'react'
import { useLanguage, useText } from '../text/text.ts'
import { Check } from './check.tsx'
import styles from './facets.module.css'
import { partsText } from './text.ts'

export interface FacetValue {
  value: string
  label: string
  /** Before the label: a state's mark. */
  mark?: ReactNode
  /** Undefined: it is not known, or not yet. */
  count?: number
}

interface FacetProps {
  title: string
  values: readonly FacetValue[]
  chosen: ReadonlySet<string>
  onToggle(value: string): void
}

const shownMax = 6

export const Facets = ({ label, children }: { label: string; children: ReactNode }) => (
  <aside className={styles['facets']} aria-label={label}>
    {children}
  </aside>
)

export function Facet({ title, values, chosen, onToggle }: FacetProps) {
  const p = useText(partsText)
  const language = useLanguage()
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? values : values.filter(({ value }, at) => at < shownMax || chosen.has(value))
  return (
    <fieldset className={styles['facet']}>
      <legend>{title}</legend>
      {shown.map(({ value, label, mark, count }) => (
        // biome-ignore lint/a11y/noLabelWithoutControl: the box is inside
        <label key={value}>
          <Check label={label} isChecked={chosen.has(value)} onToggle={() => onToggle(value)} />
          {mark}
          <span className="cut" title={label}>
            {label}
          </span>
          {count !== undefined && <em>{count.toLocaleString(language)}</em>}
        </label>
      ))}
      {shown.length < values.length && (
        <button type="button" onClick={() => setWhole(true)}>
          {p('moreValues', { n: values.length - shown.length })}
        </button>
      )}
    </fieldset>
  )
}

/** Facets beside their list; up to 1,100 px they are left out, and the filter bar has the same filters. */
export function ListWithFacets({ facets, children }: { facets: ReactNode; children: ReactNode }) {
  return (
    <div className={styles['split']}>
      {facets}
      <div className={styles['list']}>{children}</div>
    </div>
  )
}
