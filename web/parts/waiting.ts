/** How many things wait for a person: the number in the menu, the bar, the browser's tab and the phone's bar. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { useRefreshOn } from '../api/feed.ts'
import { useSession } from '../app/session.tsx'

/** Of all that shows what waits. */
export const inboxKey = ['inbox'] as const
/** In case the feed is down. */
export const waitingRefetchMs = 15_000

const changes = ['approval.requested', 'approval.decided', 'step.unknown'] as const
/** A recorded outcome ends a step; while no outcome is unknown, steps that end are no news. */
const changesOfOutcomes = [...changes, 'step.succeeded', 'step.failed'] as const

/** Keeps the page of the inbox up to date too: its list has the same key. */
export function useWaitingCount(): number {
  const { may } = useSession()
  const { data } = useQuery({
    queryKey: [...inboxKey, 'count'],
    queryFn: ({ signal }) => call('GET /v1/admin/inbox/count', { signal }),
    refetchInterval: waitingRefetchMs,
    enabled: may('approvals.read'),
  })
  const isOutcomeUnknown = data?.kinds.some(({ kind, count }) => kind === 'unknown_effect' && count > 0) ?? false
  useRefreshOn(isOutcomeUnknown ? changesOfOutcomes : changes, inboxKey)
  return data?.total ?? 0
}
