/** The search of the list of keys, and what else it can be narrowed to. */
import { WordFilters } from '../../parts/word-filters.tsx'
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
  const states = { active: t('active'), expired: t('expired'), revoked: t('revoked') }
  const scopes = Object.fromEntries(Object.entries(scopeWords).map(([scope, word]) => [scope, t(word)]))
  return (
    <WordFilters
      filters={filters}
      filter={({ q, ...change }) => filter({ ...change, ...(q !== undefined && { q: q.replace(wholeKey, '$1') }) })}
      hint={t('searchHint')}
      choices={[
        { name: 'state', title: c('status'), words: states },
        { name: 'scope', title: t('scopes'), words: scopes },
      ]}
    />
  )
}
