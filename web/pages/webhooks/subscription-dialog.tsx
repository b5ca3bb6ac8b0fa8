/** The form of a subscription: where to, what of, and when not. What is refused is said at its field. */
import { Button, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { Banner } from '../../parts/banner.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { fieldRefusals } from '../../parts/field-refusal.ts'
import { FormButtons } from '../../parts/form-buttons.tsx'
import { linkTo } from '../../parts/link-to.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { KindsField } from './kinds-field.tsx'
import { QuietField } from './quiet-field.tsx'
import type { EventKind, Subscription } from './subscription.ts'
import { webhooksText } from './text.ts'

interface SubscriptionDialogProps {
  /** Undefined: a new one. Webhook or mail stays. */
  subscription: Subscription | undefined
  eventKinds: readonly string[]
  /** The channel that sends mails; null: none is sent. */
  mailChannel: string | null
  onSaved(saved: { id: string; name: string; secret: string | null; warning: string | null }): Promise<void>
  onClose(): void
}

const params = { name: 'name', target: 'target', kinds: 'event_kinds', quiet: 'quiet_hours' } as const

export default function SubscriptionDialog(props: SubscriptionDialogProps) {
  const { subscription, eventKinds, mailChannel, onSaved, onClose } = props
  const t = useText(webhooksText)
  const c = useText(sharedText)
  const { may } = useSession()
  const [fields, setFields] = useState(() => fieldsOf(subscription))
  const [isTried, setTried] = useState(false)
  const change = (changed: Partial<typeof fields>) => setFields((before) => ({ ...before, ...changed }))
  const { error, isBusy, submit } = useSubmit(async () => {
    setTried(true)
    if (fields.kinds.length === 0) return
    const { kind, kinds, quiet, ...texts } = fields
    const body = {
      ...{ name: texts.name.trim(), target: texts.target.trim() },
      event_kinds: kinds as EventKind[],
      quiet_hours: quiet,
    }
    if (subscription) {
      const changed = { subscription_id: subscription.id, ...body }
      const { id, name, target_warning: warning } = await call('POST /v1/admin/subscriptions/update', { body: changed })
      return await onSaved({ id, name, secret: null, warning })
    }
    const made = await call('POST /v1/admin/subscriptions', { body: { kind, ...body } })
    await onSaved({ id: made.id, name: made.name, secret: made.signing_secret, warning: made.target_warning })
  })
  const { at, rest } = fieldRefusals(error, params)
  const isMail = fields.kind === 'mail'
  return (
    <Dialog title={subscription ? t('changeOf', { name: subscription.name }) : t('add')} onClose={onClose} isFirm>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={c('name')}
            description={t('nameHint')}
            required
            maxLength={100}
            autoComplete="off"
            data-autofocus
            error={at.name}
            value={fields.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          {!subscription && (
            <NativeSelect
              label={t('kind')}
              value={fields.kind}
              data={(['webhook', 'mail'] as const).map((value) => ({ value, label: t(value) }))}
              onChange={(event) => change({ kind: event.currentTarget.value as Subscription['kind'] })}
            />
          )}
          {isMail && mailChannel === null && (
            <Banner
              tone="warn"
              actions={
                may('settings.read') && (
                  <Button size="xs" variant="default" renderRoot={linkTo('/settings', { q: 'SERVICE_MAIL_CHANNEL' })}>
                    {t('toSettings')}
                  </Button>
                )
              }
            >
              {t('noMail')}
            </Banner>
          )}
          <TextInput
            label={t(isMail ? 'mailbox' : 'address')}
            description={t(isMail ? 'mailboxHint' : 'addressHint')}
            placeholder={isMail ? 'operators@example.com' : 'https://example.com/hook'}
            required
            maxLength={2_000}
            autoComplete="off"
            spellCheck={false}
            error={at.target}
            value={fields.target}
            onChange={(event) => change({ target: event.currentTarget.value })}
          />
          <KindsField
            kinds={eventKinds}
            chosen={fields.kinds}
            error={at.kinds ?? (isTried && fields.kinds.length === 0 ? t('noKind') : undefined)}
            onChange={(kinds) => change({ kinds })}
          />
          <QuietField quiet={fields.quiet} error={at.quiet} onChange={(quiet) => change({ quiet })} />
          <ErrorPanel error={rest} />
          <FormButtons action={c(subscription ? 'save' : 'create')} isBusy={isBusy} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  )
}

function fieldsOf(subscription: Subscription | undefined) {
  const { name = '', kind = 'webhook', target = '', event_kinds = [], quiet_hours = null } = subscription ?? {}
  return { name, kind, target, kinds: event_kinds, quiet: quiet_hours }
}
