/** Changes of settings as clients ask for them, and everything that speaks against them, told at once. */

import { z } from 'zod'
import { isSettingKey, type SettingKey, settingOf } from '../../../config/catalogue.ts'
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
    .refine((given) => Object.keys(given).length <= keysMax, `at most ${keysMax} keys`)
    .default({})
    .describe('Texts by key. An address that comes back with its password hidden stays as it is.'),
  unset: z.array(Key).max(keysMax).default([]).describe('Keys whose stored value is forgotten.'),
}

/** Several long prompts and a certificate at once. */
export const changeBytesMax = 4 * 1_048_576

export const Refusal = z.object({ key: z.string(), message: z.string() })
export type Refusal = z.infer<typeof Refusal>

/** Nothing was stored: each of these has to be mended first. */
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

/** What of it can be a change at all, and why the rest cannot. */
export function parseChange({ set, unset }: ChangeRequest): { change: SettingsChange; refusals: Refusal[] } {
  const refusals: Refusal[] = []
  const change = { set: new Map<SettingKey, string>(), unset: new Set<SettingKey>() }
  for (const [key, text] of Object.entries(set)) {
    const problem = unstorable(key, text)
    if (problem) refusals.push({ key, message: problem })
    else if (isSettingKey(key)) change.set.set(key, text)
  }
  for (const key of unset) {
    const problem = unstorable(key, '') ?? (Object.hasOwn(set, key) ? 'It is set and unset in one change.' : undefined)
    if (problem) refusals.push({ key, message: problem })
    else if (isSettingKey(key)) change.unset.add(key)
  }
  return { change, refusals }
}

function unstorable(key: string, text: string): string | undefined {
  if (!isSettingKey(key)) return 'There is no such setting.'
  if (settingOf(key).source === 'environment')
    return 'It can be set in the environment only: it is needed to reach the store.'
  return text.includes('\0') ? 'It must be text without NUL.' : undefined
}

/**
 * Everything that speaks against it, given what is stored now in plain text: each value by itself, then all together as
 * a start would read them. What is wrong already, and not touched, is no reason to refuse the rest.
 */
export function validationRefusals(app: App, plain: ReadonlyMap<string, string>, change: SettingsChange): Refusal[] {
  const wanted = applied(plain, change)
  const touched = new Set<string>([...change.set.keys(), ...change.unset])
  const hidden = [...change.set.keys()].filter((key) => (wanted.get(key) ?? '').includes('(hidden)@'))
  if (hidden.length > 0) return hidden.map((key) => ({ key, message: 'Write the password where it says (hidden).' }))
  try {
    return crossProblems(app.settingsWith(wanted))
      .filter(({ keys }) => keys.some((key) => touched.has(key)))
      .map(({ keys, message }) => ({ key: keys.find((key) => touched.has(key)) ?? '', message }))
  } catch (error) {
    if (!(error instanceof SettingsRefused)) throw error
    return error.refusals.filter(({ key }) => touched.has(key)).map(({ key, message }) => ({ key, message }))
  }
}
