/** Validates requested changes of settings, and returns all reasons against them at once. */
import { z } from 'zod'
import { isSettingKey, type SettingKey, settingOf, weaknessOf } from '../../../config/catalogue.ts'
import { SettingsRefused } from '../../../config/settings.ts'
import { Failure } from '../../../runtime/failure.ts'
import { applied, type SettingsChange } from '../../../store/settings/live-settings.ts'
import type { App } from '../../app.ts'
import { crossProblems } from './cross-checks.ts'

const keysMax = 500
const textLengthMax = 1_048_576

const Key = z.string().max(100)

export const changeRequestFields = {
  set: z
    .record(Key, z.string().max(textLengthMax))
    .refine((texts) => Object.keys(texts).length <= keysMax, `at most ${keysMax} keys`)
    .default({})
    .describe('Texts by key. An address that is sent back with its password hidden does not change.'),
  unset: z.array(Key).max(keysMax).default([]).describe('Keys whose stored value is removed.'),
}

/** Enough for several long prompts and a certificate at once. */
export const changeBytesMax = 4 * 1_048_576

export const Refusal = z.object({ key: z.string(), message: z.string() })
export type Refusal = z.infer<typeof Refusal>

/** Nothing was stored. */
export class ChangeRefused extends Failure {
  readonly code = 'change_refused'
  readonly refusals: readonly Refusal[]
  constructor(refusals: readonly Refusal[]) {
    super('the settings are refused')
    this.refusals = refusals
  }
}

interface ChangeRequest {
  set: Record<string, string>
  unset: string[]
}

/** Splits a request into changes that could be stored, and refusals of the rest. */
export function parseChange({ set, unset }: ChangeRequest): { change: SettingsChange; refusals: Refusal[] } {
  const refusals: Refusal[] = []
  const change = { set: new Map<SettingKey, string>(), unset: new Set<SettingKey>() }
  for (const [key, text] of Object.entries(set)) {
    const problem = unstorable(key, text)
    if (problem) refusals.push({ key, message: problem })
    else if (isSettingKey(key)) change.set.set(key, text)
  }
  for (const key of unset) {
    const problem = unstorable(key, '') ?? (Object.hasOwn(set, key) ? 'It is both set and unset.' : undefined)
    if (problem) refusals.push({ key, message: problem })
    else if (isSettingKey(key)) change.unset.add(key)
  }
  return { change, refusals }
}

function unstorable(key: string, text: string): string | undefined {
  if (!isSettingKey(key)) return 'There is no such setting.'
  if (settingOf(key).source === 'environment')
    return 'It can be set only in the environment: it is needed to reach the database.'
  return text.includes('\0') ? 'It must be text without NUL.' : undefined
}

/**
 * All reasons against a change: each value by itself, then all settings together as a start would read them. Problems of
 * settings that the change does not touch are no reason.
 * @param plain the stored settings now, in plain text
 */
export function validationRefusals(app: App, plain: ReadonlyMap<string, string>, change: SettingsChange): Refusal[] {
  return [...weakRefusals(change), ...resolutionRefusals(app, plain, change)]
}

function weakRefusals(change: SettingsChange): Refusal[] {
  return [...change.set].flatMap(([key, text]) => {
    const message = weaknessOf(key, text)
    return message === undefined ? [] : [{ key, message: `${message}.` }]
  })
}

function resolutionRefusals(app: App, plain: ReadonlyMap<string, string>, change: SettingsChange): Refusal[] {
  const next = applied(plain, change)
  const touched = new Set<string>([...change.set.keys(), ...change.unset])
  const hidden = [...change.set.keys()].filter((key) => (next.get(key) ?? '').includes('(hidden)@'))
  if (hidden.length > 0) return hidden.map((key) => ({ key, message: 'Replace (hidden) with the password.' }))
  try {
    return crossProblems(app.settingsWith(next))
      .filter(({ keys }) => keys.some((key) => touched.has(key)))
      .map(({ keys, message }) => ({ key: keys.find((key) => touched.has(key)) ?? '', message }))
  } catch (error) {
    if (!(error instanceof SettingsRefused)) throw error
    return error.refusals.filter(({ key }) => touched.has(key)).map(({ key, message }) => ({ key, message }))
  }
}
