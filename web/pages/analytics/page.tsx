/** Analytics: what was used in a time, by whom and by what, what it cost, and how that compares with the time before. */
import { Button, NativeSelect, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ChartColumn, Download } from 'lucide-react'
import { useMemo } from 'react'
import { call, open } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { Banner } from '../../parts/banner.tsx'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { FilterBar, FilterChip } from '../../parts/filter-bar.tsx'
import { useFilters } from '../../parts/filters.ts'
import { linkTo, targetOf } from '../../parts/link-to.tsx'
import { LoadingRows } from '../../parts/loading-rows.tsx'
import { Page } from '../../parts/page.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { useSubmit } from '../../parts/submit.ts'
import { sharedText } from '../../text/shared-text.ts'
import { type Translate, useText } from '../../text/text.ts'
import styles from './analytics.module.css'
import { Breakdown } from './breakdown.tsx'
import { Chart, metrics } from './chart.tsx'
import { Figures } from './figures.tsx'
import { analyticsText } from './text.ts'
import { spanNames, spanOf, type TimeSpan, timeSpan, timesOf } from './time-span.ts'
import { type Analytics, currencyOf, type Grouping, groupingOf, groupings, turnFilters, type Usage } from './usage.ts'

const byDefault = { span: '7d', from: '', until: '', by: 'model', value: '', show: 'cost' }
const refetchMs = 30_000
const groupsMax = 100

export default function AnalyticsPage() {
  const t = useText(analyticsText)
  const [filters, filter] = useFilters(byDefault)
  const groupBy = groupingOf(filters.by)
  const hour = Math.floor(Date.now() / 3_600_000)
  const span = useMemo(() => timeSpan(filters, hour * 3_600_000), [filters, hour])
  const query = span && { ...timesOf(span), group_by: groupBy, value: filters.value, limit: groupsMax }
  const csv = useSubmit(async () => {
    const response = await open('GET /v1/admin/analytics', { query: { ...query, bucket: 'none', format: 'csv' } })
    const days = [...new Set([query?.from.slice(0, 10), query?.until.slice(0, 10)])]
    saveFile(`usage-${groupBy}-${days.join('-')}.csv`, await response.blob())
  })
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        <Button
          variant="default"
          leftSection={<Download size={15} aria-hidden />}
          disabled={!span}
          loading={csv.isBusy}
          onClick={() => csv.submit()}
        >
          {t('exportCsv')}
        </Button>
      }
    >
      <FilterBar>
        <NativeSelect
          aria-label={t('span')}
          value={spanOf(filters)}
          onChange={(event) => filter({ span: event.currentTarget.value })}
          data={spanNames.map((value) => ({ value, label: t(`span_${value}`) }))}
        />
        {spanOf(filters) === 'custom' &&
          (['from', 'until'] as const).map((edge) => (
            <TextInput
              key={edge}
              type="date"
              aria-label={t(edge)}
              value={filters[edge]}
              onChange={(event) => filter({ [edge]: event.currentTarget.value })}
            />
          ))}
        <NativeSelect
          aria-label={t('groupBy')}
          value={groupBy}
          onChange={(event) => filter({ by: event.currentTarget.value, value: '' })}
          data={groupings.map((value) => ({ value, label: value === 'none' ? t(value) : t('by', { what: t(value) }) }))}
        />
        {filters.value !== '' && (
          <FilterChip
            name={t(groupBy)}
            value={
              <ChosenName value={filters.value} query={query && { ...query, bucket: span.bucket, compare: true }} />
            }
            onClear={() => filter({ value: '' })}
          />
        )}
      </FilterBar>
      <ErrorPanel error={csv.error} />
      {span ? <Content span={span} groupBy={groupBy} /> : <EmptyState title={t('noSpan')} />}
    </Page>
  )
}

/** The name of a key or operator; what has none is its own. The page has asked the same, so this asks nothing. */
function ChosenName({ value, query }: { value: string; query: Query | undefined }) {
  const { data } = useUsage(query ?? {}, query !== undefined)
  return data?.groups.find((group) => group.value === value)?.name ?? value
}

