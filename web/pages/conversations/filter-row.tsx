/** The search of the list of conversations, the chosen filters as chips, and what else it can be narrowed to, with counts. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { FacetChips, FacetMenu, facetOf, type ListFacet, PeriodChip } from '../../parts/facet-filters.tsx'
import { AddFilter, FilterBar } from '../../parts/filter-bar.tsx'
import { FilterInput } from '../../parts/filter-input.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { type ConversationFilters, facetQueryOf } from './filters.ts'
import { conversationsText } from './text.ts'

/** A count looks through many conversations: it is made anew at most this often. */
const countMs = 30_000

export function useFacets(filters: ConversationFilters, isListed: boolean): ListFacet[] {
  const t = useText(conversationsText)
  const query = facetQueryOf(filters)
  const counted = useQuery({
    queryKey: ['conversation-counts', query],
    queryFn: ({ signal }) => call('GET /v1/admin/conversations/facets', { query, signal }),
    enabled: isListed,
    placeholderData: keepPreviousData,
    staleTime: countMs,
    refetchInterval: countMs,
  })
  return (['channel', 'folder', 'tag'] as const).map((name) =>
    facetOf({
      name,
      title: t(name),
      chosen: filters[name],
      counts: counted.data?.[name],
      // The counts know nothing of a search.
      isCounted: filters.text.trim() === '',
    }),
  )
}

interface FilterRowProps {
  filters: ConversationFilters
  filter(change: Partial<ConversationFilters>): void
  facets: readonly ListFacet[]
  end: ReactNode
}

export function FilterRow({ filters, filter, facets, end }: FilterRowProps) {
  const t = useText(conversationsText)
  const c = useText(sharedText)
  const { since, until } = filters
  const choose = (name: string, value: string) => filter({ [name]: value })
  const search = (
    <FilterInput
      aria-label={c('search')}
      placeholder={t('searchHint')}
      type="search"
      leftSection={<Search size={14} aria-hidden />}
      value={filters.text}
      onFilter={(text) => filter({ text })}
    />
  )
  return (
    <FilterBar search={search} end={end || undefined}>
      <FacetChips facets={facets} onChoose={choose} />
      <PeriodChip name={t('created')} {...{ since, until }} onClear={() => filter({ since: '', until: '' })} />
      <AddFilter>{() => <FacetMenu facets={facets} onChoose={choose} />}</AddFilter>
    </FilterBar>
  )
}
