/** Whose the conversations of the version before are, after the upgrade. */
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../store/database.ts'
import { firstWorkspaceId, newApiKeyId, newConversationId, newOperatorId, newTurnId, uuidOf } from '../../store/id.ts'
import { migrate } from '../../store/migrate.ts'
import { readMigrations } from '../../store/migration-files.ts'
import { freshAddress } from '../support/database.ts'

const silent = pino({ level: 'silent' })
const workspace = uuidOf(firstWorkspaceId)

test('a conversation belongs to whose key began it; of a session’s nobody knows', async () => {
  const { address, drop } = await freshAddress({ isEmpty: true })
  onTestFinished(drop)
  const migrations = await readMigrations()
  await migrate(address, silent, {
    migrations: migrations.slice(
      0,
      migrations.findIndex(({ name }) => name.endsWith('_owners.sql')),
    ),
  })
  const db = openDatabase(address)
  onTestFinished(() => db.close())
  const operator = uuidOf(newOperatorId())
  const [personal, service] = [uuidOf(newApiKeyId()), uuidOf(newApiKeyId())]
  await db.system`insert into operators (id, login, password_hash, created_by) values (${operator}, 'anna', '', 'test')`
  for (const [id, kind, of] of [
    [personal, 'personal', operator],
    [service, 'service', null],
  ] as const)
    await db.system`
      insert into api_keys (id, workspace_id, name, kind, hint, scopes, hash, created_by, operator_id)
      values (${id}, ${workspace}, 'k', ${kind}, 'h', '{chat}', ${Buffer.from(String(id))}, 'test', ${of}::uuid)`
  async function begun(...keys: (string | null | undefined)[]): Promise<string> {
    const id = uuidOf(newConversationId())
    await db.system`insert into conversations (id, workspace_id) values (${id}, ${workspace})`
    for (const [at, key] of keys.entries())
      await db.system`
        insert into turns (id, workspace_id, conversation_id, api_key_id, request_id, epoch, status, model, is_stream, started_at, origin)
        values (${uuidOf(newTurnId())}, ${workspace}, ${id}, ${key ?? null}::uuid, 'r', 1, 'completed', 'm', true,
          now() + make_interval(secs => ${at}), 'call')`
    return id
  }
  const [byPerson, byProgram, bySession] = [await begun(personal, service), await begun(service), await begun(null)]

  await migrate(address, silent)

  const rows = await db.system<{ id: string; owner: string | null }>`select id, owner from conversations`
  expect(Object.fromEntries(rows.map(({ id, owner }) => [id.replaceAll('-', ''), owner]))).toEqual({
    [byPerson]: `operator:${operator}`,
    [byProgram]: `key:${service}`,
    [bySession]: null,
  })
})
