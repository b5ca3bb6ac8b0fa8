/** What the workspaces of the version before may use after the upgrade: what their agents list. */
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../store/database.ts'
import { newAgentId, newWorkspaceId, uuidOf } from '../../store/id.ts'
import { migrate } from '../../store/migrate.ts'
import { readMigrations } from '../../store/migration-files.ts'
import { ensureWorkspace, listToolGrants } from '../../store/workspaces.ts'
import { freshAddress } from '../support/database.ts'

const silent = pino({ level: 'silent' })

test('a workspace keeps the tools that its agents list, and gets no others', async () => {
  const { address, drop } = await freshAddress({ isEmpty: true })
  onTestFinished(drop)
  const migrations = await readMigrations()
  const ours = migrations.findIndex(({ name }) => name.endsWith('_tool_grants.sql'))
  await migrate(address, silent, { migrations: migrations.slice(0, ours) })
  const db = openDatabase(address)
  onTestFinished(() => db.close())
  const [listing, silentOne] = [newWorkspaceId(), newWorkspaceId()]
  await ensureWorkspace(db, listing, 'listing')
  await ensureWorkspace(db, silentOne, 'silent')
  for (const [workspace, name, definition, deletedAt] of [
    [listing, 'one', { tools: ['http_request', 'crm__*', 'calculator'] }, null],
    [listing, 'two', { tools: ['http_request', 'db_query'] }, null],
    [listing, 'gone', { tools: ['code_exec'] }, new Date()],
    [silentOne, 'all', {}, null],
  ] as const)
    await db.system`
      insert into agents (id, workspace_id, name, version, definition, updated_by, deleted_at)
      values (${uuidOf(newAgentId())}, ${uuidOf(workspace)}, ${name}, 1, ${JSON.stringify(definition)}::text::jsonb, 'test', ${deletedAt})`

  await migrate(address, silent)

  const grants = await listToolGrants(db)
  expect(grants.find(({ id }) => id === listing)?.tools).toEqual(['crm__*', 'db_query', 'http_request'])
  expect(grants.find(({ id }) => id === silentOne)?.tools).toEqual([])
})
