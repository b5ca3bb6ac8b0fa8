/** What the list of turns can be narrowed to, with counts. */
import type { Answer } from '../../api/types.ts'
import { facetOf, type ListFacet } from '../../parts/facet-filters.tsx'
import { useTurnErrorText } from '../../parts/turn-error.ts'
import { turnOriginText } from '../../parts/turn-origin.ts'
import { TurnStatusMark, turnStatusText } from '../../parts/turn-status.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import type { TurnFilters } from './filters.ts'
import { turnsText } from './text.ts'

export function useFacets(filters: TurnFilters, counts: Answer<'GET /v1/admin/turns/facets'> | undefined): ListFacet[] {
  const t = useText(turnsText)
  const c = useText(sharedText)
  const statusOf = useText(turnStatusText)
  const originOf = useText(turnOriginText)
  const errorText = useTurnErrorText()
  const facet = (name: 'status' | 'origin' | 'agent' | 'model' | 'error', title: string, words?: object) =>
    facetOf({ name, title, chosen: filters[name], counts: counts?.[name], ...words })
  const known = (set: object, word: (key: never) => string) => (value: string) =>
    Object.hasOwn(set, value) ? word(value as never) : value
  return [
    facet('status', c('status'), {
      labelOf: known(turnStatusText.en, statusOf),
      markOf: (value: string) => <TurnStatusMark status={value} />,
    }),
    facet('agent', t('agent')),
    facet('model', t('model')),
    facet('origin', t('origin'), { labelOf: known(turnOriginText.en, originOf) }),
    facet('error', t('error'), { labelOf: errorText }),
  ]
}
