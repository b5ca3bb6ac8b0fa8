/** The fields of a channel: what its kind asks for, its secrets, and the policy that every channel has. */
import { Fieldset, NativeSelect, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useLanguage, useText } from '../../text/text.ts'
import { choiceText, type Field, isShown } from './adapter-form.ts'
import type { ChannelForm } from './form.ts'
import { PolicyFields } from './policy-fields.tsx'
import { SecretField } from './secret-field.tsx'
import { channelText } from './text.ts'

interface ChannelFieldsProps {
  form: ChannelForm
  change(changed: Partial<ChannelForm>): void
  /** Names of the secrets that are set. */
  setSecrets: readonly string[]
  isReadOnly: boolean
  /** The field that the service refused, as in `config.smtp.host`. */
  refused: string | undefined
}

export function ChannelFields(props: ChannelFieldsProps) {
  const { form, change, setSecrets, isReadOnly, refused } = props
  const t = useText(channelText)
  const { adapter, config, secrets } = form
  return (
    <Fieldset variant="unstyled" disabled={isReadOnly}>
      <Stack>
        {adapter && (
          <Fieldset legend={t('connection')}>
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              {adapter.fields
                .filter((field) => isShown(field, config))
                .map((field) => (
                  <ConfigField
                    key={field.path}
                    field={field}
                    value={config[field.path] ?? ''}
                    isRefused={refused === `config.${field.path}`}
                    onChange={(value) => change({ config: { ...config, [field.path]: value } })}
                  />
                ))}
            </SimpleGrid>
          </Fieldset>
        )}
        {adapter && (
          <Fieldset legend={t('secrets')}>
            <Stack gap="sm">
              <Text size="sm" c="dimmed">
                {t('secretsWhy')}
              </Text>
              {adapter.secrets
                .filter((secret) => isShown(secret, config))
                .map((secret) => (
                  <SecretField
                    key={secret.name}
                    secret={secret}
                    isSet={setSecrets.includes(secret.name)}
                    value={secrets[secret.name]}
                    isRefused={refused === `secrets.${secret.name}`}
                    onChange={(value) => change({ secrets: { ...secrets, [secret.name]: value } })}
                  />
                ))}
            </Stack>
          </Fieldset>
        )}
        <PolicyFields policy={form.policy} refused={refused} onChange={(policy) => change({ policy })} />
      </Stack>
    </Fieldset>
  )
}

interface ConfigFieldProps {
  field: Field
  value: string | boolean
  isRefused: boolean
  onChange(value: string | boolean): void
}

function ConfigField({ field, value, isRefused, onChange }: ConfigFieldProps) {
  const language = useLanguage()
  const common = { label: field.label[language], description: field.help?.[language], error: isRefused }
  switch (field.kind) {
    case 'switch':
    case 'group':
      return (
        <Switch
          {...common}
          mt={4}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      )
    case 'choice':
      return (
        <NativeSelect
          {...common}
          value={String(value)}
          data={(field.choices ?? []).map((choice) => ({
            value: choiceText(choice.value),
            label: choice.label[language],
          }))}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
    case 'number':
    case 'text':
      return (
        <TextInput
          {...common}
          type={field.kind}
          {...(field.kind === 'number' && {
            min: field.min ?? undefined,
            max: field.max ?? undefined,
            inputMode: 'numeric' as const,
          })}
          required={field.is_required}
          placeholder={field.placeholder ?? undefined}
          maxLength={2_000}
          value={String(value)}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )
    default:
      return field.kind satisfies never
  }
}
