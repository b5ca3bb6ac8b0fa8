/** Where the model is: an address, a key and a name, tried before they are saved. */
import { Alert, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiFailure, call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { useText } from '../../text/text.ts'
import { progressKey, type Setting } from './progress.ts'
import { stepsText } from './text.ts'
import { Trial } from './trial.tsx'

const keys = {
  address: 'SERVICE_LLM_GATEWAY_URL',
  key: 'SERVICE_LLM_API_KEY',
  model: 'SERVICE_LLM_MODEL',
  provider: 'SERVICE_LLM_PROVIDER',
} as const

type Fields = Record<'address' | 'key' | 'model', string>

export function ModelStep({ settings }: { settings: ReadonlyMap<string, Setting> }) {
  const t = useText(stepsText)
  const stored = { address: storedText(settings, keys.address), key: '', model: storedText(settings, keys.model) }
  // What is typed stays when the settings are read anew.
  const [typed, setTyped] = useState<Partial<Fields>>({})
  const fields: Fields = { ...stored, ...typed }
  const [trial, setTrial] = useState<Answer<'POST /v1/admin/settings/test-model'>>()
  const saving = useSaving(settings, fields, () => setTyped({}))
  const testing = useSubmit(async () => {
    setTrial(undefined)
    const { address: gateway_url, model, key } = fields
    const body = { provider: 'compatible' as const, gateway_url, model, ...(key !== '' && { key }) }
    setTrial(await call('POST /v1/admin/settings/test-model', { body }))
  })
  const isChanged = Object.entries(fields).some(([name, value]) => value !== stored[name as keyof Fields])
  useLeaveGuard(isChanged)
  const field = (name: keyof Fields) => ({
    value: fields[name],
    error: saving.refused.get(keys[name]),
    onChange: (event: { currentTarget: HTMLInputElement }) => {
      const { value } = event.currentTarget
      setTyped((before) => ({ ...before, [name]: value }))
      setTrial(undefined)
      saving.forget()
    },
  })
  return (
    <form onSubmit={saving.submit}>
      <Stack>
        <Text size="sm">{t('modelWhy')}</Text>
        {stored.address === '' && settings.get('SERVICE_NATIVE_API_KEY')?.is_set && (
          <Alert color="yellow" variant="light">
            {t('nativeIsSet')}
          </Alert>
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
        <Text size="xs" c="dimmed">
          {t('testNothingStored')}
        </Text>
        <Group gap="xs">
          <Button
            variant="default"
            disabled={fields.address.trim() === ''}
            loading={testing.isBusy}
            onClick={() => testing.submit()}
          >
            {t('test')}
          </Button>
          <Button type="submit" disabled={!isChanged} loading={saving.isBusy}>
            {t('save')}
          </Button>
        </Group>
        <ErrorPanel error={testing.error} />
        {trial && <Trial trial={trial} />}
        {saving.outcome && (
          <Alert color={saving.outcome.isTrouble ? 'yellow' : 'green'} variant="light" role="status">
            {saving.outcome.words}
          </Alert>
        )}
        <ErrorPanel error={saving.error} />
      </Stack>
    </form>
  )
}

const storedText = (settings: ReadonlyMap<string, Setting>, key: string): string => settings.get(key)?.value ?? ''

/** Saves what differs, against what was shown, and says from when it counts. */
function useSaving(settings: ReadonlyMap<string, Setting>, fields: Fields, onSaved: () => void) {
  const t = useText(stepsText)
  const queries = useQueryClient()
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map())
  const [outcome, setOutcome] = useState<{ words: string; isTrouble: boolean }>()
  const { error, isBusy, submit } = useSubmit(async () => {
    setOutcome(undefined)
    setRefused(new Map())
    try {
      const saved = await call('POST /v1/admin/settings', { body: changeOf(settings, fields) })
      onSaved()
      const waiting = saved.pending_restart
      const words = waiting.length > 0 ? t('savedRestart', { keys: waiting.join(', ') }) : t('savedNow')
      setOutcome({ words, isTrouble: waiting.length > 0 })
    } catch (failure) {
      const body = failure instanceof ApiFailure ? (failure.body as Partial<Refused>) : {}
      if (body.refusals) {
        setRefused(new Map(body.refusals.map(({ key, message }) => [key, message])))
        setOutcome({ words: t('notSaved'), isTrouble: true })
      } else if (body.current) {
        setOutcome({ words: t('conflict', { keys: Object.keys(body.current).join(', ') }), isTrouble: true })
      } else throw failure
    } finally {
      await queries.invalidateQueries({ queryKey: progressKey })
    }
  })
  const forget = () => {
    setOutcome(undefined)
    setRefused(new Map())
  }
  return { refused, outcome, error, isBusy, submit, forget }
}

interface Refused {
  refusals: { key: string; message: string }[]
  current: Record<string, unknown>
}

/** An empty key leaves the one that is stored; a setting that names another kind of backend is put right. */
function changeOf(settings: ReadonlyMap<string, Setting>, { address, key, model }: Fields) {
  const set: Record<string, string> = { [keys.address]: address.trim(), [keys.model]: model.trim() }
  if (key !== '') set[keys.key] = key
  if (storedText(settings, keys.provider).trim().toLowerCase() === 'subscription') set[keys.provider] = 'compatible'
  const expected = Object.fromEntries(Object.keys(set).map((name) => [name, seen(settings.get(name))]))
  return { set, expected }
}

/** What is stored as far as this page knows. */
function seen(setting: Setting | undefined): string | true | null {
  if (setting?.origin !== 'stored') return null
  return setting.secret ? true : setting.value
}
