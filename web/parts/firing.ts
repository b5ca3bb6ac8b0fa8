/** How many alerts fire: the number beside Alerts in the menu. */
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { useRefreshOn } from '../api/feed.ts'
import { useSession } from '../app/session.tsx'

/** More than these are "99+". */
const firingMax = 100
/** In case the feed is down. */
const refetchMs = 30_000

export function useFiringCount(): number {
  const { may } = useSession()
  useRefreshOn(['alert.fired', 'alert.resolved'], ['alerts', 'firing'])
  const { data } = useQuery({
    queryKey: ['alerts', 'firing'],
    queryFn: ({ signal }) => call('GET /v1/admin/alerts', { query: { state: 'firing', limit: firingMax }, signal }),
    refetchInterval: refetchMs,
    enabled: may('alerts.read'),
  })
  return data?.items.length ?? 0
}
