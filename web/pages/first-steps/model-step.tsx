/** Where the model is: an address, a key and a name. What fails its test is saved only by a second button that says so. */
import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Body } from '../../api/types.ts'
import { Banner } from '../../parts/banner.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { SuggestField } from '../../parts/suggest-field.tsx'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { useText } from '../../text/text.ts'
import type { Setting } from './progress.ts'
import { keys, type ModelFields, useModelFields } from './save-model.ts'
import { stepsText } from './text.ts'
import { TrialOutcome } from './trial.tsx'
import { useTrial } from './use-trial.ts'

export function ModelStep({ settings }: { settings: ReadonlyMap<string, Setting> }) {
  const t = useText(stepsText)
  const { stored, fields, type, isChanged, saving } = useModelFields(settings)
  const { address: gateway_url, key, model } = fields
  const endpoint = { provider: 'compatible', gateway_url, ...(key !== '' && { key }) } as const
  const testing = useTrial({ ...endpoint, model })
  const offered = useOffered(endpoint)
  // What cannot be an address is refused as a setting too.
  const isAddress = /^https?:$/.test(URL.parse(gateway_url)?.protocol ?? '')
  useLeaveGuard(isChanged)
  const change = (name: keyof ModelFields, text: string) => {
    type(name, text)
    testing.stop()
  }
  const field = (name: keyof ModelFields) => ({
    value: fields[name],
    error: saving.refused.get(keys[name]),
    onChange: (event: { currentTarget: HTMLInputElement }) => change(name, event.currentTarget.value),
  })
  async function testAndSave(): Promise<void> {
    const trial = await test()
    if (trial?.ok) saving.submit()
  }
  async function test() {
    saving.forget()
    const trial = await testing.run()
    if (trial?.steps.some(({ name, state }) => name === 'connection' && state === 'ok')) offered.ask()
    return trial
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isChanged) void testAndSave()
      }}
    >
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
        <SuggestField
          label={t('modelName')}
          description={
            offered.models.length > 0 ? t('modelsOffered', { n: offered.models.length }) : t('modelNameHint')
          }
          autoComplete="off"
          data={offered.models}
          value={fields.model}
          error={saving.refused.get(keys.model)}
          onChange={(text) => change('model', text)}
        />
        <TrialOutcome testing={testing} onSaveAnyway={isChanged && isAddress ? () => saving.submit() : undefined} />
        {saving.outcome && (
          <Banner tone={saving.outcome.isWarning ? 'warn' : 'ok'} role="status">
            {saving.outcome.message}
          </Banner>
        )}
        <ErrorPanel error={saving.error} />
        <Group gap="sm">
          <Button
            type="submit"
            variant={isChanged ? 'filled' : 'default'}
            disabled={!isChanged}
            loading={testing.isBusy || saving.isBusy}
          >
            {t('testAndSave')}
          </Button>
          <Button
            variant="default"
            disabled={fields.address.trim() === '' || testing.isBusy}
            onClick={() => void test()}
          >
            {t('test')}
          </Button>
          {testing.isBusy && (
            <Button variant="default" onClick={testing.stop}>
              {t('stop')}
            </Button>
          )}
        </Group>
        <Text size="sm" c="dimmed">
          {t('testNothingStored')}
        </Text>
      </Stack>
    </form>
  )
}

/** The models that the endpoint lists, asked for with a test; one that lists none only leaves the field to typing. */
function useOffered(endpoint: Body<'POST /v1/admin/models/offered'>) {
  const [listed, setListed] = useState<{ of: string | undefined; models: string[] }>()
  async function ask(): Promise<void> {
    const { models } = await call('POST /v1/admin/models/offered', { body: endpoint })
    setListed({ of: endpoint.gateway_url, models })
  }
  return {
    models: listed && listed.of === endpoint.gateway_url ? listed.models : [],
    ask: () => void ask().catch(() => undefined), // the test beside it says what fails
  }
}
