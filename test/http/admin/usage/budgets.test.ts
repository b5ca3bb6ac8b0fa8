/** Budgets: told at the soft limit, refused at the hard one, by two nodes as by one. */
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { type ApiKeyId, uuidOf } from '../../../../store/id.ts'
import { hardBudgets } from '../../../../store/usage/budgets.ts'
import { webhookReceiver } from '../../../actors/channel/support/webhook-receiver.ts'
import { freshAddress } from '../../../support/database.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../../support/gateway.ts'
import { busBetween } from '../../../support/lossy-bus.ts'
import { completionOf, json } from '../../../support/model-endpoint.ts'
import { chatSocket } from '../../web-chat/support/chat-socket.ts'

let one: GatewayUnderTest
let other: GatewayUnderTest
let drop: () => Promise<void>
let calls = 0
/** Until then no call is answered. */
let hold: Promise<void> | undefined

const tokensOfCall = 110
/** In millionths: 100 tokens in at 1, 10 out at 10. */
const costOfCall = 200

beforeAll(async () => {
  const fresh = await freshAddress()
  drop = fresh.drop
  const { address } = fresh
  const between = busBetween()
  const bus = (node: number) => between.of(node)
  const environment = { SERVICE_MASTER_KEY: Buffer.alloc(32, 'n').toString('base64'), SERVICE_MODERATION: 'off' }
  one = await gatewayUnderTest(environment, { address, bus })
  other = await gatewayUnderTest({ ...environment, SERVICE_LLM_GATEWAY_URL: one.endpoint.url }, { address, bus })
  one.endpoint.always(async (call) => {
    calls++
    await (hold ?? new Promise((resolve) => setTimeout(resolve, 5)))
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: tokensOfCall }
    await json({ ...completionOf('yes'), model: 'm', usage })(call)
  })
  const price = {
    model: 'm',
    currency: 'USD',
    from: '2020-01-01T00:00:00Z',
    units: { token_in: 1_000_000, token_out: 10_000_000 },
  }
  expect((await one.post('/v1/admin/prices/import', { prices: [price] })).status).toBe(200)
  // Both nodes count by it.
  for (const at of [one, other]) {
    const costOfAnother = async () => {
      await ask(at)
      const { items } = (await (await at.get('/v1/admin/turns?limit=1&status=completed')).json()) as {
        items: { cost: unknown }[]
      }
      return items[0]?.cost
    }
    const cost = { currency: 'USD', micro_units: String(costOfCall) }
    await vi.waitFor(async () => expect(await costOfAnother()).toEqual(cost), { timeout: 10_000, interval: 50 })
  }
})
afterAll(async () => {
  await other.stop()
  await one.stop()
  await drop()
})
beforeEach(async () => {
  for (const { id } of await budgets()) expect((await one.post('/v1/admin/budgets/remove', { id })).status).toBe(200)
})

interface View {
  id: string
  spent: string
  state: string
}
async function budgets(): Promise<View[]> {
  return ((await (await one.get('/v1/admin/budgets')).json()) as { items: View[] }).items
}

const set = (body: object) => one.post('/v1/admin/budgets/set', { subject: 'workspace', period: 'day', ...body })
const ask = (at: GatewayUnderTest, more: object = {}, headers: Record<string, string> = {}) =>
  at.post('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...more }, headers)

const spentBy = async () => Number((await budgets())[0]?.spent)

/** What the workspace has spent already. */
async function tokensSpent(): Promise<number> {
  const made = (await (await set({ unit: 'tokens', soft_limit: 1_000_000_000 })).json()) as { id: string }
  const spent = Number((await budgets()).find(({ id }) => id === made.id)?.spent)
  await one.post('/v1/admin/budgets/remove', { id: made.id })
  return spent
}

test('64 callers on two nodes that race to a hard limit pass it by no more than was under way', async () => {
  const callers = 64
  const budgetOf = { unit: 'micro_units', currency: 'USD' }
  expect((await set({ ...budgetOf, hard_limit: 1 })).status).toBe(200)
  for (const at of [one, other]) await expect.poll(async () => (await ask(at)).status, { timeout: 10_000 }).toBe(429)
  const limit = (await spentBy()) + 100 * costOfCall
  expect((await set({ ...budgetOf, hard_limit: limit })).status).toBe(200)
  const before = calls
  const refusals: Response[] = []
  let answered = 0
  let underWay = 0
  /** When the answer had come that used up the limit: what it cost is stored by then. */
  let underWayAtLimit = Number.NaN
  await Promise.all(
    Array.from({ length: callers }, async (_, at) => {
      for (;;) {
        underWay++
        const answer = await ask(at % 2 ? one : other, { stream: at % 4 > 1 })
        const text = await answer.text()
        underWay--
        if (answer.status === 200) {
          if (++answered === 100) underWayAtLimit = underWay
          continue
        }
        expect(answer.status).toBe(429)
        expect(JSON.parse(text).error).toMatchObject({ type: 'rate_limit_error', code: 'budget_exceeded' })
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
        refusals.push(answer)
        return
      }
    }),
  )
  const made = calls - before
  expect(refusals).toHaveLength(callers)
  const [budget] = await budgets()
  console.info(
    `${callers} callers on two nodes: a limit of 100 calls (${100 * costOfCall} micro-units), ${made} made ` +
      `(${Number(budget?.spent) - limit + 100 * costOfCall}), ${underWayAtLimit} under way when it was reached, passed by ${made - 100}`,
  )
  expect(made).toBeGreaterThanOrEqual(100)
  expect(underWayAtLimit).toBeLessThan(callers)
  expect(made - 100).toBeLessThanOrEqual(underWayAtLimit)
  expect(budget).toMatchObject({ state: 'hard', spent: String(limit - 100 * costOfCall + made * costOfCall) })
})

test('of 64 calls that are under way when a limit is reached each is finished, and none begins after them', async () => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  expect((await set({ unit: 'tokens', hard_limit: 1 })).status).toBe(200)
  // A call that is answered before a node knows the limit is spent too.
  for (const at of [one, other]) await expect.poll(async () => (await ask(at)).status, { timeout: 10_000 }).toBe(429)
  const limit = (await spentBy()) + 1 + 2 * tokensOfCall
  expect((await set({ unit: 'tokens', hard_limit: limit })).status).toBe(200)
  // Both nodes know the new limit, and less than a call is left of it.
  for (const at of [one, other]) await expect.poll(async () => (await ask(at)).status, { timeout: 10_000 }).toBe(200)
  const before = calls
  hold = released
  const underWay = Array.from({ length: 64 }, (_, at) => ask(at % 2 ? one : other))
  try {
    await expect.poll(() => calls - before, { timeout: 20_000 }).toBe(64)
  } finally {
    release()
    hold = undefined
  }
  expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual(Array(64).fill(200))
  const late = await Promise.all(Array.from({ length: 64 }, (_, at) => ask(at % 2 ? one : other)))
  expect(late.map(({ status }) => status)).toEqual(Array(64).fill(429))
  expect(calls - before).toBe(64)
})

