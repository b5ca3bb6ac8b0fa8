/** Alerts over two nodes, one of which is killed meanwhile: each rule fires once, is told once, and resolves once. */
import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { alertRuleIds } from '../../actors/alerts/rules.ts'
import type { Database } from '../../store/database.ts'
import { firstUuidAt, firstWorkspaceId, uuidOf } from '../../store/id.ts'
import { webhookReceiver } from '../actors/channel/support/webhook-receiver.ts'
import { freshAddress } from '../support/database.ts'
import { gatewayUnderTest, urlOf } from '../support/gateway.ts'
import { startService } from './support/service.ts'

const workspace = uuidOf(firstWorkspaceId)
const masterKey = Buffer.alloc(32, 'a').toString('base64')
const channel = randomUUID()

/** What fires every rule but the one of lost nodes. */
async function trouble(db: Database): Promise<void> {
  const minute = 60_000
  const turns = [
    ...Array.from({ length: 40 }, () => ({ agoMs: 6 * 60 * minute, status: 'completed', ms: 300 })),
    ...Array.from({ length: 40 }, () => ({ agoMs: 2 * minute, status: 'completed', ms: 3_000 })),
    ...Array.from({ length: 20 }, () => ({ agoMs: 2 * minute, status: 'failed', ms: 3_000 })),
  ].map(({ agoMs, ...turn }, at) => ({
    ...turn,
    id: firstUuidAt(Date.now() - agoMs).slice(0, 12) + (at + 1).toString(16).padStart(20, '0'),
  }))
  await db.system`
    insert into turns (id, workspace_id, request_id, epoch, status, model, is_stream, duration_ms, started_at)
    select id, ${workspace}, 'trouble', 1, status, 'm', false, ms, now()
    from json_to_recordset(${JSON.stringify(turns)}::text::json) as row (id uuid, status text, ms real)`
  await db.system`insert into channels (id, workspace_id, name, adapter, config) values (${channel}, ${workspace}, 'gone', 'generic', '{}')`
  const ids = Array.from(
    { length: 10 },
    (_, at) => firstUuidAt(Date.now()).slice(0, 12) + (at + 1).toString(16).padStart(20, '0'),
  )
  await db.system`
    insert into deliveries (id, workspace_id, channel_id, conversation_id, turn_id, message_id, seq, status, expires_at, next_at, created_at)
    select id, ${workspace}, ${channel}, gen_random_uuid(), gen_random_uuid(), id, 1, 'failed', now() + interval '1 day', now() + interval '1 day', now() - interval '1 hour'
    from unnest(${ids}::uuid[]) as each (id)`
  await db.system`
    insert into approvals (id, workspace_id, turn_id, path, n, agent, tool, arguments, digest, requested_at, expires_at)
    values (gen_random_uuid(), ${workspace}, gen_random_uuid(), '', 1, 'a', 'trouble', '{}', gen_random_uuid(), now() - interval '1 hour', now() + interval '1 day')`
  await db.system`insert into endpoint_calls (node, endpoint, calls, failed) values (1, 'away', 10, 9)`
  await db.system`
    insert into usage_entries (workspace_id, origin, agent, token_in, call) values (${workspace}, 'call', 'trouble', 100, 1)`
}

async function mend(db: Database): Promise<void> {
  await db.system`delete from turns where request_id = 'trouble'`
  await db.system`delete from deliveries where channel_id = ${channel}`
  await db.system`delete from approvals where tool = 'trouble'`
  await db.system`delete from endpoint_calls where endpoint = 'away'`
  await db.system`update budgets set soft_limit = 1000, hard_limit = 1000`
  await db.system`update subscriptions set is_enabled = false where name = 'refusing'`
  await db.system`update api_keys set revoked_at = now() where name = 'ending'`
  await db.system`update subscription_deliveries set updated_at = now() - interval '2 hours' where status = 'undeliverable'`
  // As if the hour were over in which a lost node counts.
  await db.system`update instances set lost_at = lost_at - interval '2 hours' where lost_at is not null`
}

