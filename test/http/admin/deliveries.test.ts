/** The outbox as operators see it: what became of an answer, once more, or not at all; and who asked for that. */
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { hold, status, type WebhookReceiver, webhookReceiver } from '../../actors/channel/support/webhook-receiver.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'

interface Delivery {
  id: string
  channel: string
  status: string
  attempts: number
  behind: string | null
  next_at: string | null
  reason: string | null
  conversation_id: string
  tries: { outcome: string; status_code: number | null; error: string | null }[]
}

let running: GatewayUnderTest
let receiver: WebhookReceiver
const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`

beforeAll(async () => {
  receiver = await webhookReceiver()
  running = await gatewayUnderTest({ SERVICE_INBOUND_REQUIRE_BINDING: 'false' })
  const made = await running.post('/v1/admin/channels', {
    ...{ name: 'shop', adapter: 'generic', config: { url: receiver.url }, secrets: { signing_secret: secret } },
  })
  expect(made.status).toBe(201)
})
afterAll(async () => {
  await running.stop()
  await receiver.close()
})
beforeEach(() => {
  receiver.always(status(204))
  receiver.received.length = 0
})

async function said(sender: string, text = 'hello'): Promise<string> {
  const answer = await running.post('/v1/inbound/shop', { external_id: sender, text })
  expect(answer.status).toBe(202)
  return ((await answer.json()) as { conversation_id: string }).conversation_id
}

async function listed(query: string): Promise<Delivery[]> {
  const answer = await running.get(`/v1/admin/deliveries?${query}`)
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { items: Delivery[] }).items
}

/** The newest delivery of the conversation, once it has this status. */
async function deliveryOf(conversation: string, wanted: string, timeout = 10_000): Promise<Delivery> {
  const newest = async () => (await listed(`conversation_id=${conversation}`))[0]
  await expect.poll(async () => (await newest())?.status, { timeout }).toBe(wanted)
  const answer = await running.get(`/v1/admin/deliveries/${(await newest())?.id}`)
  return (await answer.json()) as Delivery
}

async function ask(delivery: Pick<Delivery, 'id'>, what: 'retry' | 'cancel') {
  const answer = await running.post(`/v1/admin/deliveries/${delivery.id}/${what}`, {})
  return { status: answer.status, body: (await answer.json()) as { error?: { code: string; message: string } } }
}

async function audit(): Promise<{ action: string; target: string }[]> {
  const answer = await running.get('/v1/admin/audit?limit=200')
  return ((await answer.json()) as { items: { action: string; target: string }[] }).items
}

test('an answer that was delivered is listed with its tries, and its signature is that of Standard Webhooks', async () => {
  const delivery = await deliveryOf(await said('anna'), 'delivered')
  expect(delivery).toMatchObject({
    channel: 'shop',
    attempts: 1,
    next_at: null,
    reason: null,
    recipient: 'anna',
    preview: expect.any(String),
  })
  expect(delivery.tries).toMatchObject([{ outcome: 'delivered', status_code: 204, error: null }])
  const [webhook] = receiver.received
  const headers = webhook?.headers ?? {}
  expect(headers['webhook-id']).toBe(delivery.id)
  expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(60)
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${webhook?.raw}`
  const expected = createHmac('sha256', Buffer.alloc(32, 3)).update(signed).digest('base64')
  expect(headers['webhook-signature']).toBe(`v1,${expected}`)
})

test('one that was given up is tried again on request, and its tries count anew', async () => {
  receiver.always(status(410))
  const conversation = await said('bert')
  const given = await deliveryOf(conversation, 'undeliverable')
  expect(given).toMatchObject({ attempts: 1, reason: 'the receiver answered 410' })
  receiver.always(status(204))
  expect((await ask(given, 'retry')).status).toBe(200)
  const delivered = await deliveryOf(conversation, 'delivered')
  expect(delivered.id).toBe(given.id)
  expect(delivered.tries.map(({ outcome }) => outcome)).toEqual(['delivered', 'refused'])
  expect(new Set(receiver.received.map(({ deliveryId }) => deliveryId))).toEqual(new Set([given.id]))
  expect(await audit()).toContainEqual(expect.objectContaining({ action: 'delivery.retry', target: given.id }))
})

