/** The second factors: an authenticator app, passkeys, and recovery codes for when neither is at hand. */

import { Button, Divider, Group, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { Banner } from '../../parts/banner.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { OneTimeSecret } from '../../parts/one-time-secret.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { Passkeys } from './passkeys.tsx'
import { Section } from './section.tsx'
import { accountText } from './text.ts'
import { SetUpTotp } from './totp.tsx'

type Factors = Answer<'GET /v1/admin/auth/factors'>
type OpenDialog = { is: 'setUp' | 'removeApp' | 'freshCodes' } | { is: 'codes'; codes: string[] }

export function FactorsSection({ factors }: { factors: Factors }) {
  const t = useText(accountText)
  const c = useText(sharedText)
  const { session, signedIn } = useSession()
  const queries = useQueryClient()
  const [dialog, setDialog] = useState<OpenDialog>()
  const close = () => setDialog(undefined)
  // The session says whether a second factor is still required.
  const sessionRefresh = useSubmit(async () => signedIn(await call('GET /v1/admin/auth/session', {})))
  const changed = () => {
    void queries.invalidateQueries({ queryKey: ['account'] })
    if (session.second_factor_wanted) sessionRefresh.submit()
  }
  const showCodes = (codes: string[]) => {
    setDialog({ is: 'codes', codes })
    changed()
  }
  const hasFactor = factors.totp_since !== null || factors.passkeys > 0
  return (
    <Section title={t('factors')} about={t('factorsWhy')}>
      {session.second_factor_wanted && <Banner tone="warn">{t('factorsWanted')}</Banner>}
      <ErrorPanel error={sessionRefresh.error} onRetry={() => sessionRefresh.submit()} />
      <AppLine factors={factors} onDo={(is) => setDialog({ is })} />
      <Divider />
      <Passkeys onCodes={showCodes} onChanged={changed} />
      <Divider />
      <Line
        title={t('recovery')}
        state={hasFactor ? t('recoveryLeft', { n: factors.recovery_codes_left }) : t('recoveryNone')}
      >
        {hasFactor && (
          <Button size="xs" variant="default" onClick={() => setDialog({ is: 'freshCodes' })}>
            {t('recoveryFresh')}
          </Button>
        )}
      </Line>
      {dialog?.is === 'setUp' && <SetUpTotp onCodes={showCodes} onClose={close} />}
      {dialog?.is === 'removeApp' && (
        <ConfirmAction
          title={t('removeAppTitle')}
          actionLabel={c('remove')}
          onConfirm={async () => {
            await call('POST /v1/admin/auth/totp/remove', {})
            close()
            changed()
          }}
          onClose={close}
        >
          {t('removeFactorWhy')}
        </ConfirmAction>
      )}
      {dialog?.is === 'freshCodes' && (
        <ConfirmAction
          title={t('recoveryFreshTitle')}
          actionLabel={t('recoveryFresh')}
          isDangerous={false}
          onConfirm={async () => showCodes((await call('POST /v1/admin/auth/recovery-codes', {})).recovery_codes)}
          onClose={close}
        >
          {t('recoveryFreshWhy')}
        </ConfirmAction>
      )}
      {dialog?.is === 'codes' && (
        <OneTimeSecret
          title={t('recovery')}
          why={t('recoveryOnce')}
          label={t('recovery')}
          text={dialog.codes.join('\n')}
          fileName="recovery-codes.txt"
          onClose={close}
        />
      )}
    </Section>
  )
}

function AppLine({ factors, onDo }: { factors: Factors; onDo(is: 'setUp' | 'removeApp'): void }) {
  const t = useText(accountText)
  const c = useText(sharedText)
  const since = factors.totp_since
  const state =
    since === null ? (
      t('appOff')
    ) : (
      <>
        {t('appOn')}: <Time iso={since} />
      </>
    )
  return (
    <Line title={t('app')} state={state}>
      <Button size="xs" variant="default" onClick={() => onDo(since === null ? 'setUp' : 'removeApp')}>
        {since === null ? t('setUp') : c('remove')}
      </Button>
    </Line>
  )
}

function Line({ title, state, children }: { title: string; state: ReactNode; children: ReactNode }) {
  return (
    <Group justify="space-between" gap="sm">
      <div>
        <Text fw={600}>{title}</Text>
        <Text c="dimmed" component="div">
          {state}
        </Text>
      </div>
      {children}
    </Group>
  )
}
