/** Alerts: what fires and fired, with who was told; the rules, to change and switch; a test by a button. */
import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Bell } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { call } from '../../api/call.ts'
import { useRefreshOn } from '../../api/feed.ts'
import { useSession } from '../../app/session.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { DetailPane, ListWithPane } from '../../parts/detail-pane.tsx'
import { Disposition, type DispositionName } from '../../parts/disposition.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useFilters } from '../../parts/filters.ts'
import { KeyValue } from '../../parts/key-value.tsx'
import { Page } from '../../parts/page.tsx'
import { State, type StateName } from '../../parts/state.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { WordFilters } from '../../parts/word-filters.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useLanguage, useText } from '../../text/text.ts'
import { type Alert, type Rule, valueText } from './rule.ts'
import { Silences } from './silences.tsx'
import { alertsText } from './text.ts'

/** Loaded behind the list, which comes first. */
const Rules = lazy(() => import('./rules.tsx'))
const SilenceDialog = lazy(() => import('./silence-dialog.tsx'))

const byDefault = { state: '' }
const states: Record<Alert['state'], StateName> = { firing: 'failed', pending: 'degraded', resolved: 'healthy' }
const alertStates = Object.keys(states) as Alert['state'][]

export default function AlertsPage() {
  const t = useText(alertsText)
  const { may } = useSession()
  const [filters, filter] = useFilters(byDefault)
  const [open, setOpen] = useState<Alert>()
  useRefreshOn(['alert.fired', 'alert.resolved'], ['alerts'])
  const rules = useQuery({
    queryKey: ['alerts', 'rules'],
    queryFn: ({ signal }) => call('GET /v1/admin/alerts/rules', { signal }),
  })
  const test = useSubmit(async () => {
    const { subscriptions: n } = await call('POST /v1/admin/alerts/test', {})
    toast({ title: n === 0 ? t('testNobody') : t('testSent', { n }), isError: n === 0 })
  })
  const state = alertStates.find((one) => one === filters.state)
  const columns = useColumns(rules.data?.items ?? [])
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={
        may('alerts.write') && (
          <Button variant="default" loading={test.isBusy} onClick={() => test.submit()}>
            {t('test')}
          </Button>
        )
      }
    >
      <ErrorPanel error={test.error} />
      <WordFilters
        filters={filters}
        filter={filter}
        choices={[
          {
            name: 'state',
            title: t('state'),
            words: Object.fromEntries(alertStates.map((value) => [value, t(value)])),
          },
        ]}
      />
      <ListWithPane
        pane={open && <Told of={open} rules={rules.data?.items ?? []} onClose={() => setOpen(undefined)} />}
      >
        <DataTable<Alert>
          label={t('title')}
          queryKey={['alerts', 'list', filters.state]}
          load={async (cursor, signal) => {
            const query = { limit: 50, ...(state && { state }), ...(cursor !== undefined && { cursor }) }
            const page = await call('GET /v1/admin/alerts', { query, signal })
            return { rows: page.items, next: page.next_cursor }
          }}
          refetchMs={15_000}
          columns={columns}
          rowKey={(row) => row.id}
          onOpen={setOpen}
          openKey={open?.id}
          empty={
            <EmptyState icon={Bell} title={t('empty')}>
              {t('emptyWhy')}
            </EmptyState>
          }
        />
      </ListWithPane>
      <ErrorPanel error={rules.error} onRetry={() => void rules.refetch()} />
      {rules.data && (
        <Suspense>
          <Silences rules={rules.data.items} />
          <Rules rules={rules.data.items} />
        </Suspense>
      )}
    </Page>
  )
}

