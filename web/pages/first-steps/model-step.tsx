/** Where the model is: an address, a key and a name, tested before they are saved. */

import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { Banner } from '../../parts/banner.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { useText } from '../../text/text.ts'
import type { Setting } from './progress.ts'
import { keys, type ModelFields, useModelFields } from './save-model.ts'
import { stepsText } from './text.ts'
import { Trial } from './trial.tsx'
import { useTrial } from './use-trial.ts'

export function ModelStep({ settings }: { settings: ReadonlyMap<string, Setting> }) {
  const t = useText(stepsText)
  const { stored, fields, type, isChanged, saving } = useModelFields(settings)
  const { address: gateway_url, key, model } = fields
  const testing = useTrial({ provider: 'compatible', gateway_url, model, ...(key !== '' && { key }) })
  useLeaveGuard(isChanged)
  const field = (name: keyof ModelFields) => ({
    value: fields[name],
    error: saving.refused.get(keys[name]),
    onChange: (event: { currentTarget: HTMLInputElement }) => {
      type(name, event.currentTarget.value)
      testing.stop()
    },
  })
  return (
    <form onSubmit={saving.submit}>
      <Stack>
        <Text>{t('modelWhy')}</Text>
        {stored.address === '' && settings.get('SERVICE_NATIVE_API_KEY')?.is_set && (
          <Banner tone="warn">{t('nativeIsSet')}</Banner>
        )}
        <TextInput
          label={t('address')}
          description={t('addressHint')}
          type="url"
          required
          autoComplete="off"
          {...field('address')}
        />
        <PasswordInput
          label={t('key')}
          description={t(settings.get(keys.key)?.is_set ? 'keySet' : 'keyHint')}
          autoComplete="off"
          {...field('key')}
        />
        <TextInput label={t('modelName')} description={t('modelNameHint')} autoComplete="off" {...field('model')} />
        <Text size="sm" c="dimmed">
          {t('testNothingStored')}
        </Text>
        <Group gap="sm">
          <Button
            variant="default"
            disabled={fields.address.trim() === ''}
            loading={testing.isBusy}
            onClick={testing.begin}
          >
            {t('test')}
          </Button>
          {testing.isBusy && (
            <Button variant="default" onClick={testing.stop}>
              {t('stop')}
            </Button>
          )}
          <Button type="submit" disabled={!isChanged} loading={saving.isBusy}>
            {t('save')}
          </Button>
        </Group>
        <ErrorPanel error={testing.error} />
        {testing.trial && <Trial trial={testing.trial} />}
        {saving.outcome && (
          <Banner tone={saving.outcome.isWarning ? 'warn' : 'ok'} role="status">
            {saving.outcome.message}
          </Banner>
        )}
        <ErrorPanel error={saving.error} />
      </Stack>
    </form>
  )
}
