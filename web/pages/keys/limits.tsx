/** The fields that every new key has: name, expiry, and allowed addresses. */
import { NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useText } from '../../text/text.ts'
import { keysText } from './text.ts'

export interface Limits {
  name: string
  /** Days as text, '' for never, 'at' for the time in `at`. */
  expiry: string
  /** In the format of the browser's `datetime-local` field. */
  at: string
  addresses: string
}

export const noLimits: Limits = { name: '', expiry: '', at: '', addresses: '' }

const dayMs = 86_400_000

export function limitsBody({ name, expiry, at, addresses }: Limits) {
  const lines = addresses.split('\n').map((line) => line.trim())
  const expiresAt = expiry === 'at' ? new Date(at) : new Date(Date.now() + Number(expiry) * dayMs)
  return {
    name: name.trim(),
    expires_at: expiry === '' ? null : expiresAt.toISOString(),
    allowed_ips: lines.filter((line) => line !== ''),
  }
}

export function LimitsFields({ limits, onChange }: { limits: Limits; onChange(change: Partial<Limits>): void }) {
  const t = useText(keysText)
  const expiries = [
    { value: '', label: t('never') },
    ...[7, 30, 90, 365].map((n) => ({ value: String(n), label: t('days', { n }) })),
    { value: 'at', label: t('onDay') },
  ]
  return (
    <>
      <TextInput
        label={t('name')}
        description={t('nameHint')}
        required
        maxLength={100}
        autoComplete="off"
        data-autofocus
        value={limits.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('expiry')}
        data={expiries}
        value={limits.expiry}
        onChange={(event) => onChange({ expiry: event.currentTarget.value })}
      />
      {limits.expiry === 'at' && (
        <TextInput
          type="datetime-local"
          label={t('expiryAt')}
          required
          value={limits.at}
          onChange={(event) => onChange({ at: event.currentTarget.value })}
        />
      )}
      <Textarea
        label={t('addresses')}
        description={t('addressesHint')}
        rows={2}
        spellCheck={false}
        value={limits.addresses}
        onChange={(event) => onChange({ addresses: event.currentTarget.value })}
      />
    </>
  )
}