function useColumns(rules: readonly Rule[]): Column<Alert>[] {
  const t = useText(alertsText)
  const language = useLanguage()
  const unitOf = (row: Alert) => rules.find(({ rule }) => rule === row.rule)?.unit
  return [
    {
      key: 'state',
      title: t('state'),
      width: '110px',
      phone: 'line',
      cell: (row) => <State state={states[row.state]}>{t(row.state)}</State>,
    },
    {
      key: 'rule',
      title: t('rule'),
      width: 'minmax(140px, 2fr)',
      isMain: true,
      phone: 'title',
      cell: (row) => rules.find(({ rule }) => rule === row.rule)?.title[language] ?? row.rule,
    },
    {
      key: 'subject',
      title: t('subject'),
      width: 'minmax(90px, 1fr)',
      phone: 'none',
      cell: (row) => row.subject_name ?? (row.subject || '–'),
    },
    {
      key: 'value',
      title: t('value'),
      width: '90px',
      isNumber: true,
      phone: 'aside',
      cell: (row) => valueText(row.value, unitOf(row), t, language),
    },
    { key: 'fired', title: t('fired'), width: '130px', phone: 'end', cell: (row) => <Time iso={row.fired_at} /> },
    {
      key: 'ended',
      title: t('ended'),
      width: '130px',
      phone: 'none',
      isExtra: true,
      cell: (row) => <Time iso={row.resolved_at} />,
    },
    {
      key: 'told',
      title: t('told'),
      width: 'minmax(110px, 160px)',
      phone: 'none',
      isExtra: true,
      cell: (row) => (row.is_silenced ? t('silenced') : <Arrival of={row.told} />),
    },
  ]
}

/** The worst comes first. */
const byConcern: readonly DispositionName[] = [
  'undeliverable',
  'failed',
  'pending',
  'sending',
  'cancelled',
  'delivered',
]

/** What became of the notices: one that did not arrive is not hidden by others that did. */
function Arrival({ of }: { of: Alert['told'] }) {
  const worst = byConcern.find((status) => of.some((notice) => notice.status === status))
  if (worst === undefined) return '–'
  const n = of.filter(({ status }) => status === worst).length
  return (
    <>
      <Disposition status={worst} /> {n < of.length && `${n}/${of.length}`}
    </>
  )
}

function Told({ of, rules, onClose }: { of: Alert; rules: readonly Rule[]; onClose(): void }) {
  const t = useText(alertsText)
  const c = useText(sharedText)
  const language = useLanguage()
  const { may } = useSession()
  const [isSilencing, setSilencing] = useState(false)
  const rule = rules.find((one) => one.rule === of.rule)
  const title = rule?.title[language] ?? of.rule
  return (
    <DetailPane
      title={title}
      label={t('toldAbout', { rule: title })}
      actions={
        may('alerts.write') && (
          <Button size="xs" variant="default" onClick={() => setSilencing(true)}>
            {t('silence')}
          </Button>
        )
      }
      onClose={onClose}
    >
      <KeyValue
        rows={[
          [
            c('status'),
            <State key="state" state={states[of.state]}>
              {t(of.state)}
            </State>,
          ],
          [t('value'), valueText(of.value, rule?.unit, t, language)],
          [t('threshold'), valueText(of.threshold, rule?.unit, t, language)],
          [t('fired'), <Time key="fired" iso={of.fired_at} />],
          [t('ended'), <Time key="ended" iso={of.resolved_at} />],
          ...(rule ? [[t('whatToDo'), `docs/alerts.md#${rule.runbook}`] as const] : []),
        ]}
      />
      {of.told.length === 0 && <Text c="dimmed">{t('toldNobody')}</Text>}
      <KeyValue
        isLeft
        rows={of.told.map((one) => [
          one.subscription || one.subscription_id,
          <div key={`${one.subscription_id} ${one.event_kind}`}>
            <Disposition status={one.status} /> <Time iso={one.at} /> {one.reason}
          </div>,
        ])}
      />
      {isSilencing && (
        <Suspense>
          <SilenceDialog rule={of.rule as Rule['rule']} title={title} of={of} onClose={() => setSilencing(false)} />
        </Suspense>
      )}
    </DetailPane>
  )
}
