/** Subscriptions through the whole gateway: signed posts and mails of events, retried, given up, tested and shown. */
import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { notifyChange } from '../../../store/changes.ts'
import { type SubscriptionId, uuidOf } from '../../../store/id.ts'
import { smtpServer } from '../../actors/channel/email/support/smtp-server.ts'
import { status, type WebhookReceiver, webhookReceiver } from '../../actors/channel/support/webhook-receiver.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'

let gateway: GatewayUnderTest
let receiver: WebhookReceiver
beforeAll(async () => {
  gateway = await gatewayUnderTest({ SERVICE_MAIL_CHANNEL: 'notices', SERVICE_LOCALE: 'en' })
})
afterAll(() => gateway.stop())
beforeEach(async () => {
  receiver = await webhookReceiver()
})
afterEach(async () => {
  const { items } = await list()
  for (const { id } of items) await call('/v1/admin/subscriptions/delete', { subscription_id: id })
  await receiver.close()
})

interface Made {
  id: string
  signing_secret: string
  target_warning: string | null
  outbox: { state: string; undeliverable: number; last_error: string | null }
}

async function call<Body = Made>(path: string, body: object, expected = 200): Promise<Body> {
  const answer = await gateway.post(path, body)
  const text = await answer.text()
  expect(answer.status, text).toBe(expected)
  return JSON.parse(text) as Body
}

const subscribe = (more: object = {}) =>
  call(
    '/v1/admin/subscriptions',
    { name: 'hook', kind: 'webhook', target: receiver.url, event_kinds: ['turn.*'], ...more },
    201,
  )

async function list(): Promise<{ items: Made[] }> {
  return (await (await gateway.get('/v1/admin/subscriptions')).json()) as { items: Made[] }
}

interface Sent {
  id: string
  event_kind: string
  status: string
  attempts: number
  reason: string | null
}

async function deliveries(query = ''): Promise<Sent[]> {
  const answer = await gateway.get(`/v1/admin/subscriptions/deliveries${query}`)
  return ((await answer.json()) as { items: Sent[] }).items
}

/** A turn of a stored conversation, whose events are followed. */
async function makeTurn(): Promise<void> {
  const answer = await gateway.post(
    '/v1/chat/completions',
    { model: 'm', messages: [{ role: 'user', content: 'hello' }] },
    { 'x-service-conversation-id': 'new' },
  )
  expect(answer.status).toBe(200)
}

const typeOf = ({ raw }: { raw: string }) => (JSON.parse(raw) as { type: string }).type

