/** The event feed for pages: events by kind, and data that is refetched when an event concerns it. */
import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { useThrottled } from '../parts/use-throttled.ts'
import { apiBase } from './call.ts'
import { type Connection, type EventKind, type FeedEvent, type FeedMessage, feedSource } from './feed-source.ts'
import type { TabMessage } from './feed-worker.ts'

type Listener = (message: FeedMessage) => void
const listeners = new Set<Listener>()
let isStarted = false

let connection: Connection = { state: 'connecting' }

function publish(message: FeedMessage): void {
  if (message.is === 'connection') connection = message.connection
  for (const listener of listeners) listener(message)
}

/** Starts with the first listener; the worker lives as long as any tab of the browser. */
function start(): void {
  if (isStarted) return
  isStarted = true
  if (typeof SharedWorker === 'undefined') {
    feedSource(apiBase, publish)
    return
  }
  const { port } = new SharedWorker(new URL('./feed-worker.ts', import.meta.url), { type: 'module', name: apiBase })
  const send = (message: TabMessage) => port.postMessage(message)
  const tab = { apiBase: apiBase || location.origin }
  const reportAlive = () => send({ is: 'alive', ...tab })
  port.onmessage = ({ data }: MessageEvent<FeedMessage>) => publish(data)
  send({ is: 'hello', ...tab })
  setInterval(reportAlive, 20_000)
  addEventListener('pagehide', () => send({ is: 'bye' }))
  // A page restored from the back/forward cache has said bye before, so the worker reports missed events.
  addEventListener('pageshow', ({ persisted }) => persisted && reportAlive())
}

function listen(listener: Listener): () => void {
  listeners.add(listener)
  start()
  return () => listeners.delete(listener)
}

/** Whether events arrive. */
export const useConnection = (): Connection => useSyncExternalStore(listen, () => connection)

/** Subscribes to events of these kinds while the page is shown; `onMissed`: some were lost, so everything may have changed. */
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
        const { kinds: subscribedKinds, onEvent: handle, onMissed: handleMissed } = latest.current
        if (message.is === 'event' && subscribedKinds.includes(message.event.kind)) handle(message.event)
        else if (message.is === 'missed') handleMissed?.()
      }),
    [],
  )
}

/**
 * Refetches data that an event concerns. A first answer that is still on its way may be older than the event, so it is
 * fetched once more when it has arrived.
 */
export async function refetchNow(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  const isFirst = queries.isFetching({ queryKey, predicate: ({ state }) => state.data === undefined }) > 0
  await queries.invalidateQueries({ queryKey })
  if (isFirst) await queries.invalidateQueries({ queryKey })
}

const refreshMs = 700

/** Refetches the data on events of these kinds, of those that `concerns` says, at most every 0.7 s. */
export function useRefreshOn(
  kinds: readonly EventKind[],
  queryKey: QueryKey,
  concerns: (event: FeedEvent) => boolean = () => true,
): void {
  const queries = useQueryClient()
  const refresh = useThrottled(refreshMs, () => void refetchNow(queries, queryKey))
  useEvents(kinds, (event) => concerns(event) && refresh(), refresh)
}
