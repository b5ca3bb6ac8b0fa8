/** What may be named as a model, agents among it: asked for once and kept in one shape, whichever page shows it. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'

/** @param isWanted false: this role may not ask */
export function useModelList(isWanted = true) {
  return useQuery({
    queryKey: ['models'],
    queryFn: async ({ signal }) => (await call('GET /v1/models', { signal })).data,
    enabled: isWanted,
  })
}
