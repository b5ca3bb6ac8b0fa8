/** The kinds of channel with their forms, as the service gives them. They do not change while it runs. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'

export function useChannelAdapters() {
  return useQuery({
    queryKey: ['channel-adapters'],
    queryFn: async ({ signal }) => (await call('GET /v1/admin/channel-adapters', { signal })).items,
    staleTime: Number.POSITIVE_INFINITY,
  })
}
