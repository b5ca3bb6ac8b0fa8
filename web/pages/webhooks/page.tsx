/** Webhooks: which events and alerts are sent where, whether they arrive, and what to do when they do not. */
import { Button } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { Webhook } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ListWithPane } from '../../parts/detail-pane.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { useFilters } from '../../parts/filters.ts'
import { OneTimeSecret } from '../../parts/one-time-secret.tsx'
import { Page } from '../../parts/page.tsx'
import { State } from '../../parts/state.tsx'
import { Ago } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { kindsText } from './kinds-text.ts'
import { kindText, type Subscription, stateNames, stateOf } from './subscription.ts'
import { SubscriptionPane } from './subscription-pane.tsx'
import { webhooksText } from './text.ts'

const SubscriptionDialog = lazy(() => import('./subscription-dialog.tsx'))

const byDefault = { open: '' }
const refetchMs = 10_000

const listed = queryOptions({
  queryKey: ['webhooks', 'list'],
  queryFn: ({ signal }) => call('GET /v1/admin/subscriptions', { signal }),
})

type OpenDialog = { is: 'edit'; subscription?: Subscription } | { is: 'secret'; name: string; secret: string }

export default function WebhooksPage() {
  const t = useText(webhooksText)
  const { may } = useSession()
  const queries = useQueryClient()
  const [filters, filter] = useFilters(byDefault)
  const [dialog, setDialog] = useState<OpenDialog>()
  /** Of the one that was saved last. */
  const [warned, setWarned] = useState<{ id: string; warning: string | null }>()
  const { data } = useQuery(listed)
  const columns = useColumns()
  const open = data?.items.find(({ id }) => id === filters.open)
  const close = () => setDialog(undefined)
  const refresh = () => queries.invalidateQueries({ queryKey: ['webhooks'] })
  const add = may('webhooks.write') && <Button onClick={() => setDialog({ is: 'edit' })}>{t('add')}</Button>
  return (
    <Page title={t('title')} about={t('about')} actions={data?.items.length !== 0 && add}>
      <ListWithPane
        pane={
          open && (
            <SubscriptionPane
              key={open.id}
              of={open}
              warning={warned?.id === open.id ? warned.warning : null}
              refresh={refresh}
              onChange={() => setDialog({ is: 'edit', subscription: open })}
              onSecret={(secret) => setDialog({ is: 'secret', name: open.name, secret })}
              onClose={() => filter({ open: '' })}
            />
          )
        }
      >
        <DataTable<Subscription>
          label={t('title')}
          queryKey={['webhooks', 'rows']}
          load={async () => ({ rows: (await queries.fetchQuery(listed)).items, next: null })}
          refetchMs={refetchMs}
          columns={columns}
          rowKey={({ id }) => id}
          onOpen={({ id }) => filter({ open: id })}
          openKey={open?.id}
          empty={
            <EmptyState icon={Webhook} title={t('empty')} actions={add}>
              {t('emptyWhy')}
            </EmptyState>
          }
        />
      </ListWithPane>
      {dialog?.is === 'edit' && data && (
        <Suspense>
          <SubscriptionDialog
            subscription={dialog.subscription}
            eventKinds={data.event_kinds}
            mailChannel={data.mail_channel}
            onSaved={async ({ id, name, secret, warning }) => {
              close()
              setWarned({ id, warning })
              filter({ open: id })
              await refresh()
              if (secret !== null) setDialog({ is: 'secret', name, secret })
            }}
            onClose={close}
          />
        </Suspense>
      )}
      {dialog?.is === 'secret' && (
        <OneTimeSecret
          title={t('secretOnce', { name: dialog.name })}
          why={t('secretOnceWhy')}
          label={t('signingSecret')}
          text={dialog.secret}
          onClose={close}
        />
      )}
    </Page>
  )
}

function useColumns(): Column<Subscription>[] {
  const t = useText(webhooksText)
  const c = useText(sharedText)
  const k = useText(kindsText)
  return [
    {
      key: 'state',
      title: t('state'),
      width: 'minmax(90px, 130px)',
      phone: 'line',
      cell: (row) => <State state={stateNames[stateOf(row)]}>{t(stateOf(row))}</State>,
    },
    {
      key: 'name',
      title: c('name'),
      width: 'minmax(110px, 1fr)',
      isMain: true,
      phone: 'title',
      cell: (row) => row.name,
    },
    { key: 'target', title: t('target'), width: 'minmax(120px, 2fr)', phone: 'none', cell: (row) => row.target },
    {
      key: 'kinds',
      title: t('kinds'),
      width: 'minmax(100px, 1fr)',
      isExtra: true,
      phone: 'none',
      cell: (row) => row.event_kinds.map((kind) => kindText(kind, k)).join(', '),
    },
    {
      key: 'waiting',
      title: t('waiting'),
      width: '70px',
      isNumber: true,
      phone: 'none',
      cell: (row) => row.outbox.pending || '–',
    },
    {
      key: 'given',
      title: t('given'),
      width: '110px',
      isNumber: true,
      isExtra: true,
      phone: 'none',
      cell: (row) => row.outbox.undeliverable || '–',
    },
    {
      key: 'last',
      title: t('lastDelivered'),
      width: '120px',
      phone: 'end',
      cell: (row) => <Ago iso={row.outbox.last_delivered_at} />,
    },
  ]
}
