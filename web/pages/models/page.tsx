/** Models: the endpoints in the order in which they are asked, to add, change, order and remove. */
import { ActionIcon, Anchor, Button, Group, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ArrowDown, ArrowUp, Boxes, type LucideIcon, Pencil, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { linkTo, targetOf } from '../../parts/link-to.tsx'
import { MoreMenu } from '../../parts/more-menu.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import type { Endpoint } from './endpoint.ts'
import { modelsText } from './text.ts'

/** Loaded when the first one is opened. */
const EndpointDialog = lazy(() => import('./endpoint-dialog.tsx').then((all) => ({ default: all.EndpointDialog })))

type OpenDialog = { is: 'add' } | { is: 'edit' | 'remove'; endpoint: Endpoint }

const queryKey = ['models', 'endpoints'] as const

export default function ModelsPage() {
  const t = useText(modelsText)
  const c = useText(sharedText)
  const { may } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<OpenDialog>()
  const close = () => setDialog(undefined)
  const refresh = () => queries.invalidateQueries({ queryKey: ['models'] })
  const load = (signal: AbortSignal) => call('GET /v1/admin/models/endpoints', { signal })
  const all = useQuery({ queryKey: ['models', 'all'], queryFn: ({ signal }) => load(signal) })
  const names = all.data?.items.filter((row) => !row.is_default).map(({ name }) => name) ?? []
  const [error, setError] = useState<unknown>()
  const move = async (order: string[]) => {
    setError(undefined)
    await call('POST /v1/admin/models/endpoints/order', { body: { names: order } }).catch(setError)
    await refresh()
  }
  const columns = useColumns({ names, move, open: setDialog })
  const add = may('models.write') && <Button onClick={() => setDialog({ is: 'add' })}>{t('add')}</Button>
  return (
    <Page title={t('title')} about={t('about')} actions={add}>
      {all.data && <Text c="dimmed">{t('fallbacks', { list: all.data.fallbacks || t('noFallbacks') })}</Text>}
      <ErrorPanel error={error} />
      <DataTable<Endpoint>
        label={t('title')}
        queryKey={queryKey}
        load={async (_cursor, signal) => ({ rows: (await load(signal)).items, next: null })}
        columns={columns}
        rowKey={(row) => row.name}
        {...(may('models.write') && {
          onOpen: (endpoint: Endpoint) =>
            endpoint.is_default ? void navigate(targetOf('/settings')) : setDialog({ is: 'edit', endpoint }),
        })}
        empty={<EmptyState icon={Boxes} title={t('empty')} />}
      />
      {dialog && dialog.is !== 'remove' && (
        <Suspense>
          <EndpointDialog
            {...(dialog.is === 'edit' && { endpoint: dialog.endpoint })}
            onSaved={async () => {
              close()
              await refresh()
            }}
            onClose={close}
          />
        </Suspense>
      )}
      {dialog?.is === 'remove' && (
        <ConfirmAction
          title={t('removeTitle', { name: dialog.endpoint.name })}
          actionLabel={c('remove')}
          onConfirm={async () => {
            await call('POST /v1/admin/models/endpoints/remove', { body: { name: dialog.endpoint.name } })
            close()
            await refresh()
          }}
          onClose={close}
        >
          {t('removeWhy')}
        </ConfirmAction>
      )}
    </Page>
  )
}

interface ColumnsOf {
  /** Of those that can be ordered, in their order. */
  names: readonly string[]
  move(order: string[]): Promise<void>
  open(dialog: OpenDialog): void
}

function useColumns({ names, move, open }: ColumnsOf): Column<Endpoint>[] {
  const t = useText(modelsText)
  const c = useText(sharedText)
  return [
    {
      key: 'name',
      title: c('name'),
      width: 'minmax(110px, 1fr)',
      isMain: true,
      phone: 'title',
      cell: (row) => (
        <Text span inherit fw={500} title={row.name}>
          {row.name}
        </Text>
      ),
    },
    {
      key: 'state',
      title: c('status'),
      width: 'minmax(110px, 130px)',
      phone: 'line',
      cell: ({ enabled }) => <StatusBadge tone={enabled ? 'good' : 'quiet'}>{t(enabled ? 'on' : 'off')}</StatusBadge>,
    },
    {
      key: 'address',
      title: t('address'),
      width: 'minmax(140px, 2fr)',
      isExtra: true,
      cell: (row) => <span title={row.url}>{row.url || '–'}</span>,
    },
    {
      key: 'models',
      title: t('models'),
      width: 'minmax(110px, 1.5fr)',
      phone: 'line',
      cell: (row) => <ModelNames of={row} />,
    },
    {
      key: 'key',
      title: t('key'),
      width: '60px',
      cell: (row) => (row.has_key ? t('hasKey') : t('noKey')),
      isExtra: true,
    },
    {
      key: 'actions',
      title: c('actions'),
      width: '100px',
      phone: 'aside',
      cell: (row) => <Actions endpoint={row} names={names} move={move} open={open} />,
    },
  ]
}

function ModelNames({ of: { models } }: { of: Endpoint }) {
  const t = useText(modelsText)
  const [first, ...others] = models
  const text = first === undefined ? t('anyName') : others.length === 0 ? first : t('more', { first, n: others.length })
  return <span title={models.slice(0, 50).join('\n')}>{text}</span>
}

function Actions({ endpoint, names, move, open }: ColumnsOf & { endpoint: Endpoint }) {
  const t = useText(modelsText)
  const c = useText(sharedText)
  const { may } = useSession()
  const { name } = endpoint
  if (endpoint.is_default) return <Anchor renderRoot={linkTo('/settings')}>{t('toSettings')}</Anchor>
  if (!may('models.write')) return null
  return (
    <Group gap="xs" wrap="nowrap">
      <Move label={t('up', { name })} order={moved(names, name, -1)} move={move} icon={ArrowUp} />
      <Move label={t('down', { name })} order={moved(names, name, 1)} move={move} icon={ArrowDown} />
      <MoreMenu
        isSmall
        label={t('actionsOf', { name })}
        actions={[
          { label: t('change'), icon: Pencil, onClick: () => open({ is: 'edit', endpoint }) },
          { label: c('remove'), icon: Trash2, isDangerous: true, onClick: () => open({ is: 'remove', endpoint }) },
        ]}
      />
    </Group>
  )
}

/** @returns undefined at the end of the list */
function moved(names: readonly string[], name: string, by: -1 | 1): string[] | undefined {
  const from = names.indexOf(name)
  const to = from + by
  if (from < 0 || to < 0 || to >= names.length) return undefined
  return names.toSpliced(from, 1).toSpliced(to, 0, name)
}

interface MoveProps {
  label: string
  order: string[] | undefined
  move: ColumnsOf['move']
  icon: LucideIcon
}

function Move({ label, order, move, icon: Icon }: MoveProps) {
  const { isBusy, submit } = useSubmit(() => move(order ?? []))
  return (
    <ActionIcon size={24} aria-label={label} loading={isBusy} disabled={!order} onClick={() => submit()}>
      <Icon size={14} aria-hidden />
    </ActionIcon>
  )
}
