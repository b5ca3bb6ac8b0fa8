/** Settings as they are stored: text, sealed where it is secret. Unsealing is not the store's business. */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import type { Query } from '../postgres/query.ts'
import { safeText } from '../postgres/safe-text.ts'

export interface StoredSetting {
  value: string
  isSealed: boolean
  updatedAt: Date
}

/** One change, and what the audit log shows of it: never a secret. */
export interface SettingWrite {
  key: string
  /** Null: it is stored no more. */
  value: { text: string; isSealed: boolean } | null
  shown: { before: object | null; after: object | null }
}

export async function readSettings(db: Database): Promise<Map<string, StoredSetting>> {
  return await storedSettings(db.system)
}

/**
 * Reads what is stored, writes what `decide` makes of it, and each change into the audit log: all or nothing, and nobody
 * else writes settings meanwhile.
 * @returns what was written @throws what `decide` throws; nothing is changed then
 */
export async function rewriteSettings(
  db: Database,
  actor: AuditActor,
  decide: (stored: ReadonlyMap<string, StoredSetting>) => readonly SettingWrite[],
): Promise<readonly SettingWrite[]> {
  return await db.transaction('system', async (query) => {
    await query`lock table settings in share row exclusive mode`
    const writes = decide(await storedSettings(query))
    for (const { key, value } of writes) {
      if (value === null) await query`delete from settings where key = ${key}`
      else await write(query, key, { value: value.text, isSealed: value.isSealed, updatedBy: actor.name })
    }
    for (const { key, value, shown } of writes)
      await writeAudit(query, {
        actor,
        action: value === null ? 'setting.unset' : 'setting.set',
        target: key,
        summary: shown,
      })
    return writes
  })
}

async function storedSettings(query: Query): Promise<Map<string, StoredSetting>> {
  const rows = await query<{ key: string; value: string; is_sealed: boolean; updated_at: Date }>`
    select key, value, is_sealed, updated_at from settings order by key`
  return new Map(rows.map((row) => [row.key, { value: row.value, isSealed: row.is_sealed, updatedAt: row.updated_at }]))
}

async function write(
  query: Query,
  key: string,
  setting: { value: string; isSealed: boolean; updatedBy: string },
): Promise<void> {
  await query`
    insert into settings (key, value, is_sealed, updated_by)
    values (${key}, ${safeText(setting.value)}, ${setting.isSealed}, ${safeText(setting.updatedBy)})
    on conflict (key) do update
    set value = excluded.value, is_sealed = excluded.is_sealed, updated_by = excluded.updated_by, updated_at = now()`
}
