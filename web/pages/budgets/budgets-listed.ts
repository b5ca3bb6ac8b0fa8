/** The one request for all budgets, which several pages share. */
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { shareOf } from './budget.ts'

/** The fullest first: they are what somebody comes for. */
export const budgetsListed = queryOptions({
  queryKey: ['budgets', 'list'],
  queryFn: async ({ signal }) => {
    const { items } = await call('GET /v1/admin/budgets', { signal })
    return items.toSorted((one, other) => shareOf(other) - shareOf(one))
  },
})
