/** The list of prices, which budgets read too, for their currency. */
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/call.ts'

export const listed = queryOptions({
  queryKey: ['prices', 'list'],
  queryFn: ({ signal }) => call('GET /v1/admin/prices', { signal }),
})
