/** The search of the list of operators, and what else it can be narrowed to. */
import { Search } from 'lucide-react'
import { FacetChips, FacetMenu, facetOf } from '../../parts/facet-filters.tsx'
import { AddFilter, FilterBar } from '../../parts/filter-bar.tsx'
import { FilterInput } from '../../parts/filter-input.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import type { OperatorFilters } from './filters.ts'
import { roles } from './operator.ts'
import { operatorsText } from './text.ts'

interface FilterRowProps {
  filters: OperatorFilters
  filter(change: Partial<OperatorFilters>): void
}

export function FilterRow({ filters, filter }: FilterRowProps) {
  const t = useText(operatorsText)
  const c = useText(sharedText)
  const facet = (name: 'role' | 'disabled' | 'second_factor', title: string, words: Readonly<Record<string, string>>) =>
    facetOf({
      ...{ name, title, isCounted: false, chosen: filters[name] },
      counts: Object.keys(words).map((value) => ({ value, count: 0 })),
      labelOf: (value) => words[value] ?? value,
    })
  const facets = [
    facet('role', t('role'), Object.fromEntries(roles.map((role) => [role, t(role)]))),
    facet('disabled', c('status'), { false: t('enabled'), true: t('disabled') }),
    facet('second_factor', t('factor'), { true: t('factorSet'), false: t('factorNone') }),
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
      onFilter={(q) => filter({ q })}
    />
  )
  return (
    <FilterBar search={search}>
      <FacetChips facets={facets} onChoose={choose} />
      <AddFilter>{() => <FacetMenu facets={facets} onChoose={choose} />}</AddFilter>
    </FilterBar>
  )
}
