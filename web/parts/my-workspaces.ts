/** The workspaces where the operator holds a role. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'

export function useMyWorkspaces() {
  return useQuery({
    queryKey: ['workspaces', 'mine'],
    queryFn: async ({ signal }) => (await call('GET /v1/admin/workspaces', { signal })).items,
  })
}
