/** Agents in the database: what holds when two change them at once, and what is kept for how long. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  agentLimits,
  createAgent,
  deleteAgent,
  listAgents,
  readAgent,
  readAgentVersions,
  restoreAgent,
  type StoredAgent,
  updateAgent,
} from '../../store/agents.ts'
import { listAudit } from '../../store/audit/audit.ts'
import { newWorkspaceId, uuidOf, type WorkspaceId } from '../../store/id.ts'
import { ensureWorkspace } from '../../store/workspaces.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

async function actor() {
  const workspaceId: WorkspaceId = newWorkspaceId()
  await ensureWorkspace(fresh.db, workspaceId, workspaceId)
  return { workspaceId, name: 'test', ip: '127.0.0.1', requestId: 'r' }
}
type Actor = Awaited<ReturnType<typeof actor>>

function stored(result: StoredAgent | string): StoredAgent {
  if (typeof result === 'string') throw new Error(result)
  return result
}

const made = async (by: Actor, name: string, definition = {}) =>
  stored(await createAgent(fresh.db, by, { name, definition }))

const live = { name: '', isDeleted: false }
const page = { before: null, offset: 0, limit: 10 }

async function crowd(by: Actor, many: number, deletedAt: Date | null): Promise<void> {
  await fresh.db.forWorkspace(by.workspaceId)`
    insert into agents (id, workspace_id, name, definition, updated_by, deleted_at)
    select gen_random_uuid(), ${uuidOf(by.workspaceId)}, 'crowd-' || n, '{}', 'test', ${deletedAt}
    from generate_series(1, ${many}::integer) as n`
}

test('when two agents take one name at once, one gets it', async () => {
  const by = await actor()
  const results = await Promise.all([1, 2, 3].map(() => createAgent(fresh.db, by, { name: 'one', definition: {} })))
  expect(results.filter((result) => result === 'name_taken')).toHaveLength(2)
  expect((await listAgents(fresh.db, by.workspaceId, live, page)).total).toBe(1)
})

test('when several take the last place at once, one gets it', async () => {
  const by = await actor()
  await crowd(by, agentLimits.agentsMax - 1, null)
  const names = ['a', 'b', 'c']
  const results = await Promise.all(names.map((name) => createAgent(fresh.db, by, { name, definition: {} })))
  expect(results.filter((result) => result === 'too_many')).toHaveLength(2)
  expect((await listAgents(fresh.db, by.workspaceId, live, page)).total).toBe(agentLimits.agentsMax)
})

test('a refused change leaves neither a version nor an entry in the audit log', async () => {
  const by = await actor()
  const agent = await made(by, 'one')
  await made(by, 'two')
  const { db } = fresh
  const change = { name: undefined, definition: {}, version: 7 }
  expect(await updateAgent(db, by, agent.id, change)).toBe('version_conflict')
  expect(await updateAgent(db, by, agent.id, { ...change, version: 1, name: 'two' })).toBe('name_taken')
  expect(await restoreAgent(db, by, agent.id, 7)).toBe('unknown_version')
  expect(await readAgentVersions(db, by.workspaceId, agent.id, { before: null, limit: 10 })).toHaveLength(1)
  expect(await listAudit(db, by.workspaceId, { before: null, limit: 10 })).toHaveLength(2)
})

test('the newest versions are kept, up to the limit', async () => {
  const by = await actor()
  const { id } = await made(by, 'changed-often')
  const { versionsMax } = agentLimits
  await fresh.db.forWorkspace(by.workspaceId)`
    insert into agent_versions (agent_id, version, workspace_id, name, definition, saved_by)
    select ${uuidOf(id)}, n, ${uuidOf(by.workspaceId)}, 'changed-often', '{}', 'test'
    from generate_series(2, ${versionsMax}::integer) as n`
  await fresh.db.forWorkspace(by.workspaceId)`update agents set version = ${versionsMax} where id = ${uuidOf(id)}`
  stored(await updateAgent(fresh.db, by, id, { name: undefined, definition: {}, version: versionsMax }))
  const [range] = await fresh.db.forWorkspace(by.workspaceId)<{ first: number; last: number; n: number }>`
    select min(version) as first, max(version) as last, count(*)::integer as n from agent_versions`
  expect(range).toEqual({ first: 2, last: versionsMax + 1, n: versionsMax })
  expect(await restoreAgent(fresh.db, by, id, 1)).toBe('unknown_version')
})

test('when there are too many deleted agents, the one deleted first is removed with its versions', async () => {
  const by = await actor()
  const oldest = await made(by, 'oldest')
  await deleteAgent(fresh.db, by, oldest.id)
  await crowd(by, agentLimits.deletedMax - 1, new Date(Date.now() + 60_000))
  expect((await readAgent(fresh.db, by.workspaceId, oldest.id))?.deletedAt).toBeInstanceOf(Date)
  const newest = await made(by, 'newest')
  await fresh.db.forWorkspace(
    by.workspaceId,
  )`update agents set deleted_at = now() - interval '1 day' where id = ${uuidOf(oldest.id)}`
  await deleteAgent(fresh.db, by, newest.id)
  expect(await readAgent(fresh.db, by.workspaceId, oldest.id)).toBeNull()
  expect(await readAgentVersions(fresh.db, by.workspaceId, oldest.id, { before: null, limit: 1 })).toEqual([])
  expect(stored(await restoreAgent(fresh.db, by, newest.id, 1)).version).toBe(2)
})

test('the same content has the same digest, in any order of its fields', async () => {
  const by = await actor()
  const agent = await made(by, 'ordered', { temperature: 0.5, model: 'm', tools: ['b', 'a'] })
  const definition = { tools: ['b', 'a'], model: 'm', temperature: 0.5 }
  stored(await updateAgent(fresh.db, by, agent.id, { name: undefined, definition, version: 1 }))
  const [update] = await listAudit(fresh.db, by.workspaceId, { before: null, limit: 1 })
  expect(update?.action).toBe('agent.change')
  expect(update?.afterDigest).toBe(update?.beforeDigest)
})

test('a name is found by any part of it, and pattern characters are literal', async () => {
  const by = await actor()
  for (const name of ['Sales_DE', 'sales-fr', 'support']) await made(by, name)
  const found = async (name: string) =>
    (await listAgents(fresh.db, by.workspaceId, { name, isDeleted: false }, page)).agents.map((agent) => agent.name)
  expect(await found('SALES')).toEqual(['sales-fr', 'Sales_DE'])
  expect(await found('s_d')).toEqual(['Sales_DE'])
  expect(await found('%')).toEqual([])
})
