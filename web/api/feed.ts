/** The feed as pages use it: events by kind, and data that is asked for anew when something happened to it. */
import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useSoon } from '../parts/use-throttled.ts'
import { apiBase } from './call.ts'
import { type EventKind, type FeedEvent, type FeedMessage, feedSource } from './feed-source.ts'
import type { TabMessage } from './feed-worker.ts'

type Listener = (message: FeedMessage) => void
const listeners = new Set<Listener>()
let begun = false

function tell(message: FeedMessage): void {
  for (const listener of listeners) listener(message)
}

/** With the first listener; the worker lives as long as any tab of the browser does. */
function begin(): void {
  if (begun) return
  begun = true
  if (typeof SharedWorker === 'undefined') {
    feedSource(apiBase, tell)
    return
  }
  const { port } = new SharedWorker(new URL('./feed-worker.ts', import.meta.url), { type: 'module', name: apiBase })
  const say = (message: TabMessage) => port.postMessage(message)
  const here = { apiBase: apiBase || location.origin }
  const live = () => say({ is: 'alive', ...here })
  port.onmessage = ({ data }: MessageEvent<FeedMessage>) => tell(data)
  say({ is: 'hello', ...here })
  setInterval(live, 20_000)
  addEventListener('pagehide', () => say({ is: 'bye' }))
  // A page that was kept and is shown again: it said goodbye, so the worker tells it that events were missed.
  addEventListener('pageshow', ({ persisted }) => persisted && live())
}

function listen(listener: Listener): () => void {
  listeners.add(listener)
  begin()
  return () => listeners.delete(listener)
}

/** Hears events of these kinds while the page is shown; `onMissed` when some were lost and everything may have changed. */
export function useEvents(
  kinds: readonly EventKind[],
  onEvent: (event: FeedEvent) => void,
  onMissed?: () => void,
): void {
  const latest = useRef({ kinds, onEvent, onMissed })
  latest.current = { kinds, onEvent, onMissed }
  useEffect(
    () =>
      listen((message) => {
        const { kinds: wanted, onEvent: hear, onMissed: miss } = latest.current
        if (message.is === 'event' && wanted.includes(message.event.kind)) hear(message.event)
        else if (message.is === 'missed') miss?.()
      }),
    [],
  )
}

/**
 * Asks anew for what is shown, since something happened to it. A first answer that is on its way meanwhile may have been
 * made before that, so it is asked for once more when it is there.
 */
export async function askAnew(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  const isFirst = queries.isFetching({ queryKey, predicate: ({ state }) => state.data === undefined }) > 0
  await queries.invalidateQueries({ queryKey })
  if (isFirst) await queries.invalidateQueries({ queryKey })
}

const refreshMs = 700

/** Asks for the data anew when events of these kinds come, at most every 0.7 s, however many come. */
export function useRefreshOn(kinds: readonly EventKind[], queryKey: QueryKey): void {
  const queries = useQueryClient()
  const refresh = useSoon(refreshMs, () => void askAnew(queries, queryKey))
  useEvents(kinds, refresh, refresh)
}
