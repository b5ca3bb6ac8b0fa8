/**
 * A long list from the service: its first page, further ones as they are scrolled to. When something happened the first page
 * is asked for anew, and of the others those in sight; the rest when it comes into sight.
 */
import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { allOld, cutOff, isMet, type KeyOf, type Pieces, type RowsPage, withFresh, withNext } from './row-pieces.ts'

export interface RowsAsked<Row> {
  queryKey: QueryKey
  load(cursor: string | undefined, signal: AbortSignal): Promise<RowsPage<Row>>
  rowKey: KeyOf<Row>
  /** Asks anew this often. */
  refetchMs: number | undefined
}

/** Asked for in search of the old rows behind many new ones. */
const pagesBetweenMax = 3

export function useRows<Row>({ queryKey, load, rowKey, refetchMs }: RowsAsked<Row>) {
  const queries = useQueryClient()
  const kept = () => queries.getQueryData<Pieces<Row>>(queryKey) ?? []
  const keep = (pieces: Pieces<Row>) => void queries.setQueryData<Pieces<Row>>(queryKey, pieces)

  /** What is kept is read after each wait: further pages come meanwhile. */
  async function renew(cursor: string | undefined, signal: AbortSignal): Promise<void> {
    const fresh: RowsPage<Row>[] = []
    for (let from = cursor; ; from = fresh.at(-1)?.next ?? undefined) {
      fresh.push(await load(from, signal))
      const isFirst = cursor === undefined
      if (!isFirst && !kept().some((piece) => piece.cursor === cursor)) return
      const old = isFirst ? allOld(kept()) : kept()
      if (isMet(old, cursor, fresh, rowKey)) return keep(withFresh(old, cursor, fresh, rowKey))
      if (fresh.length > pagesBetweenMax) return keep(cutOff(old, cursor, fresh, rowKey))
    }
  }

  const list = useQuery<Pieces<Row>>({
    queryKey,
    async queryFn({ signal }) {
      await renew(undefined, signal)
      return kept()
    },
    ...(refetchMs !== undefined && { refetchInterval: refetchMs }),
  })
  const next = useOneAtATime(queryKey, async (cursor, signal) => {
    const page = await load(cursor, signal)
    if (!signal.aborted) keep(withNext(kept(), cursor, page, rowKey))
  })
  const old = useOneAtATime(queryKey, renew)
  // What was asked for anew since then came through: the rest may too.
  const isPast = (old.endedMs ?? 0) < list.dataUpdatedAt
  return { list, next, old: { ...old, error: isPast ? undefined : old.error } }
}

/** Of one list: what is under way for another is given up. A failure stays until it is asked for again. */
function useOneAtATime(queryKey: QueryKey, work: (cursor: string, signal: AbortSignal) => Promise<void>) {
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown; endedMs?: number }>({ isBusy: false })
  const controller = useRef<AbortController>(undefined)
  const name = JSON.stringify(queryKey)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list begins anew
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
