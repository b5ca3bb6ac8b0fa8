/** A secret: it can be set and removed, and never be read again. */
import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { CopyText } from '../../parts/copy-text.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useText } from '../../text/text.ts'
import type { Secret } from './adapter-fields.ts'
import { channelText } from './text.ts'

interface SecretFieldProps {
  secret: Secret
  isSet: boolean
  /** Undefined: left as it is. Null: to be removed. */
  value: string | null | undefined
  isRefused: boolean
  onChange(value: string | null): void
}

export function SecretField({ secret, isSet, value, isRefused, onChange }: SecretFieldProps) {
  const t = useText(channelText)
  const isRemoved = value === null
  return (
    <Stack gap={6}>
      <Group align="flex-end" gap="xs">
        <PasswordInput
          label={t(secret.label)}
          description={secret.hint && t(secret.hint)}
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
        {secret.isGenerated && !isRemoved && (
          <Button variant="default" onClick={() => onChange(freshSigningSecret())}>
            {t('generate')}
          </Button>
        )}
        {isSet && (
          <Button
            variant="default"
            aria-label={`${t(isRemoved ? 'keepSecret' : 'removeSecret')}: ${t(secret.label)}`}
            onClick={() => onChange(isRemoved ? '' : null)}
          >
            {t(isRemoved ? 'keepSecret' : 'removeSecret')}
          </Button>
        )}
      </Group>
      <div>
        <StatusBadge tone={isSet ? 'good' : 'quiet'}>{t(isSet ? 'isSet' : 'isNotSet')}</StatusBadge>
      </div>
      {secret.isGenerated && value?.startsWith('whsec_') && (
        <>
          <Text size="sm">{t('generated')}</Text>
          <CopyText text={value} label={t(secret.label)} />
        </>
      )}
    </Stack>
  )
}

const secretBytes = 32

/** As Standard Webhooks has it. */
function freshSigningSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(secretBytes))
  return `whsec_${btoa(String.fromCharCode(...bytes))}`
}