test('a turn of a key that waits in the queue is ended, once the budget of the key is used up', async () => {
  const made = (await (await one.post('/v1/admin/apikeys', { name: 'web', scopes: ['*'] })).json()) as {
    id: string
    key: string
  }
  const headers = { authorization: `Bearer ${made.key}`, 'content-type': 'application/json' }
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${one.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: answer.status, body: (await answer.json()) as { id: string; turn_id: string } }
  }
  expect((await set({ subject: 'key', value: made.id, unit: 'tokens', hard_limit: 1 })).status).toBe(200)
  const chat = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
  await expect.poll(async () => (await post('/v1/chat/completions', chat)).status, { timeout: 10_000 }).toBe(429)
  const stored = await one.post('/v1/chat/completions', chat, { 'x-service-conversation-id': 'new' })
  const conversation_id = stored.headers.get('x-service-conversation-id')
  const before = calls
  const queued = await post('/v1/admin/conversations/post', { conversation_id, text: 'hi' })
  expect(queued.status, JSON.stringify(queued.body)).toBeLessThan(300)
  const turnOf = () => one.db.system<{ status: string; error_code: string | null; agent: string | null }>`
    select status, error_code, agent from turns where api_key_id is not null and origin = 'admin' order by id desc limit 1`
  const ended = { status: 'failed', error_code: 'budget_exceeded', agent: 'default' }
  await expect.poll(turnOf, { timeout: 10_000 }).toEqual([ended])
  expect(calls).toBe(before)
})

test('the budget of a key is that of the keys it is rotated into, with what was spent before', async () => {
  const keyOf = async (answer: Response) => (await answer.json()) as { id: string; key: string }
  const first = await keyOf(await one.post('/v1/admin/apikeys', { name: 'rotated', scopes: ['*'] }))
  const askWith = (key: string, at: GatewayUnderTest) => ask(at, {}, { authorization: `Bearer ${key}` })
  for (let call = 0; call < 2; call++) expect((await askWith(first.key, one)).status).toBe(200)
  const limits = { unit: 'tokens', hard_limit: 3 * tokensOfCall }
  expect((await set({ subject: 'key', value: first.id, ...limits })).status).toBe(200)
  const second = await keyOf(await one.post('/v1/admin/apikeys/rotate', { id: first.id }))
  const third = await keyOf(await one.post('/v1/admin/apikeys/rotate', { id: second.id }))
  await vi.waitFor(async () => expect(await spentBy()).toBe(2 * tokensOfCall), { timeout: 10_000 })
  const statuses = async () => (await askWith(third.key, other)).status
  await expect.poll(statuses, { timeout: 10_000 }).toBe(429)
  expect(await spentBy()).toBeGreaterThanOrEqual(3 * tokensOfCall)

  // A turn may wait longer than its key is good for, but not for ever.
  const counted = async (endedDaysAgo: number) => {
    await one.db.system`
      update api_keys set revoked_at = now() - make_interval(days => ${endedDaysAgo}::integer) where id = ${uuidOf(second.id as ApiKeyId)}`
    return (await hardBudgets(one.db)).flatMap(({ keys }) => keys).includes(second.id.replace('key_', ''))
  }
  expect(await counted(25)).toBe(true)
  expect(await counted(70)).toBe(false)
})

