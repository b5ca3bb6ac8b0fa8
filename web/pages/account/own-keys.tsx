/** The operator's personal keys, for chat clients that act as the operator. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { FormButtons } from '../../parts/form-buttons.tsx'
import { LoadMore } from '../../parts/load-more.tsx'
import { OneTimeSecret } from '../../parts/one-time-secret.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { type Key, stateOf } from '../keys/key.ts'
import { KeyError } from '../keys/key-error.tsx'
import { KeyStateBadge } from '../keys/key-state-badge.tsx'
import { LimitsFields, limitsBody, noLimits } from '../keys/limits.tsx'
import { keysText } from '../keys/text.ts'
import { Section } from './section.tsx'
import { accountText } from './text.ts'

type OpenDialog = { is: 'make' } | { is: 'revoke'; key: Key } | { is: 'show'; text: string }

export function OwnKeys() {
  const t = useText(accountText)
  const k = useText(keysText)
  const c = useText(sharedText)
  const queries = useQueryClient()
  const [dialog, setDialog] = useState<OpenDialog>()
  const list = useInfiniteQuery({
    queryKey: ['account', 'keys'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      call('GET /v1/admin/own-keys', {
        query: { limit: 20, ...(pageParam !== undefined && { cursor: pageParam }) },
        signal,
      }),
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
  const keys = list.data?.pages.flatMap((page) => page.items) ?? []
  const refresh = () => void queries.invalidateQueries({ queryKey: ['account', 'keys'] })
  const close = () => setDialog(undefined)
  return (
    <Section
      title={t('keys')}
      about={t('keysWhy')}
      actions={
        <Button size="xs" variant="default" onClick={() => setDialog({ is: 'make' })}>
          {t('keyMake')}
        </Button>
      }
    >
      <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
      {list.isSuccess && keys.length === 0 && <Text c="dimmed">{t('keysNone')}</Text>}
      {keys.map((key) => (
        <KeyLine key={key.id} of={key} onRevoke={() => setDialog({ is: 'revoke', key })} />
      ))}
      <LoadMore list={list} />
      {dialog?.is === 'make' && (
        <NewOwnKey
          onMade={(text) => {
            setDialog({ is: 'show', text })
            refresh()
          }}
          onClose={close}
        />
      )}
      {dialog?.is === 'revoke' && (
        <ConfirmAction
          title={k('revokeTitle', { name: dialog.key.name })}
          actionLabel={c('revoke')}
          messages={{ not_found: k('gone') }}
          onConfirm={async () => {
            await call('POST /v1/admin/own-keys/revoke', { body: { id: dialog.key.id } })
            refresh()
            close()
          }}
          onClose={close}
        >
          {k('revokeWhy')}
        </ConfirmAction>
      )}
      {dialog?.is === 'show' && (
        <OneTimeSecret title={k('onceTitle')} why={k('once')} label={k('key')} text={dialog.text} onClose={close} />
      )}
    </Section>
  )
}

function KeyLine({ of, onRevoke }: { of: Key; onRevoke(): void }) {
  const t = useText(keysText)
  const c = useText(sharedText)
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Group gap="sm">
          <Text>{of.name}</Text>
          <KeyStateBadge of={of} />
        </Group>
        <Text size="sm" c="dimmed" component="div">
          {of.hint} · {t('lastUse')}: <Time iso={of.used_at} never={t('unused')} /> · {t('expiry')}:{' '}
          <Time iso={of.expires_at} never={t('never')} />
        </Text>
      </div>
      {stateOf(of) === 'active' && (
        <Button
          flex="none"
          size="xs"
          variant="default"
          aria-label={t('revokeOf', { name: of.name })}
          onClick={onRevoke}
        >
          {c('revoke')}
        </Button>
      )}
    </Group>
  )
}

function NewOwnKey({ onMade, onClose }: { onMade(text: string): void; onClose(): void }) {
  const t = useText(accountText)
  const c = useText(sharedText)
  const [limits, setLimits] = useState(noLimits)
  const { error, isBusy, submit } = useSubmit(async () => {
    onMade((await call('POST /v1/admin/own-keys', { body: limitsBody(limits) })).key)
  })
  return (
    <Dialog title={t('keyMake')} onClose={onClose} isFirm>
      <form onSubmit={submit}>
        <Stack>
          <LimitsFields limits={limits} onChange={(change) => setLimits((before) => ({ ...before, ...change }))} />
          <KeyError error={error} messages={{ personal_keys_off: t('keysOff'), too_many_keys: t('keysFull') }} />
          <FormButtons action={c('create')} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}
