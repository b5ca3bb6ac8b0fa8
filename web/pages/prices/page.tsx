/** Prices of models: those of today and since when, those without one first, the history of each, import and export. */
import { Button } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { Coins, Download, Upload } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { ListWithPane } from '../../parts/detail-pane.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { useFilters } from '../../parts/filters.ts'
import { numberText } from '../../parts/format.ts'
import { Page } from '../../parts/page.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { State } from '../../parts/state.tsx'
import { Time } from '../../parts/time.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { listed } from './listed.ts'
import { ModelPane } from './model-pane.tsx'
import {
  exported,
  lacksPrice,
  type ModelPrices,
  type Price,
  pricesByModel,
  type Unit,
  unitPriceText,
  units,
} from './price.ts'
import { pricesText } from './text.ts'
import { unitPricesText } from './unit-prices-text.ts'

const NewPriceDialog = lazy(() => import('./new-price.tsx'))
const ImportDialog = lazy(() => import('./import-prices.tsx'))

const byDefault = { open: '' }
const refetchMs = 30_000
const dayMs = 86_400_000
const usageDays = 30
const usageGroupsMax = 500

/** Which models were used of late, and how many of their calls had no price. */
const used = queryOptions({
  queryKey: ['prices', 'usage'],
  queryFn: ({ signal }) => {
    const from = new Date(Date.now() - usageDays * dayMs).toISOString()
    return call('GET /v1/admin/analytics', { query: { from, group_by: 'model', limit: usageGroupsMax }, signal })
  },
})

/** Those without a column of their own. */
const otherUnits = units.filter((unit) => unit !== 'token_in' && unit !== 'token_cached' && unit !== 'token_out')

type OpenDialog = { is: 'import' } | { is: 'add'; of?: Pick<ModelPrices, 'model' | 'endpoint' | 'all'> }

export default function PricesPage() {
  const t = useText(pricesText)
  const { may } = useSession()
  const [filters, filter] = useFilters(byDefault)
  const queries = useQueryClient()
  const [dialog, setDialog] = useState<OpenDialog>()
  const prices = useQuery(listed)
  const usage = useQuery({ ...used, enabled: may('usage.read') })
  const rows = prices.data && pricesByModel(prices.data.items, usage.data?.groups ?? [])
  const columns = useColumns()
  const open = rows?.find(({ key }) => key === filters.open)
  const close = () => setDialog(undefined)
  const items = prices.data?.items ?? []
  const addButton = may('money.write') && <Button onClick={() => setDialog({ is: 'add' })}>{t('add')}</Button>
  return (
    <Page
      title={t('title')}
      about={t('about')}
      {...(prices.data?.currency && { facts: t('facts', { currency: prices.data.currency }) })}
      actions={
        <Actions items={items} onImport={() => setDialog({ is: 'import' })}>
          {rows?.length !== 0 && addButton}
        </Actions>
      }
    >
      <ListWithPane
        pane={
          open && (
            <ModelPane
              of={open}
              onAdd={() => setDialog({ is: 'add', of: open })}
              onClose={() => filter({ open: '' })}
            />
          )
        }
      >
        <DataTable<ModelPrices>
          label={t('title')}
          queryKey={['prices', 'rows', may('usage.read')]}
          load={async () => {
            const [{ items: all }, { groups }] = await Promise.all([
              queries.fetchQuery(listed),
              may('usage.read') ? queries.fetchQuery(used) : { groups: [] },
            ])
            return { rows: pricesByModel(all, groups), next: null }
          }}
          refetchMs={refetchMs}
          columns={columns}
          rowKey={({ key }) => key}
          onOpen={({ key }) => filter({ open: key })}
          openKey={open?.key}
          empty={
            <EmptyState icon={Coins} title={t('empty')} actions={addButton}>
              {t('emptyWhy')}
            </EmptyState>
          }
        />
      </ListWithPane>
      <Suspense>
        {dialog?.is === 'add' && (
          <NewPriceDialog currency={prices.data?.currency ?? null} of={dialog.of} onClose={close} />
        )}
        {dialog?.is === 'import' && <ImportDialog onClose={close} />}
      </Suspense>
    </Page>
  )
}

function Actions({ items, onImport, children }: { items: readonly Price[]; onImport(): void; children: ReactNode }) {
  const t = useText(pricesText)
  const { may } = useSession()
  return (
    <>
      {items.length > 0 && (
        <Button
          variant="default"
          leftSection={<Download size={15} aria-hidden />}
          onClick={() =>
            saveFile('prices.json', new Blob([JSON.stringify(exported(items), null, 2)], { type: 'application/json' }))
          }
        >
          {t('exportJson')}
        </Button>
      )}
      {may('money.write') && (
        <Button variant="default" leftSection={<Upload size={15} aria-hidden />} onClick={onImport}>
          {t('importJson')}
        </Button>
      )}
      {children}
    </>
  )
}

function useColumns(): Column<ModelPrices>[] {
  const t = useText(pricesText)
  const language = useLanguage()
  const amount = (unit: Unit, phone: 'aside' | 'line' | 'none' = 'none'): Column<ModelPrices> => ({
    key: unit,
    title: t(unit as 'token_in'),
    width: 'minmax(64px, 90px)',
    isNumber: true,
    phone,
    cell: ({ today }) => (today ? unitPriceText(unit, today, language) : '–'),
  })
  return [
    { key: 'model', title: t('model'), width: 'minmax(120px, 2fr)', isMain: true, cell: ({ model }) => model },
    {
      key: 'endpoint',
      title: t('endpoint'),
      width: 'minmax(70px, 1fr)',
      isExtra: true,
      cell: ({ endpoint }) => endpoint || t('anyEndpoint'),
    },
    amount('token_in', 'aside'),
    amount('token_cached'),
    amount('token_out', 'aside'),
    {
      key: 'others',
      title: t('others'),
      width: 'minmax(80px, 1fr)',
      isExtra: true,
      cell: ({ today }) => (today && unitPricesText(today, otherUnits, t, language)) || '–',
    },
    { key: 'since', title: t('since'), width: 'minmax(90px, 150px)', phone: 'line', cell: (row) => <Since of={row} /> },
    {
      key: 'unpriced',
      title: t('unpriced'),
      width: 'minmax(90px, 130px)',
      isNumber: true,
      phone: 'end',
      cell: ({ unpriced }) => (unpriced === 0 ? '–' : numberText(unpriced, language)),
    },
  ]
}

/** When the price of today began, or that there is none. */
function Since({ of }: { of: ModelPrices }) {
  const t = useText(pricesText)
  if (of.today) return <Time iso={of.today.from} />
  if (lacksPrice(of)) return <State state="degraded">{t('noPrice')}</State>
  if (of.next) return <State state="queued">{t('notYet', { day: of.next.from.slice(0, 10) })}</State>
  return <State state="cancelled">{t('ended')}</State>
}
