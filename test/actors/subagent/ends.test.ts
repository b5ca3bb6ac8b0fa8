/** How a sub-agent ends that is cancelled or takes too long: whoever waits for it lets it store how its calls ended first. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { poll, type Supervised, supervised } from '../approvals/support/supervised.ts'
import { answer, calls, makeAgent, toolResults } from '../turn/support/agents.ts'
import { lastTurn } from '../turn/support/parts.ts'

let our: Supervised
beforeAll(async () => {
  our = await supervised({ SERVICE_APPROVAL_TOOLS: '', SERVICE_SUBAGENT_TIMEOUT_SEC: '1' })
  await makeAgent(our.service, 'lead', { sub_agents: ['clerk'], tools: [] })
  await makeAgent(our.service, 'clerk', { tools: ['http_request'] })
})
afterAll(() => our.stop())
afterEach(() => {
  our.effects.made.length = 0
  our.service.endpoint.requests.length = 0
})

const handOver = calls({ name: 'delegate', arguments: { agent: 'clerk', task: 'Order it' } })

/** Lets the sub-agent make a call that gets no answer. @returns what the client gets, and an end to the waiting */
async function clerkAtWork(signal?: AbortSignal) {
  const release = our.effects.hold()
  our.service.endpoint.script(handOver, calls(our.effect('/order')), answer('Without it then.'))
  const body = { model: 'lead', messages: [{ role: 'user', content: 'Order it' }] }
  const response = our.service.post('/v1/chat/completions', body, {}, signal).catch(() => 'left')
  await poll(async () => our.effects.made.length, Boolean)
  return { response, release }
}

/** No step can be stored until the lock is released. */
async function lockSteps(): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<void>()
  const unlock = Promise.withResolvers<void>()
  const ended = our.service.db.transaction('system', async (query) => {
    await query`lock table turn_steps in share mode`
    locked.resolve()
    await unlock.promise
  })
  await Promise.race([locked.promise, ended])
  return () => {
    unlock.resolve()
    return ended
  }
}

/** A statement waits for the lock. */
async function isWriteBlocked(): Promise<boolean> {
  const rows = await our.service.db.system`
    select from pg_locks where not granted and relation = 'turn_steps'::regclass`
  return rows.length > 0
}

test('a cancelled turn ends after its sub-agent has stored how its calls ended', async () => {
  const leaving = new AbortController()
  const { response, release } = await clerkAtWork(leaving.signal)
  const unlock = await lockSteps()
  leaving.abort()
  expect(await response).toBe('left')
  await poll(isWriteBlocked, Boolean)
  // Time enough for the end of the turn to be recorded, if it waited for nothing.
  const { id } = await lastTurn(our.service)
  our.service.endpoint.always(answer('Yes.'))
  const other = { model: 'some-model', messages: [{ role: 'user', content: 'Are you there?' }] }
  for (let nth = 0; nth < 3; nth++) expect((await our.service.post('/v1/chat/completions', other)).status).toBe(200)
  expect(await statusOf(id)).toBe('running')
  await unlock()
  await poll(
    () => statusOf(id),
    (status) => status === 'cancelled',
  )
  expect(await our.calls()).toContain('http_request unknown')
  release()
})

test('one that takes too long has stored how its call ended when the agent above it goes on', async () => {
  const { response, release } = await clerkAtWork()
  await our.service.endpoint.until(() => our.service.endpoint.requests.length === 3)
  expect((await our.calls()).at(-1)).toBe('http_request unknown')
  expect(toolResults(our.service.endpoint.requests[2])).toEqual(['The agent clerk did not finish within 1 s.'])
  await response
  release()
})

test('one that takes too long and cannot store how its call ended holds up the agent above it for 2 s at most', async () => {
  const { response, release } = await clerkAtWork()
  const unlock = await lockSteps()
  const startedMs = performance.now()
  await our.service.endpoint.until(() => our.service.endpoint.requests.length === 3)
  // Its own time of 1 s, the 2 s, and what a machine adds whose cores others use.
  expect(performance.now() - startedMs).toBeLessThan(10_000)
  expect(await isWriteBlocked()).toBe(true)
  await unlock()
  expect(await response).toMatchObject({ status: 200 })
  await poll(
    () => our.calls(),
    (made) => made.at(-1) === 'http_request unknown',
  )
  release()
})

async function statusOf(turn: string): Promise<string | undefined> {
  const [row] = await our.service.db.system<{ status: string }>`
    select status from turns where id = ${turn.slice('turn_'.length)}::uuid`
  return row?.status
}
