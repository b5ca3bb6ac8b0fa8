/** Models: the endpoints in the order in which they are asked, to add, change, order and remove. */
import { ActionIcon, Button, Group, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { errorMessage } from '../../parts/error-panel.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import type { Endpoint } from './endpoint.ts'
import { EndpointDialog } from './endpoint-dialog.tsx'
import { modelsText } from './text.ts'

type OpenDialog = { is: 'add' } | { is: 'edit' | 'remove'; endpoint: Endpoint }

const queryKey = ['models', 'endpoints'] as const

export default function ModelsPage() {
  const t = useText(modelsText)
  const c = useText(sharedText)
  const { may } = useSession()
  const queries = useQueryClient()
  const [dialog, setDialog] = useState<OpenDialog>()
  const close = () => setDialog(undefined)
  const refresh = () => queries.invalidateQueries({ queryKey: ['models'] })
  const load = (signal: AbortSignal) => call('GET /v1/admin/models/endpoints', { signal })
  const all = useQuery({ queryKey: ['models', 'all'], queryFn: ({ signal }) => load(signal) })
  const names = all.data?.items.filter((row) => !row.is_default).map(({ name }) => name) ?? []
  const columns = useColumns({ names, refresh, open: setDialog })
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={may('models.write') && <Button onClick={() => setDialog({ is: 'add' })}>{t('add')}</Button>}
    >
      {all.data && <Text c="dimmed">{t('fallbacks', { list: all.data.fallbacks || t('noFallbacks') })}</Text>}
      <DataTable<Endpoint>
        label={t('title')}
        queryKey={queryKey}
        load={async (_cursor, signal) => ({ rows: (await load(signal)).items, next: null })}
        columns={columns}
        rowKey={(row) => row.name}
        rowHeight={48}
        empty={t('empty')}
      />
      {dialog && dialog.is !== 'remove' && (
        <EndpointDialog
          {...(dialog.is === 'edit' && { endpoint: dialog.endpoint })}
          onSaved={async () => {
            close()
            await refresh()
          }}
          onClose={close}
        />
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
  refresh(): Promise<void>
  open(dialog: OpenDialog): void
}

function useColumns({ names, refresh, open }: ColumnsOf): Column<Endpoint>[] {
  const t = useText(modelsText)
  const c = useText(sharedText)
  return [
    {
      key: 'name',
      title: c('name'),
      width: 'minmax(110px, 1fr)',
      cell: (row) => (
        <Group gap="sm">
          <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
            {row.name}
          </Text>
          {!row.enabled && <StatusBadge tone="quiet">{t('off')}</StatusBadge>}
        </Group>
      ),
    },
    {
      key: 'address',
      title: t('address'),
      width: 'minmax(140px, 2fr)',
      cell: (row) => <Text style={{ overflowWrap: 'anywhere' }}>{row.url || '–'}</Text>,
    },
    { key: 'models', title: t('models'), width: 'minmax(110px, 1.5fr)', cell: (row) => <ModelNames of={row} /> },
    {
      key: 'key',
      title: t('key'),
      width: '84px',
      cell: (row) => (row.has_key ? t('hasKey') : t('noKey')),
      isExtra: true,
    },
    {
      key: 'actions',
      title: c('actions'),
      width: 'minmax(150px, 250px)',
      cell: (row) => <Actions endpoint={row} names={names} refresh={refresh} open={open} />,
    },
  ]
}

function ModelNames({ of: { models } }: { of: Endpoint }) {
  const t = useText(modelsText)
  const [first, ...others] = models
  const text = first === undefined ? t('anyName') : others.length === 0 ? first : t('more', { first, n: others.length })
  return (
    <Text title={models.slice(0, 50).join('\n')} style={{ overflowWrap: 'anywhere' }}>
      {text}
    </Text>
  )
}

function Actions({ endpoint, names, refresh, open }: ColumnsOf & { endpoint: Endpoint }) {
  const t = useText(modelsText)
  const c = useText(sharedText)
  const { may } = useSession()
  const { name } = endpoint
  if (endpoint.is_default)
    return (
      <Button size="xs" variant="default" renderRoot={linkTo('/settings')}>
        {t('toSettings')}
      </Button>
    )
  if (!may('models.write')) return null
  return (
    <Group gap={4}>
      <Move label={t('up', { name })} order={moved(names, name, -1)} refresh={refresh}>
        <ArrowUp size={14} aria-hidden />
      </Move>
      <Move label={t('down', { name })} order={moved(names, name, 1)} refresh={refresh}>
        <ArrowDown size={14} aria-hidden />
      </Move>
      <Button size="xs" variant="default" onClick={() => open({ is: 'edit', endpoint })}>
        {t('change')}
      </Button>
      <Button size="xs" variant="default" onClick={() => open({ is: 'remove', endpoint })}>
        {c('remove')}
      </Button>
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
  refresh(): Promise<void>
  children: ReactNode
}

function Move({ label, order, refresh, children }: MoveProps) {
  const c = useText(sharedText)
  const { error, isBusy, submit } = useSubmit(async () => {
    await call('POST /v1/admin/models/endpoints/order', { body: { names: order ?? [] } })
    await refresh()
  })
  return (
    <>
      <ActionIcon
        size="sm"
        variant="default"
        aria-label={label}
        loading={isBusy}
        disabled={!order}
        onClick={() => submit()}
      >
        {children}
      </ActionIcon>
      {error !== undefined && (
        <Text size="sm" c="red" role="alert">
          {errorMessage(error, {}, c)}
        </Text>
      )}
    </>
  )
}
