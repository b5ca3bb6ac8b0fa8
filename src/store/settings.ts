/** Settings as they are stored: text, sealed where it is secret. Unsealing is not the store's business. */
import type { Database } from './database.ts'

export interface StoredSetting {
  value: string
  isSealed: boolean
  updatedAt: Date
}

export async function readSettings(db: Database): Promise<Map<string, StoredSetting>> {
  const rows = await db.system<{ key: string; value: string; is_sealed: boolean; updated_at: Date }>`
    select key, value, is_sealed, updated_at from settings order by key`
  return new Map(rows.map((row) => [row.key, { value: row.value, isSealed: row.is_sealed, updatedAt: row.updated_at }]))
}

export async function writeSetting(
  db: Database,
  key: string,
  setting: { value: string; isSealed: boolean; updatedBy: string },
): Promise<void> {
  await db.system`
    insert into settings (key, value, is_sealed, updated_by)
    values (${key}, ${setting.value}, ${setting.isSealed}, ${setting.updatedBy})
    on conflict (key) do update
    set value = excluded.value, is_sealed = excluded.is_sealed, updated_by = excluded.updated_by, updated_at = now()`
}

/** False: it was not stored. */
export async function deleteSetting(db: Database, key: string): Promise<boolean> {
  const rows = await db.system<{ key: string }>`delete from settings where key = ${key} returning key`
  return rows.length > 0
}