test('each event is posted once, signed as Standard Webhooks says, in an order that holds for each thing', async () => {
  const { signing_secret, id } = await subscribe({ event_kinds: ['turn.completed', 'message.created'] })
  await makeTurn()
  await expect
    .poll(() => receiver.received.map(typeOf).sort(), { timeout: 10_000 })
    .toEqual(['message.created', 'message.created', 'turn.completed'])
  const key = Buffer.from(signing_secret.slice('whsec_'.length), 'base64')
  for (const { headers, raw } of receiver.received) {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${raw}`
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
    expect(Math.abs(Date.now() / 1_000 - Number(headers['webhook-timestamp']))).toBeLessThan(60)
  }
  const sent = await deliveries(`?subscription_id=${id}`)
  expect(sent.map(({ status, attempts }) => [status, attempts])).toEqual([
    ['delivered', 1],
    ['delivered', 1],
    ['delivered', 1],
  ])
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(
    new Set(sent.map((one) => one.id)),
  )
})

test('one that fails is retried under the same id, and one that is refused for good is given up and shown', async () => {
  receiver.script(status(503, { 'retry-after': '1' }))
  const { id } = await subscribe({ event_kinds: ['turn.completed'] })
  await makeTurn()
  await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(1)
  await expect.poll(() => deliveries(`?subscription_id=${id}`)).toMatchObject([{ status: 'failed', attempts: 1 }])
  const [waiting] = await deliveries(`?subscription_id=${id}`)
  receiver.always(status(410))
  await call('/v1/admin/subscriptions/deliveries/retry', { delivery_id: waiting?.id })
  await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(2)
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  await expect
    .poll(() => deliveries(`?subscription_id=${id}`))
    .toMatchObject([{ status: 'undeliverable', attempts: 2, reason: 'the receiver answered 410' }])
  expect((await list()).items).toMatchObject([{ outbox: { state: 'failing', undeliverable: 1 } }])
  const shown = await (await gateway.get(`/v1/admin/subscriptions/deliveries/${waiting?.id}`)).json()
  expect(shown).toMatchObject({ tries: [{ status_code: 503 }, { status_code: 410, outcome: 'refused' }] })
})

test('a receiver that asks for a wait of ages is asked again within a day', async () => {
  receiver.script(status(503, { 'retry-after': 'Fri, 01 Jan 200000 00:00:00 GMT' }))
  const { id } = await subscribe({ event_kinds: ['turn.completed'] })
  await makeTurn()
  const waiting = () => gateway.db.system<{ status: string; isSoon: boolean }>`
    select status, next_at < now() + interval '25 hours' as "isSoon" from subscription_deliveries
    where subscription_id = ${uuidOf(id as SubscriptionId)} and attempts = 1`
  await expect.poll(waiting, { timeout: 10_000 }).toEqual([{ status: 'failed', isSoon: true }])
})

test('a key that may not read events sends none of them anywhere', async () => {
  const made = await subscribe({ event_kinds: ['alert.*'] })
  const { key } = await call<{ key: string }>('/v1/admin/apikeys', { name: 'writer', scopes: ['admin:write'] }, 201)
  const writer = { authorization: `Bearer ${key}` }
  const hook = { name: 'hook', kind: 'webhook', target: receiver.url, event_kinds: ['message.created'] }
  expect((await gateway.post('/v1/admin/subscriptions', hook, writer)).status).toBe(403)
  const change = { subscription_id: made.id, event_kinds: ['message.created'] }
  expect((await gateway.post('/v1/admin/subscriptions/update', change, writer)).status).toBe(403)
})

test('a test is sent at once and says what the receiver answered; where nothing may be called it says that', async () => {
  const { id } = await subscribe()
  expect(await call('/v1/admin/subscriptions/test', { subscription_id: id })).toMatchObject({ is_ok: true })
  expect(receiver.received.map(typeOf)).toEqual(['subscription.test'])
  receiver.always(status(500))
  expect(await call('/v1/admin/subscriptions/test', { subscription_id: id })).toMatchObject({
    is_ok: false,
    words: 'the receiver answered 500',
  })
  const inside = await subscribe({ target: 'http://192.0.2.1/' })
  const refused = await call<{ is_ok: boolean; words: string }>('/v1/admin/subscriptions/test', {
    subscription_id: inside.id,
  })
  expect(refused.is_ok).toBe(false)
  expect(refused.words).toContain('SERVICE_OUTGOING_ALLOWLIST')
})

test('a new secret signs from then on, and no list shows one', async () => {
  const made = await subscribe()
  const { signing_secret } = await call('/v1/admin/subscriptions/secret', { subscription_id: made.id })
  expect(signing_secret).not.toBe(made.signing_secret)
  await call('/v1/admin/subscriptions/test', { subscription_id: made.id })
  const [{ headers, raw } = { headers: {} as Record<string, string>, raw: '' }] = receiver.received
  const key = Buffer.from(signing_secret.slice('whsec_'.length), 'base64')
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${raw}`
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  const shown = await (await gateway.get('/v1/admin/subscriptions')).text()
  for (const secret of [made.signing_secret, signing_secret]) expect(shown).not.toContain(secret)
})

test('one that is off gets nothing, and switched on again only what happens from then on', async () => {
  const { id } = await subscribe({ event_kinds: ['turn.completed'], is_enabled: false })
  await makeTurn()
  await call('/v1/admin/subscriptions/update', { subscription_id: id, is_enabled: true })
  await makeTurn()
  await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(1)
  expect(await deliveries(`?subscription_id=${id}`)).toHaveLength(1)
})

test('what is not an address, has a password in it, or names no kind of event is refused with its field', async () => {
  const wrong: [object, string][] = [
    [{ target: 'ftp://example.com/' }, 'target'],
    [{ target: 'https://user:word@example.com/' }, 'target'],
    [{ target: 'not an address' }, 'target'],
    [{ kind: 'mail', target: 'a@example.com\r\nBcc: b@example.com' }, 'target'],
    [{ event_kinds: ['subscription.failed'] }, 'event_kinds[0]'],
    [{ event_kinds: [] }, 'event_kinds'],
    [{ quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Nowhere/City' } }, 'quiet_hours.time_zone'],
  ]
  for (const [more, param] of wrong) {
    const body = { name: 'hook', kind: 'webhook', target: receiver.url, event_kinds: ['turn.*'], ...more }
    const answer = await gateway.post('/v1/admin/subscriptions', body)
    expect([answer.status, ((await answer.json()) as { error: { param: string } }).error.param]).toEqual([400, param])
  }
})

test('an address that is refused now is stored, with a warning that says why', async () => {
  const made = await subscribe({ target: 'http://10.0.0.1/hook' })
  expect(made.target_warning).toContain('10.0.0.1 is refused')
  expect(made.target_warning).toContain('SERVICE_OUTGOING_ALLOWLIST')
  const change = { subscription_id: made.id, target: receiver.url }
  expect((await call('/v1/admin/subscriptions/update', change)).target_warning).toBeNull()
  const renamed = await call('/v1/admin/subscriptions/update', { ...change, target: 'http://name.invalid/' })
  expect(renamed.target_warning).toContain('name.invalid was not found, or its address is not one that may be called')
})

test('a subscription by mail goes out by the channel of SERVICE_MAIL_CHANNEL, and without one says so', async () => {
  const made = await subscribe({ kind: 'mail', target: 'operators@example.com', event_kinds: ['alert.*'] })
  expect(made.signing_secret).toBeNull()
  const missing = await call<{ words: string }>('/v1/admin/subscriptions/test', { subscription_id: made.id })
  expect(missing.words).toContain('SERVICE_MAIL_CHANNEL')
  const server = await smtpServer()
  const smtp = { host: '127.0.0.1', port: server.port, from: 'service@example.com' }
  const config = { smtp }
  const channel = await gateway.post('/v1/admin/channels', { name: 'notices', adapter: 'email', config })
  expect(channel.status, await channel.clone().text()).toBe(201)
  expect(await call('/v1/admin/subscriptions/test', { subscription_id: made.id })).toMatchObject({ is_ok: true })
  await call('/v1/admin/alerts/test', {})
  await expect.poll(() => server.mails.length, { timeout: 10_000 }).toBe(2)

  const tested = async () =>
    (await call<{ is_ok: boolean; words: string }>('/v1/admin/subscriptions/test', { subscription_id: made.id })).words
  const words120: string[] = []
  for (let round = 0; round < 12; round++)
    words120.push(...(await Promise.all(Array.from({ length: 10 }, () => tested()))))
  expect(words120.filter((said) => said.includes('120 mails an hour'))).toHaveLength(2)
  expect(server.mails).toHaveLength(120)

  const { system } = gateway.db
  await system`
    with branch as (insert into workspaces (id, name) values (gen_random_uuid(), 'branch') returning id)
    update channels set workspace_id = branch.id, updated_at = now() from branch where channels.name = 'notices'`
  await notifyChange(gateway.db, 'channels')
  const words = async () =>
    (await call<{ words: string | null }>('/v1/admin/subscriptions/test', { subscription_id: made.id })).words
  await expect.poll(words, { timeout: 10_000 }).toContain('no e-mail channel of the default workspace')
  await server.close()
})
