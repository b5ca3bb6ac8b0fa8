/** What an operator watches: the figures, their alarm and their bounds; and the same for the operator's collector. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { observeChannels } from '../../../gateway/gauges.ts'
import { createMetrics } from '../../../runtime/telemetry/metrics.ts'
import { openDatabase } from '../../../store/database.ts'
import { firstUuidAt, firstWorkspaceId, newWorkspaceId, uuidOf } from '../../../store/id.ts'
import { ensureWorkspace } from '../../../store/workspaces.ts'
import { status, type WebhookReceiver, webhookReceiver } from '../../actors/channel/support/webhook-receiver.ts'
import { type GatewayUnderTest, gatewayUnderTest, testKey } from '../../support/gateway.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

let running: GatewayUnderTest
let receiver: WebhookReceiver
const elsewhere = newWorkspaceId()

beforeAll(async () => {
  receiver = await webhookReceiver()
  running = await gatewayUnderTest({ SERVICE_INBOUND_REQUIRE_BINDING: 'true' })
  await ensureWorkspace(running.db, elsewhere, 'elsewhere')
})
afterAll(async () => {
  await running.stop()
  await receiver.close()
})
beforeEach(async () => {
  await running.db.system`delete from turns`
  await running.db.system`delete from deliveries`
})

async function signals() {
  const answer = await running.get('/v1/admin/signals')
  expect(answer.status).toBe(200)
  // biome-ignore lint/suspicious/noExplicitAny: the schema is the route's, and the gateway has checked it
  return (await answer.json()) as any
}

const minute = 60_000
const hour = 3_600_000

/** Turns that were asked for so long ago. */
async function turns(
  count: number,
  agoMs: number,
  more: { durationMs?: number; status?: string; workspace?: typeof firstWorkspaceId } = {},
): Promise<void> {
  const { durationMs = 100, status = 'completed', workspace = firstWorkspaceId } = more
  const at = Date.now() - agoMs
  for (let n = 0; n < count; n++) {
    const id = firstUuidAt(at).slice(0, 12) + randomUUID().replaceAll('-', '').slice(12)
    await running.db.system`
      insert into turns (id, workspace_id, request_id, epoch, status, model, is_stream, duration_ms, started_at)
      values (${id}, ${uuidOf(workspace)}, 'r', 1, ${status}, 'm', false, ${durationMs}, ${new Date(at)})`
  }
}

test('a workspace in which nothing happened has no alarm', async () => {
  const found = await signals()
  expect(found).toMatchObject({
    latency: { median_ms: null, baseline_ms: null, ratio: null, alarm: false },
    errors: { completed: 0, failed: 0, rate: null },
    deliveries: { pending: 0, oldest_age_s: null },
    is_partial: false,
  })
})

test('turns of the last ten minutes are held against the day before them, by their medians', async () => {
  await turns(5, 3 * hour, { durationMs: 100 })
  await turns(4, 23 * hour, { durationMs: 300 })
  await turns(1, 9 * minute, { durationMs: 90_000 })
  await turns(6, 5 * minute, { durationMs: 150 })
  // Neither older ones, nor those of others, nor those that failed.
  await turns(20, 25 * hour, { durationMs: 9_000 })
  await turns(20, 5 * minute, { durationMs: 9_000, workspace: elsewhere })
  await turns(20, 5 * minute, { durationMs: 9_000, status: 'cancelled' })
  const { latency } = await signals()
  expect(latency).toEqual({ median_ms: 150, baseline_ms: 100, ratio: 1.5, alarm: false })
})

test('twice the usual is an alarm, a little less is none, and so are few turns and next to nothing', async () => {
  await turns(20, 3 * hour, { durationMs: 100 })
  await turns(19, minute, { durationMs: 200 })
  expect((await signals()).latency).toMatchObject({ ratio: 2, alarm: false })
  await turns(1, minute, { durationMs: 200 })
  expect((await signals()).latency).toMatchObject({ ratio: 2, alarm: true })
  await turns(21, minute, { durationMs: 199 })
  expect((await signals()).latency).toMatchObject({ ratio: 1.99, alarm: false })
  await running.db.system`update turns set duration_ms = duration_ms / 50`
  await turns(42, minute, { durationMs: 20 })
  expect((await signals()).latency).toMatchObject({ median_ms: 20, ratio: 10, alarm: false })
})

