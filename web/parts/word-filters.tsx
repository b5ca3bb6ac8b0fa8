/** A list's search, and what else it can be narrowed to where each filter has a few values with words: chips, and boxes behind "+ Filter". */
import { Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'
import { FacetChips, FacetMenu, facetOf } from './facet-filters.tsx'
import { AddFilter, FilterBar } from './filter-bar.tsx'
import { FilterInput } from './filter-input.tsx'

export interface WordFilter {
  /** Of the filter in the address. */
  name: string
  title: string
  /** By value. */
  words: Readonly<Record<string, string>>
}

interface WordFiltersProps {
  /** As they stand in the address; `q` is the search. */
  filters: Readonly<Record<string, string>>
  filter(change: Readonly<Record<string, string>>): void
  /** What the search finds; undefined: there is none, or one of the page's own. */
  hint?: string
  /** A search of the page's own. */
  search?: ReactNode
  choices?: readonly WordFilter[]
}

export function WordFilters({ filters, filter, hint, search, choices = [] }: WordFiltersProps) {
  const c = useText(sharedText)
  const facets = choices.map(({ name, title, words }) =>
    facetOf({
      ...{ name, title, isCounted: false, chosen: filters[name] ?? '' },
      counts: Object.keys(words).map((value) => ({ value, count: 0 })),
      // The value may be anything that an address says, such as `constructor`.
      labelOf: (value) => (Object.hasOwn(words, value) ? words[value] : undefined) ?? value,
    }),
  )
  const choose = (name: string, value: string) => filter({ [name]: value })
  const searched = hint !== undefined && (
    <FilterInput
      aria-label={c('search')}
      placeholder={hint}
      type="search"
      maxLength={100}
      leftSection={<Search size={14} aria-hidden />}
      value={filters['q'] ?? ''}
      onFilter={(q) => filter({ q })}
    />
  )
  return (
    <FilterBar search={search ?? (searched || undefined)}>
      <FacetChips facets={facets} onChoose={choose} />
      {choices.length > 0 && <AddFilter>{() => <FacetMenu facets={facets} onChoose={choose} />}</AddFilter>}
    </FilterBar>
  )
}
