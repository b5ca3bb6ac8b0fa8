/** The bindings of a channel: senders who may write, with their roles. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { Card } from '../../parts/card.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { LoadMore } from '../../parts/load-more.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Time } from '../../parts/time.tsx'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { Words } from '../../parts/words.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { channelText } from './text.ts'

type Binding = Answer<'GET /v1/admin/channels/{name}/bindings'>['items'][number]

export function Bindings({ name }: { name: string }) {
  const t = useText(channelText)
  const c = useText(sharedText)
  const isWriter = useSession().may('channels.write')
  const [bindingToRemove, setBindingToRemove] = useState<Binding>()
  const list = useInfiniteQuery({
    queryKey: ['bindings', name],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: 50, ...(pageParam !== undefined && { cursor: pageParam }) }
      return call('GET /v1/admin/channels/{name}/bindings', { params: { name }, query, signal })
    },
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
  const rows = list.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <Card title={t('bindings')}>
      <Stack gap="sm">
        <Text c="dimmed">{list.isSuccess && rows.length === 0 ? t('noBindings') : t('bindingsWhy')}</Text>
        <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
        {rows.length > 0 && (
          <SmallTable label={t('bindings')}>
            <thead>
              <tr>
                <th>{t('sender')}</th>
                <th>{t('role')}</th>
                <th data-extra>{t('since')}</th>
                {isWriter && <th>{c('actions')}</th>}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.external_id}>
                  <td>
                    <Words>{row.external_id}</Words>
                    {row.name !== null && (
                      <>
                        {' · '}
                        <Words>{row.name}</Words>
                      </>
                    )}
                  </td>
                  <td>
                    <Words>{row.role}</Words>
                  </td>
                  <td data-extra>
                    <Time iso={row.created_at} />
                  </td>
                  {isWriter && (
                    <td>
                      <Button
                        size="xs"
                        variant="default"
                        aria-label={t('unbind', { sender: row.external_id })}
                        onClick={() => setBindingToRemove(row)}
                      >
                        {c('remove')}
                      </Button>
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </SmallTable>
        )}
        <LoadMore list={list} />
        {isWriter && <Bind name={name} />}
        {bindingToRemove && (
          <Unbind name={name} binding={bindingToRemove} onClose={() => setBindingToRemove(undefined)} />
        )}
      </Stack>
    </Card>
  )
}

function Bind({ name }: { name: string }) {
  const t = useText(channelText)
  const queries = useQueryClient()
  const [sender, setSender] = useState('')
  const [role, setRole] = useState('user')
  const [person, setPerson] = useState('')
  useLeaveGuard(sender !== '' || person !== '')
  const { error, isBusy, submit } = useSubmit(async () => {
    const body = { external_id: sender.trim(), role: role.trim(), name: person.trim() || null }
    await call('POST /v1/admin/channels/{name}/bindings', { params: { name }, body })
    setSender('')
    setPerson('')
    await queries.invalidateQueries({ queryKey: ['bindings', name] })
  })
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t('sender')}
            required
            maxLength={255}
            value={sender}
            onChange={(event) => setSender(event.currentTarget.value)}
          />
          <TextInput
            label={t('role')}
            required
            maxLength={64}
            w={120}
            value={role}
            onChange={(event) => setRole(event.currentTarget.value)}
          />
          <TextInput
            label={t('person')}
            maxLength={255}
            value={person}
            onChange={(event) => setPerson(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={isBusy}>
            {t('addBinding')}
          </Button>
        </Group>
        <ErrorPanel error={error} />
      </Stack>
    </form>
  )
}

function Unbind({ name, binding, onClose }: { name: string; binding: Binding; onClose(): void }) {
  const t = useText(channelText)
  const c = useText(sharedText)
  const queries = useQueryClient()
  const sender = binding.external_id
  async function unbind(): Promise<void> {
    const params = { name, external_id: sender }
    await call('DELETE /v1/admin/channels/{name}/bindings/{external_id}', { params })
    await queries.invalidateQueries({ queryKey: ['bindings', name] })
    onClose()
  }
  return (
    <ConfirmAction title={t('unbind', { sender })} actionLabel={c('remove')} onConfirm={unbind} onClose={onClose}>
      {t('unbindSure', { sender })}
    </ConfirmAction>
  )
}
