/** How many things wait for a person: the number in the menu, the bar, the browser's tab and the phone's bar. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { useRefreshOn } from '../api/feed.ts'
import { useSession } from '../app/session.tsx'

export const approvalsKey = ['approvals'] as const
/** More than these are "99+". */
export const waitingMax = 100
/** In case the feed is down. */
const refetchMs = 15_000

/** The approvals that wait, as the page of approvals shows them: one request for both. */
export function usePendingApprovals() {
  const { may } = useSession()
  useRefreshOn(['approval.requested', 'approval.decided'], approvalsKey)
  return useQuery({
    queryKey: [...approvalsKey, 'pending'],
    queryFn: ({ signal }) =>
      call('GET /v1/admin/approvals', { query: { status: 'pending', limit: waitingMax }, signal }),
    refetchInterval: refetchMs,
    enabled: may('approvals.read'),
  })
}

export const useWaitingCount = (): number => usePendingApprovals().data?.items.length ?? 0
