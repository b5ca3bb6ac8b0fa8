/** The search of the list of keys, and what else it can be narrowed to. */
import { Search } from 'lucide-react'
import { FacetChips, FacetMenu, facetOf } from '../../parts/facet-filters.tsx'
import { AddFilter, FilterBar } from '../../parts/filter-bar.tsx'
import { FilterInput } from '../../parts/filter-input.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import type { KeyFilters } from './filters.ts'
import { scopeWords } from './key.ts'
import { keysText } from './text.ts'

/** What stands behind the beginning of a pasted key reaches neither the address nor the service. */
const wholeKey = /^\s*(sk-.{4}).*$/

interface FilterRowProps {
  filters: KeyFilters
  filter(change: Partial<KeyFilters>): void
}

export function FilterRow({ filters, filter }: FilterRowProps) {
  const t = useText(keysText)
  const c = useText(sharedText)
  const facet = (name: 'state' | 'scope', title: string, words: Readonly<Record<string, string>>) =>
    facetOf({
      ...{ name, title, isCounted: false, chosen: filters[name] },
      counts: Object.keys(words).map((value) => ({ value, count: 0 })),
      labelOf: (value) => words[value] ?? value,
    })
  const scopes = Object.entries(scopeWords).map(([scope, word]) => [scope, t(word)])
  const facets = [
    facet('state', c('status'), { active: t('active'), expired: t('expired'), revoked: t('revoked') }),
    facet('scope', t('scopes'), Object.fromEntries(scopes)),
  ]
  const choose = (name: string, value: string) => filter({ [name]: value })
  const search = (
    <FilterInput
      aria-label={c('search')}
      placeholder={t('searchHint')}
      type="search"
      maxLength={100}
      leftSection={<Search size={14} aria-hidden />}
      value={filters.q}
      onFilter={(q) => filter({ q: q.replace(wholeKey, '$1') })}
    />
  )
  return (
    <FilterBar search={search}>
      <FacetChips facets={facets} onChoose={choose} />
      <AddFilter>{() => <FacetMenu facets={facets} onChoose={choose} />}</AddFilter>
    </FilterBar>
  )
}