function Content({ span, groupBy }: { span: TimeSpan; groupBy: Grouping }) {
  const t = useText(analyticsText)
  const c = useText(sharedText)
  const navigate = useNavigate()
  const [filters, filter] = useFilters(byDefault)
  const metric = metrics.find((one) => one === filters.show) ?? 'cost'
  const isWhole = groupBy === 'none' || filters.value !== ''
  const times = timesOf(span)
  const grouped = useUsage({
    ...times,
    bucket: span.bucket,
    group_by: groupBy,
    value: filters.value,
    compare: true,
    limit: groupsMax,
  })
  const all = useUsage({ ...times, bucket: span.bucket, group_by: 'none' }, !isWhole)
  const whole = isWhole ? grouped : all
  const failed = [grouped, whole].find(({ isError }) => isError)
  const { data } = grouped
  const nameOf = useNames(data, groupBy)
  const errorPanel = failed && <ErrorPanel error={failed.error} onRetry={() => void failed.refetch()} />
  if (!data || !whole.data) return errorPanel ?? <LoadingRows label={c('loading')} />
  const currency = currencyOf(data.total) ?? 'USD'
  const isEmpty = data.total.turns === 0 && data.total.calls === 0
  return (
    <>
      {errorPanel}
      <WithoutPrice total={data.total} />
      <Figures of={data} />
      {isEmpty ? (
        <NothingUsed />
      ) : (
        <>
          <Card
            title={t(span.bucket === 'hour' ? 'perHour' : 'perDay')}
            fact={t(span.bucket === 'hour' ? 'chartFact' : 'chartFactUtc')}
            actions={
              <NativeSelect
                aria-label={t('show')}
                value={metric}
                onChange={(event) => filter({ show: event.currentTarget.value })}
                data={metrics.map((value) => ({ value, label: t(value) }))}
              />
            }
          >
            <Chart
              metric={metric}
              span={span}
              currency={currency}
              grouped={data}
              whole={whole.data}
              nameOf={nameOf}
              onPick={(fromS, untilS) => {
                const search = {
                  ...turnFilters(groupBy, filters.value || null),
                  ...(metric === 'errors' && { status: 'failed' }),
                  since: new Date(fromS * 1_000).toISOString(),
                  until: new Date(untilS * 1_000).toISOString(),
                }
                void navigate(targetOf('/turns', search))
              }}
            />
          </Card>
          <Card
            title={t('breakdown')}
            fact={data.groups_total > data.groups.length ? t('ofGroups', { n: data.groups_total }) : undefined}
            isFlush
          >
            <Breakdown
              of={data}
              groupBy={groupBy}
              currency={currency}
              since={{ since: times.from, until: times.until }}
              nameOf={nameOf}
              onChoose={(value) => filter({ value })}
            />
          </Card>
          <Notes total={data.total} />
        </>
      )}
    </>
  )
}

type Query = NonNullable<Parameters<typeof call<'GET /v1/admin/analytics'>>[1]['query']>

function useUsage(query: Query, isEnabled = true) {
  return useQuery({
    queryKey: ['analytics', query],
    queryFn: ({ signal }) => call('GET /v1/admin/analytics', { query, signal }),
    refetchInterval: refetchMs,
    placeholderData: keepPreviousData,
    enabled: isEnabled,
  })
}

function useNames(data: Analytics | undefined, groupBy: Grouping): (value: string | null) => string {
  const t = useText(analyticsText)
  const names = new Map(data?.groups.map(({ value, name }) => [value, name]))
  return (value) =>
    groupBy === 'none' ? t('everything') : value === null ? noneOf(groupBy, t) : (names.get(value) ?? value)
}

/** What has no key came by a session, what has no agent from none of ours. */
function noneOf(groupBy: Grouping, t: Translate<typeof analyticsText.en>): string {
  return t('withoutOne', { what: t(groupBy).toLocaleLowerCase() })
}

function WithoutPrice({ total }: { total: Usage }) {
  const t = useText(analyticsText)
  const { may } = useSession()
  if (total.calls_without_price === 0) return null
  return (
    <Banner
      tone="info"
      title={t('unpriced', { n: total.calls_without_price })}
      actions={
        may('money.write') && (
          <Button size="xs" variant="default" renderRoot={linkTo('/prices')}>
            {t('toPrices')}
          </Button>
        )
      }
    >
      {t('unpricedWhy')}
    </Banner>
  )
}

function NothingUsed() {
  const t = useText(analyticsText)
  const { may } = useSession()
  return (
    <EmptyState
      icon={ChartColumn}
      title={t('empty')}
      actions={
        may('chat.use') && (
          <Button variant="default" renderRoot={linkTo('/playground')}>
            {t('toPlayground')}
          </Button>
        )
      }
    >
      {t('emptyWhy')}
    </EmptyState>
  )
}

/** What the figures do not say. */
function Notes({ total }: { total: Usage }) {
  const t = useText(analyticsText)
  return (
    <ul className={styles['notes']}>
      {total.usage_unknown > 0 && <li>{t('unknown', { n: total.usage_unknown })}</li>}
      {total.estimated > 0 && <li>{t('estimated', { n: total.estimated })}</li>}
      <li>{t('about5')}</li>
    </ul>
  )
}
