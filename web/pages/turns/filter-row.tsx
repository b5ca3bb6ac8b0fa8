/** The chosen filters of the list of turns as chips, and the others behind "+ Filter". */
import type { ReactNode } from 'react'
import { FacetChips, FacetMenu, type ListFacet, PeriodChip } from '../../parts/facet-filters.tsx'
import { AddFilter, FilterBar, FilterChip } from '../../parts/filter-bar.tsx'
import { FilterInput } from '../../parts/filter-input.tsx'
import { shortId } from '../../parts/id-text.tsx'
import { useText } from '../../text/text.ts'
import type { TurnFilters } from './filters.ts'
import { turnsText } from './text.ts'
import styles from './turns.module.css'

interface FilterRowProps {
  filters: TurnFilters
  filter(change: Partial<TurnFilters>): void
  facets: readonly ListFacet[]
  end: ReactNode
}

export function FilterRow({ filters, filter, facets, end }: FilterRowProps) {
  const t = useText(turnsText)
  const choose = (name: string, value: string) => filter({ [name]: value })
  const { since, until, conversation_id: conversation, request_id: request } = filters
  return (
    <FilterBar end={end}>
      <FacetChips facets={facets} onChoose={choose} />
      <PeriodChip name={t('started')} {...{ since, until }} onClear={() => filter({ since: '', until: '' })} />
      {conversation !== '' && (
        <FilterChip
          name={t('conversation')}
          value={shortId(conversation)}
          onClear={() => filter({ conversation_id: '' })}
        />
      )}
      {request !== '' && (
        <FilterChip name={t('request')} value={shortId(request)} onClear={() => filter({ request_id: '' })} />
      )}
      <AddFilter>
        {() => (
          <FacetMenu facets={facets} onChoose={choose}>
            <div className={styles['fields']}>
              <FilterInput
                label={t('conversation')}
                placeholder="conv_"
                description={t('notAnId')}
                value={conversation}
                onFilter={(text) => {
                  const id = text.trim()
                  if (id === '' || isConversationId(id)) filter({ conversation_id: id })
                }}
              />
              <FilterInput
                label={t('request')}
                value={request}
                onFilter={(text) => filter({ request_id: text.trim() })}
              />
            </div>
          </FacetMenu>
        )}
      </AddFilter>
    </FilterBar>
  )
}

const isConversationId = (text: string): boolean => /^conv_[0-9a-f]{32}$/.test(text)
