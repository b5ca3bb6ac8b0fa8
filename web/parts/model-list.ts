/** The models and agents that may be used as a model; all pages share one cached list. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'

/** @param isEnabled false: the role lacks the permission */
export function useModelList(isEnabled = true) {
  return useQuery({
    queryKey: ['models'],
    queryFn: async ({ signal }) => (await call('GET /v1/models', { signal })).data,
    enabled: isEnabled,
  })
}
