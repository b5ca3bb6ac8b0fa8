/**
 * A long list from the service: its first page, then more as the user scrolls. A change reloads the first page and the
 * visible pieces; the others are reloaded when they become visible.
 */
import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import {
  isOverlapFound,
  type KeyOf,
  markStale,
  type Pieces,
  type RowsPage,
  withNext,
  withoutRest,
  withReloaded,
} from './row-pieces.ts'

export interface RowsQuery<Row> {
  queryKey: QueryKey
  load(cursor: string | undefined, signal: AbortSignal): Promise<RowsPage<Row>>
  rowKey: KeyOf<Row>
  /** Reloads this often. */
  refetchMs: number | undefined
}

/** Pages to load in search of the old rows, when many new ones are in between. */
const pagesBetweenMax = 3

export function useRows<Row>({ queryKey, load, rowKey, refetchMs }: RowsQuery<Row>) {
  const queries = useQueryClient()
  const currentPieces = () => queries.getQueryData<Pieces<Row>>(queryKey) ?? []
  const setPieces = (pieces: Pieces<Row>) => void queries.setQueryData<Pieces<Row>>(queryKey, pieces)

  /** The pieces are read after each load: more pages may have arrived meanwhile. */
  async function reload(cursor: string | undefined, signal: AbortSignal): Promise<void> {
    const fresh: RowsPage<Row>[] = []
    for (let from = cursor; ; from = fresh.at(-1)?.next ?? undefined) {
      fresh.push(await load(from, signal))
      const isFirst = cursor === undefined
      if (!isFirst && !currentPieces().some((piece) => piece.cursor === cursor)) return
      const old = isFirst ? markStale(currentPieces()) : currentPieces()
      if (isOverlapFound(old, cursor, fresh, rowKey)) return setPieces(withReloaded(old, cursor, fresh, rowKey))
      if (fresh.length > pagesBetweenMax) return setPieces(withoutRest(old, cursor, fresh, rowKey))
    }
  }

  const list = useQuery<Pieces<Row>>({
    queryKey,
    async queryFn({ signal }) {
      await reload(undefined, signal)
      return currentPieces()
    },
    ...(refetchMs !== undefined && { refetchInterval: refetchMs }),
  })
  const next = useOneAtATime(queryKey, async (cursor, signal) => {
    const page = await load(cursor, signal)
    if (!signal.aborted) setPieces(withNext(currentPieces(), cursor, page, rowKey))
  })
  const stale = useOneAtATime(queryKey, reload)
  // A reload has succeeded since then, so the failed piece may be retried.
  const isPast = (stale.endedMs ?? 0) < list.dataUpdatedAt
  return { list, next, stale: { ...stale, error: isPast ? undefined : stale.error } }
}

/** One load at a time for one list; another list aborts it. A failure stays until the next attempt. */
function useOneAtATime(queryKey: QueryKey, work: (cursor: string, signal: AbortSignal) => Promise<void>) {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown; endedMs?: number }>({ isBusy: false })
  const controller = useRef<AbortController>(undefined)
  const name = JSON.stringify(queryKey)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list starts over
  useEffect(
    () => () => {
      controller.current?.abort()
      controller.current = undefined
      setState({ isBusy: false })
    },
    [name],
  )
  async function go(cursor: string): Promise<void> {
    if (controller.current) return
    const own = new AbortController()
    controller.current = own
    setState({ isBusy: true })
    const error = await work(cursor, own.signal).then(
      () => undefined,
      (failure: unknown) => failure,
    )
    if (own.signal.aborted) return
    controller.current = undefined
    setState({ isBusy: false, error, endedMs: Date.now() })
  }
  return { ...state, go: (cursor: string) => void go(cursor) }
}