test('one that waits for its next try is tried at once on request', async () => {
  receiver.script(status(503, { 'retry-after': '3600' }))
  const conversation = await said('carl')
  const waiting = await deliveryOf(conversation, 'failed')
  expect(Date.parse(waiting.next_at ?? '')).toBeGreaterThan(Date.now() + 3_000_000)
  expect((await ask(waiting, 'retry')).status).toBe(200)
  expect(await deliveryOf(conversation, 'delivered')).toMatchObject({ id: waiting.id, attempts: 2 })
})

test('one that is given up by an operator is not sent, and those behind it are', async () => {
  receiver.script(status(503, { 'retry-after': '3600' }))
  const conversation = await said('dora', 'first')
  const first = await deliveryOf(conversation, 'failed')
  await said('dora', 'second')
  const second = await deliveryOf(conversation, 'pending')
  expect([first.behind, second.behind]).toEqual([null, first.id])
  expect((await listed(`conversation_id=${conversation}`)).map(({ behind }) => behind)).toEqual([first.id, null])
  expect((await ask(first, 'cancel')).status).toBe(200)
  // Sooner than the look that every outbox is given in any case, every ten seconds.
  expect(await deliveryOf(conversation, 'delivered', 1_500)).toMatchObject({ id: second.id, behind: null })
  expect(receiver.received.map(({ deliveryId }) => deliveryId)).toEqual([first.id, second.id])
  expect(await audit()).toContainEqual(expect.objectContaining({ action: 'delivery.cancel', target: first.id }))

  expect((await ask(first, 'retry')).status).toBe(200)
  await expect.poll(() => receiver.received.at(-1)?.deliveryId).toBe(first.id)
})

test('one that arrived or is being sent is neither tried again nor given up', async () => {
  const delivered = await deliveryOf(await said('emil'), 'delivered')
  for (const what of ['retry', 'cancel'] as const) {
    const refused = await ask(delivered, what)
    expect([refused.status, refused.body.error?.code]).toEqual([409, 'wrong_state'])
    expect(refused.body.error?.message).toContain('delivered')
  }
  receiver.script(hold)
  const conversation = await said('fred')
  const sending = await deliveryOf(conversation, 'sending')
  expect([(await ask(sending, 'retry')).status, (await ask(sending, 'cancel')).status]).toEqual([409, 409])
  const about = (await audit()).filter(({ target }) => target === delivered.id || target === sending.id)
  expect(about).toEqual([])
})

test('one that is not there is not found', async () => {
  const delivered = await deliveryOf(await said('gerd'), 'delivered')
  const other = { id: `${delivered.id.slice(0, -1)}${delivered.id.endsWith('0') ? '1' : '0'}` }
  expect([(await ask(other, 'retry')).status, (await ask(other, 'cancel')).status]).toEqual([404, 404])
  expect((await running.get(`/v1/admin/deliveries/${other.id}`)).status).toBe(404)
})

test('the list is narrowed by status, channel and conversation, and comes in pages', async () => {
  const conversation = await said('hugo')
  await deliveryOf(conversation, 'delivered')
  await said('hugo', 'again')
  await expect.poll(async () => (await listed(`conversation_id=${conversation}&status=delivered`)).length).toBe(2)
  expect(await listed(`conversation_id=${conversation}&status=cancelled`)).toEqual([])
  expect((await listed('channel=shop&limit=1')).length).toBe(1)
  expect((await running.get('/v1/admin/deliveries?channel=nowhere')).status).toBe(404)
  const page = (await (await running.get(`/v1/admin/deliveries?conversation_id=${conversation}&limit=1`)).json()) as {
    items: Delivery[]
    next_cursor: string
  }
  const rest = await listed(`conversation_id=${conversation}&limit=1&cursor=${page.next_cursor}`)
  expect(rest).toHaveLength(1)
  expect(rest[0]?.id).not.toBe(page.items[0]?.id)
})