test('each rule fires once, is told once and resolves once, though a node is killed meanwhile', {
  timeout: 400_000,
}, async () => {
  const { address, drop } = await freshAddress()
  onTestFinished(drop)
  const environment = { SERVICE_MASTER_KEY: masterKey, SERVICE_ALERT_INTERVAL_S: '1' }
  const one = await gatewayUnderTest(environment, { address })
  onTestFinished(() => one.stop())
  const { db } = one
  const other = await startService({ ...environment, SERVICE_DATABASE_URL: urlOf(address) }, one.endpoint)
  await expect.poll(() => one.gateway.stats().slots, { timeout: 60_000 }).toBe(128)
  const receiver = await webhookReceiver()
  onTestFinished(() => receiver.close())
  const refusing = await webhookReceiver()
  onTestFinished(() => refusing.close())
  refusing.always((response) => void response.writeHead(410).end())

  // A busy machine makes a node that lives late: it is back at its next word, and is not told of.
  for (const rule of alertRuleIds)
    expect(
      (await one.post('/v1/admin/alerts/rules/change', { rule, for_s: rule === 'nodes_lost' ? 5 : 0 })).status,
    ).toBe(200)
  const hook = { kind: 'webhook', event_kinds: ['alert.fired', 'alert.resolved'] }
  await one.post('/v1/admin/subscriptions', { ...hook, name: 'told', target: receiver.url })
  await one.post('/v1/admin/subscriptions', { ...hook, name: 'refusing', target: refusing.url })
  const expires_at = new Date(Date.now() + 2 * 86_400_000).toISOString()
  expect((await one.post('/v1/admin/apikeys', { name: 'ending', scopes: ['chat'], expires_at })).status).toBeLessThan(
    300,
  )
  const budget = {
    subject: 'agent',
    value: 'trouble',
    period: 'month',
    unit: 'tokens',
    soft_limit: 50,
    hard_limit: 100,
  }
  expect((await one.post('/v1/admin/budgets/set', budget)).status).toBe(200)
  await trouble(db)
  await expect.poll(() => statesOf(db), { timeout: 90_000 }).toContainEqual({ rule: 'error_rate', states: 'firing' })

  other.process.child.kill('SIGKILL')
  await other.process.end
  const all = (states: string) =>
    alertRuleIds.map((rule) => ({ rule, states })).sort((a, b) => (a.rule < b.rule ? -1 : 1))
  await expect.poll(() => statesOf(db), { timeout: 120_000, interval: 200 }).toEqual(all('firing'))
  await mend(db)
  await expect.poll(() => statesOf(db), { timeout: 120_000, interval: 200 }).toEqual(all('resolved'))

  const events = await db.system<{ kind: string; rule: string; count: number }>`
    select kind, payload->>'rule' as rule, count(*)::int as count from events where kind like 'alert.%' group by 1, 2`
  expect(events).toHaveLength(2 * alertRuleIds.length)
  expect(events.every(({ count }) => count === 1)).toBe(true)
  await expect.poll(() => receiver.received.length, { timeout: 120_000 }).toBe(2 * alertRuleIds.length)
  const received = receiver.received.map(({ raw }) => JSON.parse(raw) as { type: string; data: { rule: string } })
  for (const rule of alertRuleIds) {
    const types = received.filter(({ data }) => data.rule === rule).map(({ type }) => type)
    expect(types, rule).toEqual(['alert.fired', 'alert.resolved'])
  }
  const shown = (await (await one.get('/v1/admin/alerts?state=resolved')).json()) as {
    items: { told: { subscription: string; status: string }[] }[]
  }
  expect(shown.items).toHaveLength(alertRuleIds.length)
  for (const { told } of shown.items)
    expect(told.filter(({ subscription }) => subscription === 'told').map(({ status }) => status)).toEqual([
      'delivered',
      'delivered',
    ])
  const countOf = (type: string) =>
    new Set(received.filter((each) => each.type === type).map(({ data }) => data.rule)).size
  console.info(
    `two nodes, one killed: ${alertRuleIds.length} rules, ${countOf('alert.fired')} fired, ${countOf('alert.resolved')} resolved, ` +
      `${received.length} told, each once`,
  )
})

const statesOf = (db: Database) =>
  db.system<{ rule: string; states: string }>`
    select rule, string_agg(state, ' ' order by id) as states from alerts group by rule order by rule collate "C"`
