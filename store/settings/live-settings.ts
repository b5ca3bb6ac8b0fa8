/** The stored settings in plain text, for whoever resolves them; and the way back. */

import { isSettingKey, parseSetting, type SettingKey, settingOf } from '../../config/catalogue.ts'
import { type MasterKey, seal, unseal } from '../../config/seal.ts'
import { withoutPassword } from '../../config/url-password.ts'
import { Failure } from '../../runtime/failure.ts'
import type { AuditActor } from '../audit/audit.ts'
import { notifyChange } from '../changes.ts'
import type { Database } from '../database.ts'
import { firstWorkspaceId } from '../id.ts'
import { readSettings, rewriteSettings, type SettingWrite, type StoredSetting } from './settings.ts'

/** What is there to a client: of a secret only that it is; null: nothing is stored. */
export type RedactedSetting = string | true | null

export interface SettingsChange {
  set: ReadonlyMap<SettingKey, string>
  unset: ReadonlySet<SettingKey>
  /** What whoever asks for it has seen before; where it is something else by now, nothing is changed. */
  expected?: ReadonlyMap<SettingKey, RedactedSetting>
}

/** Somebody else was quicker. */
export class SettingsConflict extends Failure {
  readonly code = 'settings_conflict'
  /** What is there now, of the keys that differ. */
  readonly current: ReadonlyMap<SettingKey, RedactedSetting>
  constructor(current: ReadonlyMap<SettingKey, RedactedSetting>) {
    super(`${[...current.keys()].join(', ')} changed since they were read`)
    this.current = current
  }
}

/**
 * @returns plain text by key. Keys that this version does not know are left out.
 * @throws SealBroken when a value was sealed under another master key
 */
export async function readPlainSettings(db: Database, masterKey: () => MasterKey): Promise<Map<string, string>> {
  return plainSettings(await readSettings(db), masterKey)
}

export function plainSettings(
  stored: ReadonlyMap<string, StoredSetting>,
  masterKey: () => MasterKey,
): Map<string, string> {
  const plain = new Map<string, string>()
  for (const [key, { isSealed, value }] of stored)
    if (isSettingKey(key)) plain.set(key, isSealed ? unseal(masterKey(), key, value) : value)
  return plain
}

/**
 * Stores and forgets several at once, with an entry in the audit log for each that changes, and tells the running services.
 * A text that is an address as it is shown, its password hidden, is the one that is stored: no change.
 * @param check looks at all stored values as they would be, unsealed; what it throws leaves everything as it was
 * @returns the keys that changed @throws SettingsConflict, SealBroken
 */
export async function changeSettings(
  db: Database,
  masterKey: () => MasterKey,
  actor: AuditActor,
  change: SettingsChange,
  check: (wanted: ReadonlyMap<string, string>) => void,
): Promise<SettingKey[]> {
  const writes = await rewriteSettings(db, actor, (stored) => {
    refuseStale(change, stored)
    check(applied(plainSettings(stored, masterKey), change))
    return writesOf(change, stored, masterKey)
  })
  if (writes.length > 0) await notifyChange(db, 'settings')
  return writes.map(({ key }) => key as SettingKey)
}

/** What would be stored. */
export function applied(plain: ReadonlyMap<string, string>, { set, unset }: SettingsChange): Map<string, string> {
  const wanted = new Map(plain)
  for (const key of unset) wanted.delete(key)
  for (const [key, text] of set) if (!isAsShown(text, plain.get(key))) wanted.set(key, text)
  return wanted
}

/** Checks, seals where it is secret, stores, and tells the running service. @throws SettingRefused */
export async function storeSetting(
  db: Database,
  masterKey: () => MasterKey,
  key: SettingKey,
  text: string,
  updatedBy: string,
): Promise<void> {
  parseSetting(key, text)
  const change: SettingsChange = { set: new Map([[key, text]]), unset: new Set() }
  await rewriteSettings(db, byName(updatedBy), (stored) => writesOf(change, stored, masterKey))
  await notifyChange(db, 'settings')
}

/** False: it was not stored. */
export async function unstoreSetting(db: Database, key: SettingKey, updatedBy = 'command line'): Promise<boolean> {
  const change: SettingsChange = { set: new Map(), unset: new Set([key]) }
  const writes = await rewriteSettings(db, byName(updatedBy), (stored) => writesOf(change, stored, noKey))
  if (writes.length > 0) await notifyChange(db, 'settings')
  return writes.length > 0
}

/** Settings are the installation's; what is done to them from outside of any workspace stands in the first one's log. */
const byName = (name: string): AuditActor => ({ workspaceId: firstWorkspaceId, name, ip: '', requestId: '' })

const noKey = (): MasterKey => {
  throw new Error('nothing is sealed to forget a setting')
}

function refuseStale({ expected = new Map() }: SettingsChange, stored: ReadonlyMap<string, StoredSetting>): void {
  const current = new Map<SettingKey, RedactedSetting>()
  for (const [key, seen] of expected) {
    const there = seenOf(key, stored.get(key))
    const isSame = seen === there || (typeof seen === 'string' && stored.get(key)?.value === seen && there !== true)
    if (!isSame) current.set(key, there)
  }
  if (current.size > 0) throw new SettingsConflict(current)
}

function seenOf(key: SettingKey, stored: StoredSetting | undefined): RedactedSetting {
  if (stored === undefined) return null
  return stored.isSealed || settingOf(key).isSecret ? true : withoutPassword(stored.value)
}

/** An address that came back as it was shown. */
function isAsShown(text: string, stored: string | undefined): boolean {
  return stored !== undefined && stored !== text && withoutPassword(stored) === text
}

function writesOf(
  { set, unset }: SettingsChange,
  stored: ReadonlyMap<string, StoredSetting>,
  masterKey: () => MasterKey,
): SettingWrite[] {
  const writes: SettingWrite[] = []
  for (const [key, text] of set) {
    const before = stored.get(key)
    const { isSecret } = settingOf(key)
    if (!isSecret && before !== undefined && (before.value === text || isAsShown(text, before.value))) continue
    const value = { text: isSecret ? seal(masterKey(), key, text) : text, isSealed: isSecret }
    const after = shownOf(isSecret && text !== '' ? true : isSecret ? null : withoutPassword(text))
    writes.push({ key, value, shown: { before: shownOf(seenOf(key, before)), after } })
  }
  for (const key of unset) {
    const before = stored.get(key)
    if (before !== undefined)
      writes.push({ key, value: null, shown: { before: shownOf(seenOf(key, before)), after: null } })
  }
  return writes
}

function shownOf(seen: RedactedSetting): object | null {
  if (seen === null) return null
  return seen === true ? { isSet: true } : { value: seen }
}
