/** Many deliveries at once: counted first, then those that were counted are changed, and no others. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { status, type WebhookReceiver, webhookReceiver } from '../../actors/channel/support/webhook-receiver.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'

let running: GatewayUnderTest
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await webhookReceiver()
  running = await gatewayUnderTest({ SERVICE_INBOUND_REQUIRE_BINDING: 'false' })
  for (const name of ['shop', 'other'])
    expect(
      (await running.post('/v1/admin/channels', { name, adapter: 'generic', config: { url: receiver.url } })).status,
    ).toBe(201)
})
afterAll(async () => {
  await running.stop()
  await receiver.close()
})

async function said(channel: string, sender: string): Promise<string> {
  const answer = await running.post(`/v1/inbound/${channel}`, { external_id: sender, text: 'hello' })
  expect(answer.status).toBe(202)
  return ((await answer.json()) as { conversation_id: string }).conversation_id
}

async function statuses(query = ''): Promise<string[]> {
  const answer = await running.get(`/v1/admin/deliveries?limit=200${query}`)
  return ((await answer.json()) as { items: { status: string }[] }).items.map((item) => item.status).sort()
}

async function many(body: object) {
  const answer = await running.post('/v1/admin/deliveries/many', body)
  // biome-ignore lint/suspicious/noExplicitAny: whatever the answer holds
  return { status: answer.status, body: (await answer.json()) as any }
}

test('those that were given up are counted without a change, then tried again, and what fails anew is left alone', async () => {
  receiver.always(status(410))
  for (const sender of ['anna', 'bert', 'carl']) await said('shop', sender)
  await said('other', 'dora')
  await expect.poll(() => statuses()).toEqual(Array(4).fill('undeliverable'))

  const counted = await many({ action: 'retry', channel: 'shop' })
  expect(counted.body).toMatchObject({ count: 3, changed: 0 })
  expect(await statuses()).toEqual(Array(4).fill('undeliverable'))

  const { as_of } = counted.body
  expect((await many({ action: 'retry', channel: 'shop', as_of })).body).toMatchObject({ changed: 3, has_more: false })
  await expect.poll(() => receiver.received.length).toBe(7)
  await expect.poll(() => statuses('&channel=shop')).toEqual(Array(3).fill('undeliverable'))
  expect((await many({ action: 'retry', channel: 'shop', as_of })).body).toMatchObject({ changed: 0 })

  receiver.always(status(204))
  const again = await many({ action: 'retry' })
  expect(again.body.count).toBe(4)
  expect((await many({ action: 'retry', as_of: again.body.as_of })).body.changed).toBe(4)
  await expect.poll(() => statuses()).toEqual(Array(4).fill('delivered'))
  const audit = (await (await running.get('/v1/admin/audit?limit=50')).json()) as { items: { action: string }[] }
  expect(audit.items.filter(({ action }) => action === 'delivery.retry_many')).toHaveLength(2)
})

test('those that wait are cancelled by conversation, status and channel, and others are not', async () => {
  receiver.always(status(503, { 'retry-after': '3600' }))
  const kept = await said('other', 'emil')
  const ended = await said('shop', 'fred')
  await expect.poll(() => statuses('&status=failed')).toEqual(['failed', 'failed'])
  const counted = await many({ action: 'cancel', conversation_id: ended })
  expect(counted.body.count).toBe(1)
  const done = await many({ action: 'cancel', conversation_id: ended, as_of: counted.body.as_of })
  expect(done.body).toMatchObject({ changed: 1, has_more: false })
  expect(await statuses(`&conversation_id=${ended}`)).toContain('cancelled')
  expect(await statuses(`&conversation_id=${kept}`)).toContain('failed')
})

test('a time to come is refused: what happens until then was counted by nobody', async () => {
  const as_of = new Date(Date.now() + 60_000).toISOString()
  const refused = await many({ action: 'cancel', as_of })
  expect([refused.status, refused.body.error.param]).toEqual([400, 'as_of'])
})

test('what cannot be done to deliveries of a status is refused by its name', async () => {
  for (const [action, of] of [
    ['retry', 'pending'],
    ['cancel', 'undeliverable'],
  ]) {
    const refused = await many({ action, status: of })
    expect([refused.status, refused.body.error.param]).toEqual([400, 'status'])
  }
  expect((await many({ action: 'retry', channel: 'nowhere' })).status).toBe(404)
})
