/** Uses of keys in the store: rows are locked in one order, so that processes that write at once do not wait for each other. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey } from '../../store/api-keys/changes.ts'
import { recordKeyUses } from '../../store/api-keys/uses.ts'
import type { Database } from '../../store/database.ts'
import { type ApiKeyId, firstWorkspaceId, newApiKeyId, uuidOf } from '../../store/id.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

/** Sessions that wait for a lock in this database, of which there are many on the server. */
async function waiting(db: Database): Promise<number> {
  const rows = await db.system`
    select from pg_locks where not granted and pid in (
      select pid from pg_locks join pg_database on pg_database.oid = database where datname = current_database())`
  return rows.length
}

test('keys are locked in the order of their ids, not of their place', async () => {
  const { db } = fresh
  const [low, high] = [newApiKeyId(), newApiKeyId()].sort() as [ApiKeyId, ApiKeyId]
  for (const id of [high, low])
    await createApiKey(db, {
      ...{ id, workspaceId: firstWorkspaceId, name: 'key', kind: 'service', hash: randomBytes(32), hint: 'x' },
      ...{ scopes: ['chat'], rateLimitRpm: null, expiresAt: null, createdBy: 'test' },
    })
  const at = new Date()
  const { written } = await db.transaction('system', async (query) => {
    await query`select from api_keys where id = ${uuidOf(low)} for update`
    const noted = recordKeyUses(
      db,
      [high, low].map((id) => ({ id, at })),
    )
    noted.catch(() => {})
    await expect.poll(() => waiting(db)).toBe(1)
    // It waits for the smaller one, and holds nothing that the holder of that one may want.
    await query`select from api_keys where id = ${uuidOf(high)} for update nowait`
    return { written: noted }
  })
  await written
  const rows = await db.system<{
    used_at: Date
  }>`select used_at from api_keys where id = any(${[low, high].map(uuidOf)}::uuid[])`
  expect(rows.map((row) => row.used_at)).toEqual([at, at])
})
