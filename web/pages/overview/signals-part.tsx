/** The four signals over time and by channel, for the chosen range. */
import { Group, NativeSelect, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useFilters } from '../../parts/filters.ts'
import { useText } from '../../text/text.ts'
import { PerChannel } from './per-channel.tsx'
import { DeliverySignal, ErrorSignal, LatencySignal, TurnCounts } from './signals.tsx'
import { signalsText } from './signals-text.ts'

const byDefault = { minutes: '60' }

export default function SignalsPart() {
  const t = useText(signalsText)
  const [filters, filter] = useFilters(byDefault)
  const minutes = filters.minutes === '1440' ? '1440' : '60'
  const signals = useQuery({
    queryKey: ['signals'],
    queryFn: ({ signal }) => call('GET /v1/admin/signals', { signal }),
    refetchInterval: 10_000,
  })
  const series = useQuery({
    queryKey: ['signals', 'series', minutes],
    queryFn: ({ signal }) => call('GET /v1/admin/signals/series', { query: { minutes }, signal }),
    refetchInterval: minutes === '60' ? 10_000 : 60_000,
    placeholderData: (before) => before,
  })
  const failed = [signals, series].find(({ isError }) => isError)
  return (
    <>
      <Group justify="flex-end">
        <NativeSelect
          aria-label={t('span')}
          value={minutes}
          onChange={(event) => filter({ minutes: event.currentTarget.value })}
          data={[
            { value: '60', label: t('hour') },
            { value: '1440', label: t('day') },
          ]}
        />
      </Group>
      {failed && <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />}
      {!failed && !(signals.data && series.data) && <Skeleton height={300} />}
      {signals.data && series.data && (
        <>
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            <LatencySignal signals={signals.data} series={series.data} />
            <ErrorSignal signals={signals.data} series={series.data} />
            <DeliverySignal signals={signals.data} series={series.data} />
            <TurnCounts series={series.data} />
          </SimpleGrid>
          {(signals.data.is_partial || series.data.points.some((point) => point.is_partial)) && (
            <Text size="sm" c="dimmed">
              {t('partial')}
            </Text>
          )}
          <PerChannel signals={signals.data} />
        </>
      )}
    </>
  )
}
