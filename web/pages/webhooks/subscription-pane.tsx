/** One subscription: where it leads and with what success, a test, a new secret, a pause, and what was sent last. */
import { Anchor, Button, Group } from '@mantine/core'
import { KeyRound, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { Banner } from '../../parts/banner.tsx'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { DetailPane } from '../../parts/detail-pane.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { KeyValue } from '../../parts/key-value.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { MoreMenu } from '../../parts/more-menu.tsx'
import { State } from '../../parts/state.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { durationText, Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useLanguage, useText } from '../../text/text.ts'
import { kindsText } from './kinds-text.ts'
import { Notices } from './notices.tsx'
import { kindText, type Subscription, stateNames, stateOf } from './subscription.ts'
import { webhooksText } from './text.ts'

interface SubscriptionPaneProps {
  of: Subscription
  /** Why posts to its address would be refused; null: they would not, or that is not known. */
  warning: string | null
  refresh(): Promise<void>
  onChange(): void
  onSecret(secret: string): void
  onClose(): void
}

export function SubscriptionPane({ of, warning, refresh, onChange, onSecret, onClose }: SubscriptionPaneProps) {
  const t = useText(webhooksText)
  const k = useText(kindsText)
  const { may } = useSession()
  const { quiet_hours: quiet, outbox } = of
  return (
    <DetailPane title={of.name} label={t('pane', { name: of.name })} onClose={onClose}>
      {warning !== null && (
        <Banner
          tone="warn"
          title={t('notCalled')}
          actions={
            may('settings.read') && (
              <Anchor renderRoot={linkTo('/settings', { q: 'SERVICE_OUTGOING_ALLOWLIST' })}>{t('toAllowlist')}</Anchor>
            )
          }
        >
          {warning}
        </Banner>
      )}
      <KeyValue
        isLeft
        rows={[
          [
            t('state'),
            <State key="state" state={stateNames[stateOf(of)]}>
              {t(stateOf(of))}
            </State>,
          ],
          [t(of.kind), of.target],
          [t('kinds'), of.event_kinds.map((kind) => kindText(kind, k)).join(', ')],
          [t('quiet'), quiet ? t('quietText', { from: quiet.from, to: quiet.to, zone: quiet.time_zone }) : t('none')],
          [t('waiting'), outbox.pending || '–'],
          [t('lastDelivered'), <Time key="delivered" iso={outbox.last_delivered_at} />],
          ...(outbox.last_error === null ? [] : [[t('lastError'), outbox.last_error] as const]),
          [
            t('created'),
            <span key="created">
              <Time iso={of.created_at} /> · {of.created_by}
            </span>,
          ],
        ]}
      />
      {may('webhooks.write') && <Actions of={of} refresh={refresh} onChange={onChange} onSecret={onSecret} />}
      <Notices of={of} />
    </DetailPane>
  )
}

function Actions({ of, refresh, onChange, onSecret }: Omit<SubscriptionPaneProps, 'onClose' | 'warning'>) {
  const t = useText(webhooksText)
  const c = useText(sharedText)
  const language = useLanguage()
  const [asking, setAsking] = useState<'secret' | 'delete'>()
  const [result, setResult] = useState<{ is_ok: boolean; words: string; duration_ms: number }>()
  const body = { subscription_id: of.id }
  const test = useSubmit(async () => {
    setResult(undefined)
    setResult(await call('POST /v1/admin/subscriptions/test', { body }))
    await refresh()
  })
  const turn = async (isOn: boolean): Promise<void> => {
    await call('POST /v1/admin/subscriptions/update', { body: { ...body, is_enabled: isOn } })
    await refresh()
  }
  const pause = useSubmit(async () => {
    await turn(!of.is_enabled)
    toast({ title: t(of.is_enabled ? 'pausedNow' : 'resumedNow', { name: of.name }) })
  })
  const close = () => setAsking(undefined)
  return (
    <>
      <Group gap="sm">
        <Button variant="default" loading={test.isBusy} onClick={() => test.submit()}>
          {t('test')}
        </Button>
        <Button variant="default" onClick={onChange}>
          {t('change')}
        </Button>
        <Button variant="default" loading={pause.isBusy} onClick={() => pause.submit()}>
          {t(of.is_enabled ? 'pause' : 'resume')}
        </Button>
        <MoreMenu
          label={c('actions')}
          actions={[
            ...(of.has_secret ? [{ label: t('secret'), icon: KeyRound, onClick: () => setAsking('secret') }] : []),
            { label: t('delete'), icon: Trash2, isDangerous: true, onClick: () => setAsking('delete') },
          ]}
        />
      </Group>
      <ErrorPanel error={test.error ?? pause.error} />
      {result && (
        <Banner
          tone={result.is_ok ? 'ok' : 'bad'}
          role="status"
          title={`${t(result.is_ok ? 'testOk' : 'testFailed')}, ${durationText(result.duration_ms, language)}`}
        >
          {result.words}
        </Banner>
      )}
      {asking === 'secret' && (
        <ConfirmAction
          title={t('secretTitle', { name: of.name })}
          actionLabel={t('secretMake')}
          onConfirm={async () => {
            const { signing_secret: secret } = await call('POST /v1/admin/subscriptions/secret', { body })
            close()
            onSecret(secret)
          }}
          onClose={close}
        >
          {t('secretWhy')}
        </ConfirmAction>
      )}
      {asking === 'delete' && (
        <ConfirmAction
          title={t('deleteTitle', { name: of.name })}
          actionLabel={t('delete')}
          onConfirm={async () => {
            await call('POST /v1/admin/subscriptions/delete', { body })
            close()
            await refresh()
          }}
          onClose={close}
        >
          {t('deleteWhy', { n: of.outbox.pending })}
        </ConfirmAction>
      )}
    </>
  )
}
