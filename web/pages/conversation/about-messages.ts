/** Data about messages: the turns that answered them, and their deliveries. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import type { Message } from './thread-state.ts'

export type Turn = Answer<'GET /v1/admin/turns'>['items'][number]
export type Delivery = Answer<'GET /v1/admin/deliveries'>['items'][number]

/** By id. Older turns are loaded along with older messages. */
export function useTurns(conversationId: string, messages: readonly Message[]): ReadonlyMap<string, Turn> {
  const list = useInfiniteQuery({
    queryKey: ['conversation', conversationId, 'turns'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      call('GET /v1/admin/turns', {
        query: { conversation_id: conversationId, limit: 100, ...(cursor !== undefined && { cursor }) },
        signal,
      }),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
  const turns = useMemo(
    () => new Map(list.data?.pages.flatMap((page) => page.items).map((turn) => [turn.id, turn])),
    [list.data],
  )
  const oldest = messages[0]?.created_at
  const last = list.data?.pages.at(-1)?.items.at(-1)?.started_at
  const isBehind = oldest !== undefined && last !== undefined && Date.parse(last) > Date.parse(oldest)
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list
  useEffect(() => {
    if (isBehind && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [isBehind, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  return turns
}

/** The newest 200 deliveries, by message id. */
export function useDeliveries(conversationId: string, isEnabled: boolean): ReadonlyMap<string, Delivery> {
  const list = useQuery({
    queryKey: ['conversation', conversationId, 'deliveries'],
    enabled: isEnabled,
    queryFn: ({ signal }) =>
      call('GET /v1/admin/deliveries', { query: { conversation_id: conversationId, limit: 200 }, signal }),
  })
  return useMemo(() => new Map(list.data?.items.map((delivery) => [delivery.message_id, delivery])), [list.data])
}
