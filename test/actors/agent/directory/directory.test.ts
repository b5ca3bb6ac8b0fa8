/** Agents in memory: found by name without a wait, and kept as the database has them. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { defaultAgent } from '../../../../actors/agent/directory/definition.ts'
import { agentDirectory } from '../../../../actors/agent/directory/directory.ts'
import { agentRefresh, startAgents } from '../../../../actors/agent/directory/start.ts'
import {
  createAgent,
  deleteAgent,
  notifyAgentsChanged,
  restoreAgent,
  type StoredAgent,
  updateAgent,
} from '../../../../store/agents.ts'
import { listenForChanges } from '../../../../store/changes.ts'
import { type Database, openDatabase } from '../../../../store/database.ts'
import { idFrom, newWorkspaceId, type WorkspaceId } from '../../../../store/id.ts'
import { ensureWorkspace } from '../../../../store/workspaces.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/database.ts'
import { maintained } from '../../../support/maintained.ts'
import { recordingLog } from '../../../support/recording-log.ts'
import { virtualClock } from '../../../support/virtual-clock.ts'

let fresh: FreshDatabase
let db: Database
beforeAll(async () => {
  fresh = await freshDatabase()
  db = fresh.db
})
afterAll(() => fresh.drop())

const actorOf = (workspaceId: WorkspaceId) => ({ workspaceId, name: 'test', ip: '127.0.0.1', requestId: 'r' })

async function workspace(): Promise<WorkspaceId> {
  const id = newWorkspaceId()
  await ensureWorkspace(db, id, id)
  return id
}

async function made(of: WorkspaceId, name: string, definition: Record<string, unknown> = {}): Promise<StoredAgent> {
  const agent = await createAgent(db, actorOf(of), { name, definition })
  if (typeof agent === 'string') throw new Error(agent)
  return agent
}

function directory(options: { agentsMax?: number } = {}) {
  const { log, lines } = recordingLog()
  return { agents: agentDirectory({ db, log, ...options }), log, lines }
}

/** What a process has: its directory, kept fresh by word of changes. */
async function anotherProcess() {
  const { agents, log } = directory()
  const changes = await listenForChanges(db, log)
  const stop = await startAgents({ agents, changes, log })
  onTestFinished(async () => {
    stop()
    await changes.close()
  })
  return agents
}

test('an agent is found by its name in its workspace only', async () => {
  const [mine, theirs] = [await workspace(), await workspace()]
  const { id } = await made(mine, 'seller', { model: 'm' })
  await made(theirs, 'buyer')
  const { agents } = directory()
  await agents.refresh()
  expect(agents.find(mine, 'seller')).toMatchObject({ id, version: 1, definition: { ...defaultAgent, model: 'm' } })
  expect(agents.find(theirs, 'seller')).toBeUndefined()
  expect(agents.list(mine).map(({ name }) => name)).toEqual(['seller'])
  expect(agents.list(newWorkspaceId())).toEqual([])
})

test('default is the built-in agent until an operator makes one, and again once that is deleted', async () => {
  const own = await workspace()
  const { agents } = directory()
  expect(agents.find(own, 'default')).toMatchObject({ id: null, version: 0, definition: defaultAgent })
  const { id } = await made(own, 'default', { instructions: 'Be brief.' })
  await agents.refresh()
  expect(agents.find(own, 'default')).toMatchObject({ id, definition: { instructions: 'Be brief.' } })
  await deleteAgent(db, actorOf(own), id)
  await agents.refresh()
  expect(agents.find(own, 'default')).toMatchObject({ id: null })
})

test('an agent that cannot be read is off and logged once, without its texts; its default is not replaced', async () => {
  const own = await workspace()
  await made(own, 'default', { tools: [], later: { secret: 'sk-very-secret-text' } })
  await made(own, 'sound')
  const { agents, lines } = directory()
  await agents.refresh()
  await agents.refresh()
  expect(agents.find(own, 'default')).toBeUndefined()
  expect(agents.list(own).map(({ name }) => name)).toEqual(['sound'])
  expect(lines.filter((line) => line['workspaceId'] === own)).toMatchObject([{ agent: 'default', version: 1 }])
  expect(JSON.stringify(lines)).not.toContain('very-secret')
})

test('unchanged agents are not read again', async () => {
  const own = await workspace()
  await made(own, 'same')
  const { id } = await made(own, 'other')
  const { agents } = directory()
  await agents.refresh()
  const [same, other] = [agents.find(own, 'same'), agents.find(own, 'other')]
  await updateAgent(db, actorOf(own), id, { name: 'renamed', definition: {}, version: 1 })
  await agents.refresh()
  expect(agents.find(own, 'same')).toBe(same)
  expect(agents.find(own, 'other')).toBeUndefined()
  expect(agents.find(own, 'renamed')).not.toBe(other)
})

