/** Two nodes on one database: each takes any request, each conversation is answered by one of them. */
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { slotOf } from '../../../runtime/nodes/slot.ts'
import { readSlots } from '../../../store/nodes/slots.ts'
import { chatSocket } from '../../http/web-chat/support/chat-socket.ts'
import { scriptedTurn } from '../../http/web-chat/support/web-chat.ts'
import { freshAddress } from '../../support/database.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { busBetween } from '../../support/lossy-bus.ts'
import { completionOf, json, streamOf } from '../../support/model-endpoint.ts'

const masterKey = Buffer.alloc(32, 'n').toString('base64')
let one: GatewayUnderTest
let other: GatewayUnderTest
beforeEach(async () => {
  const { address, drop } = await freshAddress()
  onTestFinished(drop)
  const between = busBetween()
  const bus = (node: number) => between.of(node)
  one = await gatewayUnderTest({ SERVICE_MASTER_KEY: masterKey }, { address, bus })
  other = await gatewayUnderTest(
    { SERVICE_MASTER_KEY: masterKey, SERVICE_LLM_GATEWAY_URL: one.endpoint.url },
    { address, bus },
  )
  await expect
    .poll(() => [one, other].map(({ gateway }) => gateway.stats().slots), { timeout: 10_000 })
    .toEqual([128, 128])
})
afterEach(async () => {
  await other.stop()
  await one.stop()
})

const ask = (at: GatewayUnderTest, conversation: string, content: string, more: object = {}) =>
  at.post(
    '/v1/chat/completions',
    { model: 'm', messages: [{ role: 'user', content }], ...more },
    { 'x-service-conversation-id': conversation },
  )

test('the second node gets half of the slots, and conversations go on wherever they are asked', async () => {
  const owners = await readSlots(one.db)
  const begun = await ask(one, 'new', 'hello')
  expect(begun.status).toBe(200)
  const conversation = begun.headers.get('x-service-conversation-id') ?? ''
  for (const at of [one, other, one, other]) expect((await ask(at, conversation, 'on')).status).toBe(200)
  expect(owners[slotOf(conversation)]?.node).toBeTypeOf('number')
})

test('an answer is streamed to the character through the node that does not have the conversation', async () => {
  const words = Array.from({ length: 2_000 }, (_, at) => `word${at} `)
  one.endpoint.always(streamOf(words))
  for (const at of [one, other]) {
    for (let round = 0; round < 4; round++) {
      const answer = await ask(at, 'new', 'hello', { stream: true })
      const text = (await answer.text())
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? '')
        .join('')
      expect(text).toBe(words.join(''))
    }
  }
})

test('a node that stops under load hands over each conversation once its turn has ended: nobody is refused, and it is soon gone', async () => {
  // A turn takes so long that in its slots there is always one.
  one.endpoint.always(async (call) => {
    await new Promise((resolve) => setTimeout(resolve, 60))
    await json(completionOf('yes'))(call)
  })
  const begun = await Promise.all(Array.from({ length: 16 }, () => ask(one, 'new', 'hello')))
  const conversations = begun.map(({ headers }) => headers.get('x-service-conversation-id') ?? '')
  const owners = await readSlots(one.db)
  const its = conversations.filter((id) => owners[slotOf(id)]?.node === other.gateway.node)
  expect(its.length).toBeGreaterThan(0)
  const statuses: number[] = []
  let isOver = false
  // Two clients a conversation: the next post waits behind the one that runs.
  const clients = [...conversations, ...conversations].map(async (conversation) => {
    while (!isOver) statuses.push((await ask(one, conversation, 'on')).status)
  })
  await expect.poll(() => statuses.length, { timeout: 20_000 }).toBeGreaterThan(64)
  const beganMs = performance.now()
  await other.gateway.stop()
  const tookMs = performance.now() - beganMs
  const before = statuses.length
  await expect.poll(() => statuses.length, { timeout: 20_000 }).toBeGreaterThan(before + 64)
  isOver = true
  await Promise.all(clients)
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  // A slot in which one turn follows the other would be waited for until the time of the drain is over.
  expect(tookMs).toBeLessThan(15_000)
  expect((await readSlots(one.db)).filter(({ node }) => node === one.gateway.node)).toHaveLength(256)
})

test('a ticket of one node opens sockets at both, and each hears the answer word by word', async () => {
  for (const asker of [one, other]) {
    const turn = scriptedTurn()
    one.endpoint.script(turn.answer)
    const made = await asker.post('/v1/web/tickets', { conversation_id: 'new' })
    const { ticket } = (await made.json()) as { ticket: string }
    const clients = await Promise.all([one, other].map((at) => chatSocket(at.url, { ticket })))
    for (const client of clients) await client.untilKind('ready')
    clients[0]?.send({ type: 'send', id: 'go', text: 'go' })
    for (const said of ['one ', 'one two ', 'one two three ']) {
      await turn.word(said.slice(said.trimEnd().lastIndexOf(' ') + 1))
      for (const client of clients) await client.until(() => client.said() === said, said)
    }
    await turn.end()
    for (const client of clients) await client.untilKind('turn.completed')
    for (const client of clients) await client.leave()
  }
})

test('a key’s rate is one rate, whichever node it is used at', async () => {
  const made = await one.post('/v1/admin/apikeys', { name: 'limited', scopes: ['chat'], rate_limit_rpm: 20 })
  const { key } = (await made.json()) as { key: string }
  const headers = { authorization: `Bearer ${key}` }
  const asked = Array.from({ length: 60 }, (_, at) => fetch(`${(at % 2 ? one : other).url}/v1/models`, { headers }))
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  expect([200, 429].map((each) => statuses.filter((status) => status === each).length)).toEqual([20, 40])
})

test('the setup code of one node makes the first operator at the other, and neither has it afterwards', async () => {
  const { setupCode } = one.gateway
  expect(setupCode).toMatch(/^([A-Z2-9]{4}-){2}[A-Z2-9]{4}$/)
  expect(other.gateway.setupCode).toBe(setupCode)
  const owner = { login: 'owner', name: 'Owner', password: 'a long enough password' }
  const setUp = (code: string | undefined) => other.post('/v1/admin/auth/setup', { code, ...owner })
  expect((await setUp('AAAA-AAAA-AAAA')).status).toBe(401)
  expect((await setUp(setupCode)).status).toBe(201)
  await expect.poll(() => [one, other].map(({ gateway }) => gateway.setupCode)).toEqual([undefined, undefined])
})
