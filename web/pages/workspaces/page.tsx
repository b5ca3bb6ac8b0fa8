/** Workspaces: the operator's own, to switch, create and rename. */

import { Button, Group, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { goToWorkspace } from '../../app/go-to-workspace.ts'
import { useSession } from '../../app/session.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel, errorMessage } from '../../parts/error-panel.tsx'
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
  const columns = useColumns((workspace) => setDialog({ is: 'rename', workspace }))
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={session.role === 'owner' && <Button onClick={() => setDialog({ is: 'make' })}>{t('make')}</Button>}
    >
      <DataTable<Workspace>
        label={t('title')}
        queryKey={queryKey}
        load={async (_cursor, signal) => ({
          rows: (await call('GET /v1/admin/workspaces', { signal })).items,
          next: null,
        })}
        columns={columns}
        rowKey={(row) => row.id}
        rowHeight={48}
        empty={t('empty')}
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

function useColumns(onRename: (workspace: Workspace) => void): Column<Workspace>[] {
  const t = useText(workspacesText)
  const c = useText(sharedText)
  const o = useText(operatorsText)
  return [
    {
      key: 'name',
      title: c('name'),
      width: 'minmax(96px, 2fr)',
      cell: (row) => (
        <Group gap="sm">
          <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
            {row.name}
          </Text>
          {row.is_current && <StatusBadge tone="good">{t('here')}</StatusBadge>}
        </Group>
      ),
    },
    {
      key: 'role',
      title: t('role'),
      width: 'minmax(84px, 150px)',
      cell: (row) => <StatusBadge tone="busy">{o(row.role)}</StatusBadge>,
    },
    { key: 'since', title: t('since'), width: '150px', cell: (row) => <Time iso={row.created_at} />, isExtra: true },
    {
      key: 'actions',
      title: c('actions'),
      width: 'minmax(134px, 260px)',
      cell: (row) => (row.is_current ? <Here workspace={row} onRename={onRename} /> : <GoThere workspace={row} />),
    },
  ]
}

function Here({ workspace, onRename }: { workspace: Workspace; onRename(workspace: Workspace): void }) {
  const t = useText(workspacesText)
  const c = useText(sharedText)
  const { may } = useSession()
  return (
    <Group gap={4}>
      {may('settings.write') && (
        <Button size="xs" variant="default" onClick={() => onRename(workspace)}>
          {c('rename')}
        </Button>
      )}
      <Button size="xs" variant="default" renderRoot={linkTo('/operators')}>
        {t('operators')}
      </Button>
    </Group>
  )
}

function GoThere({ workspace }: { workspace: Workspace }) {
  const t = useText(workspacesText)
  const c = useText(sharedText)
  const { error, isBusy, submit } = useSubmit(() => goToWorkspace(workspace.id))
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={isBusy}
        aria-label={t('goTo', { name: workspace.name })}
        onClick={() => submit()}
      >
        {t('go')}
      </Button>
      {error !== undefined && (
        <Text size="sm" c="red" role="alert">
          {errorMessage(error, {}, c)}
        </Text>
      )}
    </>
  )
}