test('a refresh requested while another reads finds what was stored before the request', async () => {
  const own = await workspace()
  const looked = Promise.withResolvers<void>()
  const stored = Promise.withResolvers<void>()
  let looks = 0
  const slow: Database = {
    ...db,
    async system<Row extends object>(...call: Parameters<Database['system']>) {
      const rows = await db.system<Row>(...call)
      looks++
      looked.resolve()
      await stored.promise
      return rows
    },
  }
  const agents = agentDirectory({ db: slow, log: recordingLog().log })
  const first = agents.refresh()
  await looked.promise
  await made(own, 'just-made')
  const later = Array.from({ length: 10 }, () => agents.refresh())
  stored.resolve()
  await first
  expect(agents.find(own, 'just-made')).toBeUndefined()
  await Promise.all(later)
  expect(agents.find(own, 'just-made')).toBeDefined()
  // Each looks for the agents, and for what is granted.
  expect(looks).toBe(2 * 2)
})

test('another process is notified of agents that are created, changed, deleted and restored', async () => {
  const own = await workspace()
  const elsewhere = await anotherProcess()
  const { id } = await made(own, 'heard', { model: 'one' })
  await notifyAgentsChanged(db)
  await expect.poll(() => elsewhere.find(own, 'heard')?.definition.model).toBe('one')
  await updateAgent(db, actorOf(own), id, { name: undefined, definition: { model: 'two' }, version: 1 })
  await notifyAgentsChanged(db)
  await expect.poll(() => elsewhere.find(own, 'heard')?.definition.model).toBe('two')
  await deleteAgent(db, actorOf(own), id)
  await notifyAgentsChanged(db)
  await expect.poll(() => elsewhere.find(own, 'heard')).toBeUndefined()
  await restoreAgent(db, actorOf(own), id, 1)
  await notifyAgentsChanged(db)
  await expect.poll(() => elsewhere.find(own, 'heard')?.definition.model).toBe('one')
})

test('a change whose notification was lost is found after half a minute, and nothing is read after the stop', async () => {
  const own = await workspace()
  const clock = virtualClock()
  const { agents, log } = directory()
  const deaf = { isListening: false, onChange: () => () => {}, close: async () => {} }
  await startAgents({ agents, changes: deaf, log })
  const { repetition } = maintained(agentRefresh(agents), clock)
  await made(own, 'unheard')
  await clock.advance(29_000)
  expect(agents.find(own, 'unheard')).toBeUndefined()
  await clock.advance(1_000)
  await expect.poll(() => agents.find(own, 'unheard')).toBeDefined()
  await repetition.stop()
  expect(clock.timersWaiting).toBe(0)
})

test('while the database is down the agents stay and it is logged, and they are refreshed after it', async () => {
  const own = await workspace()
  await made(own, 'kept')
  const clock = virtualClock()
  const { log } = recordingLog()
  const other = openDatabase(fresh.address)
  let isAway = false
  const shaky: Database = {
    ...other,
    system: (text, ...values) => (isAway ? Promise.reject(new Error('away')) : other.system(text, ...values)),
  }
  const agents = agentDirectory({ db: shaky, log })
  const deaf = { isListening: false, onChange: () => () => {}, close: async () => {} }
  await startAgents({ agents, changes: deaf, log })
  const { repetition, lines: ofSystem } = maintained(agentRefresh(agents), clock)
  isAway = true
  await made(own, 'later')
  await clock.advance(30_000)
  await expect.poll(() => ofSystem.some(({ msg }) => msg === 'actor crashed')).toBe(true)
  expect(agents.find(own, 'kept')).toBeDefined()
  isAway = false
  await clock.advance(30_000)
  await expect.poll(() => agents.find(own, 'later')).toBeDefined()
  await repetition.stop()
  await other.close()
})

test('agents beyond the limit are not loaded, and it is logged', async () => {
  await made(await workspace(), 'one')
  await made(await workspace(), 'two')
  const { agents, lines } = directory({ agentsMax: 1 })
  await agents.refresh()
  const rows = await db.system<{ id: string }>`select id from workspaces`
  const listed = rows.flatMap(({ id }) => agents.list(idFrom('ws', id)))
  expect(listed).toHaveLength(1)
  expect(lines).toContainEqual(expect.objectContaining({ level: 50, agents_max: 1 }))
})
