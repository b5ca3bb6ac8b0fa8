/** A secret: it can be set and removed, but never read. */
import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { CopyText } from '../../parts/copy-text.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import type { Secret } from './adapter-form.ts'
import { channelText } from './text.ts'

interface SecretFieldProps {
  secret: Secret
  isSet: boolean
  /** Undefined: unchanged. Null: will be removed. */
  value: string | null | undefined
  isRefused: boolean
  onChange(value: string | null): void
}

export function SecretField({ secret, isSet, value, isRefused, onChange }: SecretFieldProps) {
  const t = useText(channelText)
  const language = useLanguage()
  const label = secret.label[language]
  const isRemoved = value === null
  return (
    <Stack gap={6}>
      <Group align="flex-end" gap="sm">
        <PasswordInput
          label={label}
          description={secret.help?.[language]}
          autoComplete="new-password"
          flex={1}
          miw={220}
          maxLength={4_000}
          disabled={isRemoved}
          error={isRefused}
          placeholder={t(isSet ? 'isSet' : 'isNotSet')}
          value={value ?? ''}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        {secret.is_generated && !isRemoved && (
          <Button variant="default" onClick={() => onChange(newSigningSecret())}>
            {t('generate')}
          </Button>
        )}
        {isSet && (
          <Button
            variant="default"
            aria-label={`${t(isRemoved ? 'keepSecret' : 'removeSecret')}: ${label}`}
            onClick={() => onChange(isRemoved ? '' : null)}
          >
            {t(isRemoved ? 'keepSecret' : 'removeSecret')}
          </Button>
        )}
      </Group>
      <div>
        <StatusBadge tone={isSet ? 'good' : 'quiet'}>{t(isSet ? 'isSet' : 'isNotSet')}</StatusBadge>
      </div>
      {secret.is_generated && value?.startsWith('whsec_') && (
        <>
          <Text>{t('generated')}</Text>
          <CopyText text={value} label={label} />
        </>
      )}
    </Stack>
  )
}

const secretBytes = 32

/** In the form of Standard Webhooks. */
function newSigningSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(secretBytes))
  return `whsec_${btoa(String.fromCharCode(...bytes))}`
}