test('what a web chat uses by a ticket counts on the budget of the key that made the ticket', async () => {
  const made = (await (await one.post('/v1/admin/apikeys', { name: 'tickets', scopes: ['chat'] })).json()) as {
    id: string
    key: string
  }
  const of = { subject: 'key', value: made.id, unit: 'tokens' }
  expect((await set({ ...of, hard_limit: tokensOfCall })).status).toBe(200)
  const asKey = { authorization: `Bearer ${made.key}` }
  const { ticket } = (await (await one.post('/v1/web/tickets', {}, asKey)).json()) as { ticket: string }
  const client = await chatSocket(one.url, { ticket })
  onTestFinished(() => client.leave())
  client.send({ type: 'send', id: 'first', text: 'hi' })
  expect(await client.answerTo('first')).toMatchObject({ kind: 'ok' })
  await expect.poll(spentBy, { timeout: 10_000 }).toBe(tokensOfCall)
  expect((await ask(one, {}, asKey)).status).toBe(429)
  const before = calls
  client.send({ type: 'send', id: 'second', text: 'hi' })
  expect(await client.answerTo('second')).toMatchObject({ kind: 'ok' })
  const newest = () => one.db.system`select status, error_code from turns where origin = 'web' order by id desc limit 1`
  await expect.poll(newest, { timeout: 10_000 }).toEqual([{ status: 'failed', error_code: 'budget_exceeded' }])
  expect(calls).toBe(before)
})

test('a stored conversation and a turn of a queue are refused as well, and other origins are not', async () => {
  expect((await set({ subject: 'origin', value: 'call', unit: 'tokens', hard_limit: 1 })).status).toBe(200)
  await ask(one)
  await expect.poll(async () => (await ask(other)).status).toBe(429)
  const before = calls
  const stored = await one.post(
    '/v1/chat/completions',
    { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
    { 'x-service-conversation-id': 'new' },
  )
  expect(stored.status).toBe(429)
  expect(calls).toBe(before)
  expect((await one.post('/v1/responses', { model: 'm', input: 'hi' })).status).toBe(200)
})

test('each limit is told once, by webhook too, and a budget is changed where it stands', async () => {
  const receiver = await webhookReceiver()
  onTestFinished(() => receiver.close())
  const hook = { kind: 'webhook', target: receiver.url }
  for (const event_kinds of [['budget.soft_limit_reached'], ['budget.hard_limit_reached'], ['budget.*']])
    expect((await one.post('/v1/admin/subscriptions', { ...hook, name: event_kinds[0], event_kinds })).status).toBe(201)
  const limit = (await tokensSpent()) + 1
  const first = (await (await set({ unit: 'tokens', soft_limit: limit, hard_limit: limit + 1_000_000 })).json()) as {
    id: string
  }
  await ask(one)
  const told = () => one.db.system<{ kind: string; payload: { budget: string; spent: string } }>`
    select kind, payload from events where kind like 'budget.%' and subject = (select id from budgets limit 1)`
  await expect
    .poll(told, { timeout: 20_000 })
    .toMatchObject([{ kind: 'budget.soft_limit_reached', payload: { budget: first.id } }])
  await ask(other)
  const again = (await (await set({ unit: 'tokens', hard_limit: limit })).json()) as { id: string }
  expect(again.id).toBe(first.id)
  await expect
    .poll(async () => (await told()).map(({ kind }) => kind).toSorted(), { timeout: 20_000 })
    .toEqual(['budget.hard_limit_reached', 'budget.soft_limit_reached'])
  const posted = () => receiver.received.map(({ raw }) => (JSON.parse(raw) as { type: string }).type).toSorted()
  const twice = (kind: string) => [kind, kind]
  await expect
    .poll(posted, { timeout: 20_000 })
    .toEqual([...twice('budget.hard_limit_reached'), ...twice('budget.soft_limit_reached')])
})

test('a budget that could not be kept is refused', async () => {
  const bad: object[] = [
    { unit: 'tokens' },
    { unit: 'tokens', hard_limit: -1 },
    { unit: 'tokens', hard_limit: 1.5 },
    { unit: 'tokens', hard_limit: 1e16 },
    { unit: 'tokens', soft_limit: 2, hard_limit: 1 },
    { unit: 'tokens', currency: 'USD', hard_limit: 1 },
    { unit: 'micro_units', hard_limit: 1 },
    { unit: 'micro_units', currency: 'EUR', hard_limit: 1 },
    { unit: 'tokens', hard_limit: 1, value: 'x' },
    { subject: 'key', value: 'x', unit: 'tokens', hard_limit: 1 },
    { subject: 'origin', value: 'x', unit: 'tokens', hard_limit: 1 },
    { subject: 'agent', unit: 'tokens', hard_limit: 1 },
    { period: 'year', unit: 'tokens', hard_limit: 1 },
  ]
  for (const each of bad) expect((await set(each)).status, JSON.stringify(each)).toBe(400)
  expect(await budgets()).toEqual([])
})
