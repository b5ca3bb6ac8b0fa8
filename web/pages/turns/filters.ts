/** The filters of the list of turns, as they stand in the address: under the names that the API has for them, but for `when`. */
import type { Answer } from '../../api/types.ts'
import type { TurnOrigin } from '../../parts/turn-origin.ts'
import type { TurnStatus } from '../../parts/turn-status.tsx'

export type TurnRow = Answer<'GET /v1/admin/turns'>['items'][number]

/** `since` and `until` come with a link, such as that of a bar of a chart; `when` is a time before now. */
export const noFilters = {
  status: '',
  origin: '',
  agent: '',
  model: '',
  error: '',
  when: '',
  since: '',
  until: '',
  conversation_id: '',
  request_id: '',
  order: 'started',
}
export type TurnFilters = typeof noFilters

export const spansMs = { hour: 3_600_000, hours: 21_600_000, day: 86_400_000, week: 604_800_000 } as const
export const spans = Object.keys(spansMs) as (keyof typeof spansMs)[]

const orders = ['duration', 'first_token', 'tokens', 'cost'] as const
type Order = (typeof orders)[number]

/** The turns of a request are in the order in which they were made. */
export const orderOf = ({ request_id, order }: TurnFilters): string => (request_id === '' ? order : noFilters.order)

/** What the API is asked for; the beginning of a time before now is the minute, so that answers can be shared. */
export function queryOf(filters: TurnFilters) {
  const { when, order: _order, status, origin, ...rest } = filters
  const order = orderOf(filters)
  const spanMs = Object.hasOwn(spansMs, when) ? spansMs[when as keyof typeof spansMs] : undefined
  const set = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== ''))
  return {
    ...set,
    // A value that is none of them is refused by the API, which says so.
    ...(status !== '' && { status: status as TurnStatus }),
    ...(origin !== '' && { origin: origin as TurnOrigin }),
    ...(spanMs !== undefined && { since: new Date(Math.floor((Date.now() - spanMs) / 60_000) * 60_000).toISOString() }),
    ...(order !== noFilters.order && { order: order as Order }),
  }
}

/** The filters of the facets: a request is not among them. */
export function facetQueryOf(filters: TurnFilters) {
  const { order: _order, request_id: _request, ...query } = { request_id: '', order: '', ...queryOf(filters) }
  return query
}
