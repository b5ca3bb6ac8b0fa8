/** A key with a limit of tokens a minute: refused before its model is called, by what its calls have used. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { freshAddress } from '../../support/database.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { busBetween } from '../../support/lossy-bus.ts'
import { completionOf, json } from '../../support/model-endpoint.ts'

let one: GatewayUnderTest
let other: GatewayUnderTest
let drop: () => Promise<void>
let calls = 0

beforeAll(async () => {
  const fresh = await freshAddress()
  drop = fresh.drop
  const between = busBetween()
  const parts = { address: fresh.address, bus: (node: number) => between.of(node) }
  const environment = { SERVICE_MASTER_KEY: Buffer.alloc(32, 'n').toString('base64'), SERVICE_MODERATION: 'off' }
  one = await gatewayUnderTest(environment, parts)
  other = await gatewayUnderTest({ ...environment, SERVICE_LLM_GATEWAY_URL: one.endpoint.url }, parts)
  // A slot that moves takes its keys to a node that has counted nothing of them.
  const slotsOf = ({ gateway }: GatewayUnderTest) => gateway.stats()['slots']
  await vi.waitFor(() => expect([one, other].map(slotsOf)).toEqual([128, 128]), { timeout: 60_000 })
  one.endpoint.always(async (call) => {
    calls++
    // So far over the limits that no slow machine comes below them while it is still asking.
    const usage = { prompt_tokens: 180, completion_tokens: 10, total_tokens: 190 }
    await json({ ...completionOf('yes'), model: 'm', usage })(call)
  })
})
afterAll(async () => {
  await other.stop()
  await one.stop()
  await drop()
})

async function keyWith(limits: object, maker?: string): Promise<string> {
  const headers = { authorization: `Bearer ${maker}`, 'content-type': 'application/json' }
  const body = { name: 'limited', scopes: maker ? ['chat'] : ['*'], ...limits }
  const made = await (maker
    ? fetch(`${one.url}/v1/admin/apikeys`, { method: 'POST', headers, body: JSON.stringify(body) })
    : one.post('/v1/admin/apikeys', body))
  expect(made.status).toBe(201)
  return ((await made.json()) as { key: string }).key
}

function post(key: string, path: string, body: object, at = one): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return fetch(`${at.url}${path}`, { method: 'POST', headers, body: JSON.stringify({ model: 'm', ...body }) })
}
const hello = { messages: [{ role: 'user', content: 'hi' }] }
const chat = (key: string, more: object = {}, at = one) => post(key, '/v1/chat/completions', { ...hello, ...more }, at)

const ways = {
  'a chat call': (key) => chat(key),
  'a streamed call': (key) => chat(key, { stream: true }),
  'a stored conversation': (key) => chat(key, { metadata: { conversation_id: 'new' } }),
  'a response': (key) => post(key, '/v1/responses', { input: 'hi' }),
  'a response that is not stored': (key) => post(key, '/v1/responses', { input: 'hi', store: false }),
} satisfies Record<string, (key: string) => Promise<Response>>

test.each(Object.entries(ways))('%s counts what it used, and is refused where that is too much', async (_, way) => {
  const key = await keyWith({ rate_limit_tpm: 100 })
  const first = await way(key)
  expect(first.status).toBe(200)
  await first.text()
  const before = calls
  const second = await way(key)
  expect(second.status).toBe(429)
  expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(((await second.json()) as { error: object }).error).toMatchObject({
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
  })
  expect(calls).toBe(before)
})

test('what the call lets the model answer is held before, and given back after', async () => {
  const key = await keyWith({ rate_limit_tpm: 1_000 })
  for (let at = 0; at < 5; at++) expect((await chat(key, { max_tokens: 980 })).status).toBe(at < 1 ? 200 : 429)
  expect((await chat(key, { max_completion_tokens: 700 })).status).toBe(200)
})

test('a key counts at both nodes as one, and on the key that it was made with', async () => {
  const maker = await keyWith({ rate_limit_tpm: 200 })
  const child = await keyWith({ rate_limit_tpm: 200 }, maker)
  expect((await chat(child, {}, one)).status).toBe(200)
  expect((await chat(maker, {}, other)).status).toBe(200)
  for (const at of [one, other]) {
    expect((await chat(maker, {}, at)).status).toBe(429)
    expect((await chat(child, {}, at)).status).toBe(429)
  }
})

test('a key cannot be made with more tokens a minute than its maker has', async () => {
  const maker = await keyWith({ rate_limit_tpm: 200 })
  const headers = { authorization: `Bearer ${maker}`, 'content-type': 'application/json' }
  const issue = async (body: object) => {
    const answer = await fetch(`${one.url}/v1/admin/apikeys`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'x', scopes: ['chat'], ...body }),
    })
    return { status: answer.status, body: await answer.json() }
  }
  expect(await issue({ rate_limit_tpm: 201 })).toMatchObject({
    status: 403,
    body: { error: { code: 'looser_than_maker', param: 'rate_limit_tpm' } },
  })
  expect(await issue({})).toMatchObject({ status: 201, body: { rate_limit_tpm: 200 } })
  for (const rate_limit_tpm of [0, 1.5, -1, 2_000_000_000])
    expect(await issue({ rate_limit_tpm })).toMatchObject({ status: 400 })
})

test('of several answers each holds the most that it may have', async () => {
  const key = await keyWith({ rate_limit_tpm: 1_000 })
  const answered = Promise.withResolvers<void>()
  one.endpoint.script(async (call) => {
    await answered.promise
    await json({ ...completionOf('yes'), model: 'm' })(call)
  })
  const first = chat(key, { max_tokens: 100, n: 6 })
  await one.endpoint.until(() => one.endpoint.openCalls > 0)
  const second = await chat(key, { max_tokens: 500 })
  answered.resolve()
  expect(second.status).toBe(429)
  expect((await first).status).toBe(200)
})
