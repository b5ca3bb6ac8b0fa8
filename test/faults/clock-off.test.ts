/** A process whose clock is an hour off goes by the database's time, as all nodes do. */
import { expect, onTestFinished, test } from 'vitest'
import { notifyChange } from '../../store/changes.ts'
import { openDatabase } from '../../store/database.ts'
import { status, webhookReceiver } from '../actors/channel/support/webhook-receiver.ts'
import { freshAddress } from '../support/database.ts'
import { testKey, urlOf } from '../support/gateway.ts'
import { startService } from './support/service.ts'

const hourMs = 3_600_000

/** Loaded before anything else. */
const clockOffBy = (ms: number) => `
  const Right = Date
  globalThis.Date = class extends Right {
    constructor(...parts) { parts.length > 0 ? super(...parts) : super(Right.now() + ${ms}) }
    static now() { return Right.now() + ${ms} }
  }`

async function serviceOffBy(ms: number) {
  const { address, drop } = await freshAddress()
  onTestFinished(drop)
  const db = openDatabase(address)
  onTestFinished(() => db.close())
  const service = await startService({
    SERVICE_DATABASE_URL: urlOf(address),
    SERVICE_MASTER_KEY: Buffer.alloc(32, 'c').toString('base64'),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(clockOffBy(ms))}`,
  })
  const post = (path: string, body: object, more: Record<string, string> = {}, key = testKey) =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more },
      body: JSON.stringify(body),
    })
  return { db, service, post }
}

const hello = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }

test.each([
  ['ahead', hourMs],
  ['behind', -hourMs],
])('a clock an hour %s dates turns, ends keys and retries what failed by the database’s time', async (_, offMs) => {
  const { db, service, post } = await serviceOffBy(offMs)
  await service.process.said('the clock of this machine is not that of the database')
  const receiver = await webhookReceiver()
  onTestFinished(() => receiver.close())
  receiver.always(status(503))
  const hook = { name: 'hook', kind: 'webhook', target: receiver.url, event_kinds: ['turn.completed'] }
  expect((await post('/v1/admin/subscriptions', hook)).status).toBe(201)

  expect((await post('/v1/chat/completions', hello, { 'x-service-conversation-id': 'new' })).status).toBe(200)
  const [turn] = await db.system<{ off: number }>`
    select abs(extract(epoch from now() - started_at))::float8 as off from turns limit 1`
  expect(turn?.off).toBeLessThan(60)

  await expect
    .poll(() => db.system`select status from subscription_deliveries`, { timeout: 20_000 })
    .toEqual([{ status: 'failed' }])
  const [retry] = await db.system<{ wait: number }>`
    select extract(epoch from next_at - now())::float8 as wait from subscription_deliveries`
  expect(Math.abs(retry?.wait ?? Number.POSITIVE_INFINITY)).toBeLessThan(60)

  // Of half an hour from now on, by the right time.
  const expires_at = new Date(Date.now() + hourMs / 2).toISOString()
  const made = await post('/v1/admin/apikeys', { name: 'short', scopes: ['chat'], expires_at })
  expect(made.status).toBe(201)
  const { key } = (await made.json()) as { key: string }
  expect((await post('/v1/chat/completions', hello, {}, key)).status).toBe(200)
  await db.system`update api_keys set expires_at = now() - interval '1 minute' where name = 'short'`
  await notifyChange(db, 'api_keys')
  await expect
    .poll(async () => (await post('/v1/chat/completions', hello, {}, key)).status, { timeout: 20_000 })
    .toBe(401)
})