test('one busy hour is not the whole of what is usual', async () => {
  await running.db.system`
    insert into turns (id, workspace_id, request_id, epoch, status, model, is_stream, duration_ms, started_at)
    select (${firstUuidAt(Date.now() - 90 * minute).slice(0, 12)} || '0000' || lpad(to_hex(n), 16, '0'))::uuid, ${uuidOf(firstWorkspaceId)},
      'r', 1, 'completed', 'm', false, 1000, now() from generate_series(1, 3000) as n`
  for (const hours of [4, 6, 8, 10, 12]) await turns(100, hours * hour + 30 * minute, { durationMs: 10 })
  // 400 of the busy hour, 500 of the others.
  expect((await signals()).latency).toMatchObject({ baseline_ms: 10 })
})

test('the rate of errors counts turns of the last ten minutes that ended well or failed', async () => {
  await turns(3, minute)
  await turns(1, minute, { status: 'failed' })
  await turns(2, minute, { status: 'cancelled' })
  await turns(5, hour, { status: 'failed' })
  expect((await signals()).errors).toEqual({ completed: 3, failed: 1, rate: 0.25 })
})

test('a channel tells what it took, what waits and what became of its answers', async () => {
  receiver.always(status(503, { 'retry-after': '3600' }))
  await running.post('/v1/admin/channels', {
    ...{ name: 'shop', adapter: 'generic', config: { url: receiver.url }, policy: { backlog_max: 2 } },
  })
  await running.post('/v1/admin/channels/shop/bindings', { external_id: 'anna' })
  const say = (body: object, headers: Record<string, string> = {}) =>
    running.post('/v1/inbound/shop', { external_id: 'anna', text: 'hello', ...body }, headers)
  const shop = async () =>
    (await signals()).channels.find(({ channel }: { channel: string }) => channel === 'shop') as Record<string, object>

  expect((await say({ message_id: 'm1' })).status).toBe(202)
  expect((await say({ message_id: 'm1' })).status).toBe(202)
  expect((await say({ external_id: 'stranger' })).status).toBe(202)
  await expect.poll(async () => (await shop())['dispositions']).toMatchObject({ failed: 1 })
  await fetch(`${running.url}/v1/admin/channels/shop`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ is_paused: true }),
  })
  expect((await say({ text: 'two' }, { 'idempotency-key': 'k' })).status).toBe(202)
  expect((await say({ text: 'other' }, { 'idempotency-key': 'k' })).status).toBe(409)
  expect((await say({ text: 'three' })).status).toBe(202)
  expect((await say({ text: 'four' })).status).toBe(429)
  expect(await shop()).toEqual({
    channel: 'shop',
    waiting: 2,
    running: 0,
    dispositions: { pending: 0, sending: 0, delivered: 0, failed: 1, undeliverable: 0, cancelled: 0 },
    intake: { accepted: 3, duplicates: 1, ignored: 1, conflicts: 1, refused: 1 },
  })
  const { deliveries } = await signals()
  expect(deliveries.pending).toBe(1)
  expect(deliveries.oldest_age_s).toBeGreaterThan(0)
  expect(deliveries.oldest_age_s).toBeLessThan(60)
})

test('the collector gets what waits, and no old figure while the database is away', async () => {
  await running.db.system`
    insert into deliveries (id, workspace_id, channel_id, conversation_id, turn_id, message_id, seq, status, expires_at, created_at)
    select gen_random_uuid(), ${uuidOf(elsewhere)}, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1,
      status, now(), now() - age from (values ('pending', interval '1 minute'), ('failed', interval '1 hour'), ('sending', interval '0'),
      ('delivered', interval '9 hours')) as made (status, age)`
  const metrics = createMetrics()
  const clock = virtualClock()
  const db = openDatabase(running.address, { clock })
  observeChannels(metrics, { db, queue: { waiting: 7 } as never })
  // All at once: while the database is away each reading waits until it is given up.
  const figures = async () => {
    const all = await metrics.internal.getMetricsAsJSON()
    return (name: string) => all.find((metric) => metric.name === name)?.values.map(({ value }) => value)
  }
  const before = await figures()
  expect(before('service_queue_turns_waiting')).toEqual([7])
  expect(before('service_deliveries_pending')).toEqual([3])
  const [ageS = 0] = before('service_deliveries_oldest_age_seconds') ?? []
  expect(Math.abs(ageS - 3_600)).toBeLessThan(30)
  expect(await metrics.public.metrics()).not.toContain('service_deliveries')
  await db.close()
  const reading = figures()
  await clock.advance(60_000)
  const away = await reading
  expect(away('service_deliveries_pending')).toEqual([])
  expect(away('service_deliveries_oldest_age_seconds')).toEqual([])
})

test('nobody without admin:read sees them', async () => {
  const made = await running.post('/v1/admin/apikeys', { name: 'chat only', scopes: ['chat'] })
  const { key } = (await made.json()) as { key: string }
  expect((await running.get('/v1/admin/signals', { authorization: `Bearer ${key}` })).status).toBe(403)
})
