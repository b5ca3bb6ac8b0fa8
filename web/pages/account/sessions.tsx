/** The operator's sessions, with the current one marked; the others can be ended. */
import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Time } from '../../parts/time.tsx'
import { useText } from '../../text/text.ts'
import { browserOf } from './browser-name.ts'
import { Section } from './section.tsx'
import { accountText } from './text.ts'

type SessionItem = Answer<'GET /v1/admin/auth/sessions'>['items'][number]

const proofTexts = {
  password: 'proofPassword',
  totp: 'proofTotp',
  recovery_code: 'proofRecovery',
  passkey: 'proofPasskey',
} as const

export function Sessions() {
  const t = useText(accountText)
  const [isEnding, setEnding] = useState(false)
  const list = useQuery({
    queryKey: ['account', 'sessions'],
    queryFn: ({ signal }) => call('GET /v1/admin/auth/sessions', { signal }),
  })
  const items = list.data?.items ?? []
  return (
    <Section
      title={t('sessions')}
      actions={
        items.length > 1 && (
          <Button size="xs" variant="default" onClick={() => setEnding(true)}>
            {t('endOthers')}
          </Button>
        )
      }
    >
      <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
      {items.map((session) => (
        <SessionLine key={session.id} session={session} onEnded={() => void list.refetch()} />
      ))}
      {isEnding && (
        <ConfirmAction
          title={t('endOthersTitle')}
          actionLabel={t('endOthers')}
          onConfirm={async () => {
            await call('POST /v1/admin/auth/sessions/revoke', { body: { all_others: true } })
            setEnding(false)
            void list.refetch()
          }}
          onClose={() => setEnding(false)}
        >
          {t('endOthersWhy')}
        </ConfirmAction>
      )}
    </Section>
  )
}

function SessionLine({ session, onEnded }: { session: SessionItem; onEnded(): void }) {
  const t = useText(accountText)
  const { signOut } = useSession()
  const name = browserOf(session.user_agent) || t('unknownBrowser')
  const { error, isBusy, submit } = useSubmit(async () => {
    if (session.is_current) return await signOut()
    await call('POST /v1/admin/auth/sessions/revoke', { body: { id: session.id } })
    onEnded()
  })
  return (
    <Stack gap={4}>
      <Group justify="space-between" wrap="nowrap">
        <div>
          <Group gap="sm">
            <Text title={session.user_agent}>
              {name} {t('sessionFrom', { ip: session.ip })}
            </Text>
            {session.is_current && <StatusBadge tone="good">{t('thisOne')}</StatusBadge>}
          </Group>
          <Text size="sm" c="dimmed" component="div">
            {t('sessionSeen')} <Time iso={session.seen_at} /> · {t('sessionBegun')} <Time iso={session.created_at} /> ·{' '}
            {t('sessionEnds')} <Time iso={session.expires_at} /> ·{' '}
            {session.proofs.map((proof) => t(proofTexts[proof])).join(' + ')}
          </Text>
        </div>
        <Button
          flex="none"
          size="xs"
          variant="default"
          loading={isBusy}
          aria-label={t('endSessionOf', { name })}
          onClick={() => submit()}
        >
          {t('endSession')}
        </Button>
      </Group>
      <ErrorPanel error={error} />
    </Stack>
  )
}
