/**
 * Facets of which one value each is chosen, as the API's filters are: boxes at the left of the list, chips in its filter bar,
 * and the same boxes behind "+ Filter".
 *
 *   const facets = [facetOf({ name: 'status', title, chosen: filters.status, counts: counted?.status, labelOf, markOf }), …]
 *   <ListWithFacets facets={<FacetSide label={…} facets={facets} onChoose={choose} />}>
 *     <FilterBar><FacetChips … /><AddFilter>{() => <FacetMenu … />}</AddFilter></FilterBar>
 */
import type { ReactNode } from 'react'
import styles from './facets.module.css'
import { Facet, Facets, type FacetValue } from './facets.tsx'
import { FilterChip } from './filter-bar.tsx'
import { Time } from './time.tsx'

export interface ListFacet {
  /** Of the filter. */
  name: string
  title: string
  values: readonly FacetValue[]
  /** Empty: none. */
  chosen: string
}

interface FacetSource {
  name: string
  title: string
  chosen: string
  /** Undefined: not loaded yet. */
  counts: readonly { value: string; count: number }[] | undefined
  /** False: the counts are not of what the list shows, so the values stand without them. */
  isCounted?: boolean
  labelOf?(value: string): string
  markOf?(value: string): ReactNode
}

/** The chosen value is always among the values, also one that nothing has. */
export function facetOf({
  name,
  title,
  chosen,
  counts = [],
  isCounted = true,
  labelOf,
  markOf,
}: FacetSource): ListFacet {
  const label = (value: string) => labelOf?.(value) ?? value
  const values: FacetValue[] = counts.map(({ value, count }) => ({
    value,
    ...(isCounted && { count }),
    label: label(value),
    mark: markOf?.(value),
  }))
  if (chosen !== '' && !values.some(({ value }) => value === chosen))
    values.push({ value: chosen, label: label(chosen), mark: markOf?.(chosen) })
  return { name, title, values, chosen }
}

interface FacetsProps {
  facets: readonly ListFacet[]
  /** @param value empty: the filter is cleared */
  onChoose(name: string, value: string): void
}

export const FacetSide = ({ label, ...props }: FacetsProps & { label: string }) => (
  <Facets label={label}>
    <FacetBoxes {...props} />
  </Facets>
)

/** @param children fields for filters that are no facets */
export const FacetMenu = ({ children, ...props }: FacetsProps & { children?: ReactNode }) => (
  <div className={styles['menu']}>
    <FacetBoxes {...props} />
    {children}
  </div>
)

function FacetBoxes({ facets, onChoose }: FacetsProps) {
  return facets
    .filter(({ values }) => values.length > 0)
    .map(({ name, title, values, chosen }) => (
      <Facet
        key={name}
        title={title}
        values={values}
        chosen={new Set([chosen])}
        onToggle={(value) => onChoose(name, value === chosen ? '' : value)}
      />
    ))
}

export function FacetChips({ facets, onChoose }: FacetsProps) {
  return facets
    .filter(({ chosen }) => chosen !== '')
    .map(({ name, title, values, chosen }) => (
      <FilterChip
        key={name}
        name={title}
        value={values.find(({ value }) => value === chosen)?.label ?? chosen}
        onClear={() => onChoose(name, '')}
      />
    ))
}

/** A period in the address, as a chip. */
export function PeriodChip({ name, since, until, onClear }: PeriodChipProps) {
  if (since === '' && until === '') return null
  const value = (
    <>
      <Time iso={since} /> – <Time iso={until} />
    </>
  )
  return <FilterChip name={name} value={value} onClear={onClear} />
}

interface PeriodChipProps {
  name: string
  since: string
  until: string
  onClear(): void
}
