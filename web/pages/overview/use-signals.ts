/** What the overview reads of the signals: as they are now, over the chosen time, and what that time cost. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'

export type Signals = Answer<'GET /v1/admin/signals'>
export type Series = Answer<'GET /v1/admin/signals/series'>
export type Point = Series['points'][number]

export const ranges = ['60', '360', '1440', '10080', '43200'] as const
export type Range = (typeof ranges)[number]

/** An unknown one is the last hour. */
export const rangeOf = (minutes: string): Range => ranges.find((one) => one === minutes) ?? '60'

/** A share or a percentile of fewer turns says nothing. */
export const turnsLeast = 20

type Ended = Pick<Point, 'completed' | 'failed'>
export const turnsOf = ({ completed, failed }: Ended): number => completed + failed
export const errorShare = (ended: Ended): number | null => (turnsOf(ended) === 0 ? null : ended.failed / turnsOf(ended))

const refetchMs = 10_000
const hourMs = 3_600_000

export function useSignals(range: Range) {
  const signals = useQuery({
    queryKey: ['signals'],
    queryFn: ({ signal }) => call('GET /v1/admin/signals', { signal }),
    refetchInterval: refetchMs,
  })
  const series = useQuery({
    queryKey: ['signals', 'series', range],
    queryFn: ({ signal }) => call('GET /v1/admin/signals/series', { query: { minutes: range }, signal }),
    refetchInterval: range === '60' ? refetchMs : 6 * refetchMs,
    placeholderData: keepPreviousData,
  })
  return { signals, series, failed: [signals, series].find(({ isError }) => isError) }
}

/** In whole hours, as the sums of usage are kept: up to the end of this one. */
export function useCost(range: Range) {
  const { may } = useSession()
  const untilMs = (Math.floor(Date.now() / hourMs) + 1) * hourMs
  const query = {
    from: new Date(untilMs - Number(range) * 60_000).toISOString(),
    until: new Date(untilMs).toISOString(),
    group_by: 'none',
    compare: true,
  } as const
  return useQuery({
    queryKey: ['analytics', query],
    queryFn: ({ signal }) => call('GET /v1/admin/analytics', { query, signal }),
    refetchInterval: 3 * refetchMs,
    placeholderData: keepPreviousData,
    enabled: may('usage.read'),
  })
}
