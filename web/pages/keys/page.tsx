/** API keys of the workspace: created, rotated, revoked, with their last use. */
import { ActionIcon, Button, Group } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Ban, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { OneTimeSecret } from '../../parts/one-time-secret.tsx'
import { Page } from '../../parts/page.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { useCostColumn } from '../analytics/cost-column.tsx'
import { useKeyColumns } from './columns.tsx'
import { type Key, mayRotate, stateOf } from './key.ts'
import { NewKey } from './new-key.tsx'
import { Rotate } from './rotate.tsx'
import { keysText } from './text.ts'

type OpenDialog = { is: 'make' } | { is: 'rotate' | 'revoke'; key: Key } | { is: 'show'; text: string }

export default function KeysPage() {
  const t = useText(keysText)
  const c = useText(sharedText)
  const { may } = useSession()
  const queries = useQueryClient()
  const [dialog, setDialog] = useState<OpenDialog>()
  const columns = [...useKeyColumns(), ...useCostColumn<Key>('key', ({ id }) => id)]
  const actions = useActions(setDialog)
  const close = () => setDialog(undefined)
  const refresh = () => void queries.invalidateQueries({ queryKey: ['keys'] })
  const show = (text: string) => {
    setDialog({ is: 'show', text })
    refresh()
  }
  return (
    <Page
      title={t('title')}
      about={t('about')}
      actions={may('keys.write') && <Button onClick={() => setDialog({ is: 'make' })}>{t('make')}</Button>}
    >
      <DataTable<Key>
        label={t('title')}
        queryKey={['keys']}
        load={async (cursor, signal) => {
          const query = { limit: 50, ...(cursor !== undefined && { cursor }) }
          const page = await call('GET /v1/admin/apikeys', { query, signal })
          return { rows: page.items, next: page.next_cursor }
        }}
        columns={may('keys.write') ? [...columns, actions] : columns}
        rowKey={(row) => row.id}
        rowHeight={48}
        empty={t('empty')}
      />
      {dialog?.is === 'make' && <NewKey onMade={show} onClose={close} />}
      {dialog?.is === 'rotate' && <Rotate of={dialog.key} onMade={show} onClose={close} />}
      {dialog?.is === 'revoke' && (
        <ConfirmAction
          title={t('revokeTitle', { name: dialog.key.name })}
          actionLabel={c('revoke')}
          messages={{ not_found: t('gone') }}
          onConfirm={async () => {
            await call('POST /v1/admin/apikeys/revoke', { body: { id: dialog.key.id } })
            refresh()
            close()
          }}
          onClose={close}
        >
          {t('revokeWhy')}
        </ConfirmAction>
      )}
      {dialog?.is === 'show' && (
        <OneTimeSecret title={t('onceTitle')} why={t('once')} label={t('key')} text={dialog.text} onClose={close} />
      )}
    </Page>
  )
}

function useActions(onDo: (dialog: OpenDialog) => void): Column<Key> {
  const t = useText(keysText)
  const c = useText(sharedText)
  const { session } = useSession()
  return {
    key: 'actions',
    title: c('actions'),
    width: '84px',
    cell: (key) =>
      stateOf(key) === 'active' && (
        <Group gap={6} wrap="nowrap">
          {mayRotate(key, session.role) && (
            <ActionIcon
              variant="default"
              aria-label={t('rotateOf', { name: key.name })}
              title={t('rotate')}
              onClick={() => onDo({ is: 'rotate', key })}
            >
              <RefreshCw size={15} aria-hidden />
            </ActionIcon>
          )}
          <ActionIcon
            variant="default"
            aria-label={t('revokeOf', { name: key.name })}
            title={c('revoke')}
            onClick={() => onDo({ is: 'revoke', key })}
          >
            <Ban size={15} aria-hidden />
          </ActionIcon>
        </Group>
      ),
  }
}
