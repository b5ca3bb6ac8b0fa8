/** The search of the list of operators, and what else it can be narrowed to. */
import { WordFilters } from '../../parts/word-filters.tsx'
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
  const roleWords = Object.fromEntries(roles.map((role) => [role, t(role)]))
  return (
    <WordFilters
      filters={filters}
      filter={filter}
      hint={t('searchHint')}
      choices={[
        { name: 'role', title: t('role'), words: roleWords },
        { name: 'disabled', title: c('status'), words: { false: t('enabled'), true: t('disabled') } },
        { name: 'second_factor', title: t('factor'), words: { true: t('factorSet'), false: t('factorNone') } },
      ]}
    />
  )
}
