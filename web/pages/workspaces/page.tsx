/** Workspaces: the operator's own, to switch, create and rename. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Layers } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { goToWorkspace } from '../../app/go-to-workspace.ts'
import { useSession } from '../../app/session.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { operatorsText } from '../operators/text.ts'
import { NameDialog } from './name-dialog.tsx'
import { workspacesText } from './text.ts'

type Workspace = Answer<'GET /v1/admin/workspaces'>['items'][number]
type OpenDialog = { is: 'make' } | { is: 'made' | 'rename'; workspace: Workspace }

const queryKey = ['workspaces', 'list'] as const

export default function WorkspacesPage() {
  const t = useText(workspacesText)
  const c = useText(sharedText)
  const { session } = useSession()
  const queries = useQueryClient()
  const [dialog, setDialog] = useState<OpenDialog>()
  const close = () => setDialog(undefined)
  const refresh = () => queries.invalidateQueries({ queryKey: ['workspaces'] })
  const [error, setError] = useState<unknown>()
  const columns = useColumns({ onRename: (workspace) => setDialog({ is: 'rename', workspace }), onFailed: setError })
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={session.role === 'owner' && <Button onClick={() => setDialog({ is: 'make' })}>{t('make')}</Button>}
    >
      <ErrorPanel error={error} />
      <DataTable<Workspace>
        label={t('title')}
        queryKey={queryKey}
        load={async (_cursor, signal) => ({
          rows: (await call('GET /v1/admin/workspaces', { signal })).items,
          next: null,
        })}
        columns={columns}
        rowKey={(row) => row.id}
        empty={<EmptyState icon={Layers} title={t('empty')} />}
      />
      {dialog?.is === 'make' && (
        <NameDialog
          title={t('make')}
          why={t('makeWhy')}
          name=""
          actionLabel={c('create')}
          onName={async (name) => {
            setDialog({ is: 'made', workspace: await call('POST /v1/admin/workspaces', { body: { name } }) })
            await refresh()
          }}
          onClose={close}
        />
      )}
      {dialog?.is === 'rename' && (
        <NameDialog
          title={t('renameTitle', { name: dialog.workspace.name })}
          why={t('renameWhy')}
          name={dialog.workspace.name}
          actionLabel={c('rename')}
          onName={async (name) => {
            await call('POST /v1/admin/workspaces/rename', { body: { name } })
            close()
            await refresh()
          }}
          onClose={close}
        />
      )}
      {dialog?.is === 'made' && <WorkspaceCreated workspace={dialog.workspace} onClose={close} />}
    </Page>
  )
}

function WorkspaceCreated({ workspace, onClose }: { workspace: Workspace; onClose(): void }) {
  const t = useText(workspacesText)
  const { error, isBusy, submit } = useSubmit(() => goToWorkspace(workspace.id, '/operators'))
  return (
    <Dialog title={workspace.name} onClose={onClose}>
      <Stack>
        <Text>{t('made', { name: workspace.name })}</Text>
        <ErrorPanel error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('stay')}
          </Button>
          <Button loading={isBusy} onClick={() => submit()} data-autofocus>
            {t('go')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

interface ColumnsOptions {
  onRename(workspace: Workspace): void
  onFailed(error: unknown): void
}

function useColumns({ onRename, onFailed }: ColumnsOptions): Column<Workspace>[] {
  const t = useText(workspacesText)
  const c = useText(sharedText)
  const o = useText(operatorsText)
  return [
    {
      key: 'name',
      title: c('name'),
      width: 'minmax(110px, 2fr)',
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
      width: 'minmax(110px, 150px)',
      phone: 'line',
      cell: (row) => row.is_current && <StatusBadge tone="good">{t('here')}</StatusBadge>,
    },
    {
      key: 'role',
      title: t('role'),
      width: 'minmax(84px, 140px)',
      phone: 'line',
      cell: (row) => (
        <Text span inherit tt="capitalize">
          {o(row.role)}
        </Text>
      ),
    },
    {
      key: 'since',
      title: t('since'),
      width: '130px',
      isNumber: true,
      isExtra: true,
      cell: (row) => <Time iso={row.created_at} />,
    },
    {
      key: 'actions',
      title: c('actions'),
      width: 'minmax(200px, 220px)',
      phone: 'aside',
      cell: (row) => (
        <Group gap="xs" wrap="nowrap">
          {row.is_current ? (
            <Here workspace={row} onRename={onRename} />
          ) : (
            <GoThere workspace={row} onFailed={onFailed} />
          )}
        </Group>
      ),
    },
  ]
}

function Here({ workspace, onRename }: { workspace: Workspace; onRename(workspace: Workspace): void }) {
  const t = useText(workspacesText)
  const c = useText(sharedText)
  const { may } = useSession()
  return (
    <>
      {may('settings.write') && (
        <Button size="xs" variant="default" onClick={() => onRename(workspace)}>
          {c('rename')}
        </Button>
      )}
      <Button size="xs" variant="default" renderRoot={linkTo('/operators')}>
        {t('operators')}
      </Button>
    </>
  )
}

function GoThere({ workspace, onFailed }: { workspace: Workspace; onFailed(error: unknown): void }) {
  const t = useText(workspacesText)
  const { isBusy, submit } = useSubmit(() => goToWorkspace(workspace.id).catch(onFailed))
  return (
    <Button
      size="xs"
      variant="default"
      loading={isBusy}
      aria-label={t('goTo', { name: workspace.name })}
      onClick={() => submit()}
    >
      {t('go')}
    </Button>
  )
}
