/** The model's settings as they are typed and saved: only changed fields are sent, and nothing that somebody else has saved in the meantime is overwritten. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiFailure, call } from '../../api/call.ts'
import { useSubmit } from '../../parts/submit.ts'
import { useText } from '../../text/text.ts'
import { progressKey, type Setting } from './progress.ts'
import { stepsText } from './text.ts'

export const keys = {
  address: 'SERVICE_LLM_GATEWAY_URL',
  key: 'SERVICE_LLM_API_KEY',
  model: 'SERVICE_LLM_MODEL',
  provider: 'SERVICE_LLM_PROVIDER',
} as const

type FieldName = 'address' | 'key' | 'model'
export type ModelFields = Record<FieldName, string>

const labels = { address: 'address', key: 'key', model: 'modelName', provider: 'provider' } as const
const fieldOf = (key: string) => (Object.keys(keys) as (keyof typeof keys)[]).find((name) => keys[name] === key)
type Settings = ReadonlyMap<string, Setting>
/** The stored value as the API shows it; true: a secret. */
type Stored = string | true | null

/** Each text with the value that was stored when typing began. */
type Typed = Partial<Record<FieldName, { text: string; from: Stored }>>

export function useModelFields(settings: Settings) {
  const [typed, setTyped] = useState<Typed>({})
  const stored: ModelFields = { address: textOf(settings, keys.address), key: '', model: textOf(settings, keys.model) }
  const fields: ModelFields = {
    address: typed.address?.text ?? stored.address,
    key: typed.key?.text ?? stored.key,
    model: typed.model?.text ?? stored.model,
  }
  const changed = Object.fromEntries(
    Object.entries(typed).filter(([name, { text }]) => text.trim() !== stored[name as FieldName]),
  ) as Typed
  const saving = useSaving(settings, changed, setTyped)
  function type(name: FieldName, text: string): void {
    setTyped((before) => ({ ...before, [name]: { text, from: before[name]?.from ?? storedOf(settings, keys[name]) } }))
    saving.forget()
  }
  return { stored, fields, type, isChanged: Object.keys(changed).length > 0, saving }
}

const textOf = (settings: Settings, key: string): string => settings.get(key)?.value ?? ''

function storedOf(settings: Settings, key: string): Stored {
  const setting = settings.get(key)
  if (setting?.origin !== 'stored') return null
  return setting.secret ? true : (setting.value ?? '')
}

function useSaving(settings: Settings, changed: Typed, setTyped: (change: (before: Typed) => Typed) => void) {
  const t = useText(stepsText)
  const queries = useQueryClient()
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map())
  const [outcome, setOutcome] = useState<{ message: string; isWarning: boolean }>()
  const nameOf = (key: string) => {
    const name = fieldOf(key)
    return name ? t(labels[name]) : key
  }
  const forget = () => {
    setOutcome(undefined)
    setRefused(new Map())
  }
  const { error, isBusy, submit } = useSubmit(async () => {
    forget()
    try {
      const saved = await call('POST /v1/admin/settings', { body: changeOf(settings, changed) })
      // Refetched first, so that the fields fall back to the values that were just saved.
      await queries.invalidateQueries({ queryKey: progressKey })
      setTyped(() => ({}))
      const waiting = saved.pending_restart
      const message = waiting.length > 0 ? t('savedRestart', { keys: waiting.map(nameOf).join(', ') }) : t('savedNow')
      setOutcome({ message, isWarning: waiting.length > 0 })
    } catch (failure) {
      const body = failure instanceof ApiFailure ? failure.body : undefined
      const { refusals, current } = (body ?? {}) as Partial<Refused>
      if (refusals) {
        setRefused(new Map(refusals.map(({ key, message }) => [key, message])))
        setOutcome({ message: t('notSaved'), isWarning: true })
      } else if (current) {
        setOutcome({
          message: t('conflict', { what: currentValues(current, { nameOf, nothing: t('nothing') }) }),
          isWarning: true,
        })
        // The page now shows both values, so saving again replaces the other one.
        setTyped((before) => rebasedOn(before, current))
      } else throw failure
      await queries.invalidateQueries({ queryKey: progressKey })
    }
  })
  return { refused, outcome, error, isBusy, submit, forget }
}

interface Refused {
  refusals: { key: string; message: string }[]
  current: Record<string, Stored>
}

interface Wording {
  nameOf(key: string): string
  nothing: string
}

const currentValues = (current: Record<string, Stored>, { nameOf, nothing }: Wording): string =>
  Object.entries(current)
    .map(([key, value]) => (value === true ? nameOf(key) : `${nameOf(key)} = ${value || nothing}`))
    .join(', ')

function rebasedOn(typed: Typed, current: Record<string, Stored>): Typed {
  const entries = Object.entries(typed).map(([name, one]) => {
    const key = keys[name as FieldName]
    return [name, key in current ? { ...one, from: current[key] ?? null } : one]
  })
  return Object.fromEntries(entries) as Typed
}

/** These fields belong to the compatible provider: if another one is set, the provider setting changes with them. */
function changeOf(settings: Settings, changed: Typed) {
  const set: Record<string, string> = {}
  const expected: Record<string, Stored> = {}
  for (const [name, { text, from }] of Object.entries(changed)) {
    const key = keys[name as FieldName]
    set[key] = name === 'key' ? text : text.trim()
    expected[key] = from
  }
  if (!['', 'compatible'].includes(textOf(settings, keys.provider).trim().toLowerCase())) {
    set[keys.provider] = 'compatible'
    expected[keys.provider] = storedOf(settings, keys.provider)
  }
  return { set, expected }
}
