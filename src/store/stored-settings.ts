/** The stored settings in plain text, for whoever resolves them; and the way back. */
import { isSettingKey, parseSetting, type SettingKey, settingOf } from '../config/catalogue.ts'
import { type MasterKey, seal, unseal } from '../config/seal.ts'
import { notifyChange } from './changes.ts'
import type { Database } from './database.ts'
import { deleteSetting, readSettings, writeSetting } from './settings.ts'

/**
 * @returns plain text by key. Keys that this version does not know are left out.
 * @throws SealBroken when a value was sealed under another master key
 */
export async function readPlainSettings(db: Database, masterKey: () => MasterKey): Promise<Map<string, string>> {
  const plain = new Map<string, string>()
  for (const [key, stored] of await readSettings(db)) {
    if (!isSettingKey(key)) continue
    plain.set(key, stored.isSealed ? unseal(masterKey(), key, stored.value) : stored.value)
  }
  return plain
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
  const isSealed = settingOf(key).isSecret
  const value = isSealed ? seal(masterKey(), key, text) : text
  await writeSetting(db, key, { value, isSealed, updatedBy })
  await notifyChange(db, 'settings')
}

/** False: it was not stored. */
export async function unstoreSetting(db: Database, key: SettingKey): Promise<boolean> {
  const wasStored = await deleteSetting(db, key)
  if (wasStored) await notifyChange(db, 'settings')
  return wasStored
}
