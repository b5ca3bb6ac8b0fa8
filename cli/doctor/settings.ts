/** Can every value of the store and the environment be read, and is it allowed? Others are left out for the further checks. */
import { isSettingKey, settingOf } from '../../config/catalogue.ts'
import { unseal } from '../../config/seal.ts'
import type { SettingRefused } from '../../config/setting.ts'
import { type Environment, openSettings, type Settings, SettingsRefused } from '../../config/settings.ts'
import { commandName } from '../../runtime/command-name.ts'
import type { StoredSetting } from '../../store/settings/settings.ts'
import { type Finding, failed, ok, reason, warning } from './finding.ts'
import { existingKey } from './master-key.ts'

export interface SettingsFound {
  settings: Settings
  findings: Finding[]
}

/** @param stored null: they could not be read, which is a finding already; the environment is checked all the same */
export function checkSettings(environment: Environment, stored: Map<string, StoredSetting> | null): SettingsFound {
  const findings: Finding[] = []
  const plain = plainOf(environment, stored ?? new Map(), findings)
  const remaining = { ...environment }
  for (;;) {
    try {
      const settings = openSettings({ environment: remaining, stored: plain })
      if (findings.length === 0 && stored) findings.push(ok('settings', `${plain.size} stored, all allowed`))
      findings.push(...unusedOf(settings))
      return { settings, findings }
    } catch (error) {
      if (!(error instanceof SettingsRefused)) throw error
      for (const refusal of error.refusals) {
        const isStored = mayBeStored(refusal.key) && plain.delete(refusal.key)
        if (!isStored) delete remaining[refusal.key]
        // The check of the database reports this one.
        if (refusal.key !== 'SERVICE_DATABASE_URL') findings.push(refused(refusal, isStored))
      }
    }
  }
}

/** Whoever has set one expects something of it. */
function unusedOf(settings: Settings): Finding[] {
  const set = settings.describe().filter(({ isUnused, origin }) => isUnused && origin !== 'default')
  if (set.length === 0) return []
  const keys = set.map(({ key }) => key).join(', ')
  return [warning('settings', `without effect: ${keys}`, 'This version does not have the features of these settings.')]
}

function mayBeStored(key: string): boolean {
  return isSettingKey(key) && settingOf(key).source !== 'environment'
}

function refused({ key, message }: SettingRefused, isStored: boolean): Finding {
  return isStored
    ? failed(
        'settings',
        `stored: ${message}`,
        `Set another value, or remove it: ${commandName()} settings unset ${key}`,
      )
    : failed('settings', `in the environment: ${message}`, `Correct ${key} in the environment of the service.`)
}

function plainOf(environment: Environment, stored: Map<string, StoredSetting>, findings: Finding[]) {
  const plain = new Map<string, string>()
  const problems = new Map<string, string[]>()
  for (const [key, { value, isSealed }] of stored) {
    if (!isSettingKey(key)) continue
    try {
      plain.set(key, isSealed ? unseal(existingKey(environment), key, value) : value)
    } catch (error) {
      const why = reason(error).replace(key, 'it')
      problems.set(why, [...(problems.get(why) ?? []), key])
    }
  }
  for (const [why, keys] of problems) {
    const advice = `Put the right master key back, or store each again, from standard input: ${commandName()} settings set ${keys[0]} -`
    findings.push(failed('settings', `${keys.join(', ')} cannot be read: ${why}`, advice))
  }
  return plain
}
