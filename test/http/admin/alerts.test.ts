/** Alerts through the whole gateway: rules that an operator has changed, silences, budgets. */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { firstWorkspaceId, uuidOf } from '../../../store/id.ts'
import { type WebhookReceiver, webhookReceiver } from '../../actors/channel/support/webhook-receiver.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'

let gateway: GatewayUnderTest
let receiver: WebhookReceiver
beforeAll(async () => {
  gateway = await gatewayUnderTest({ SERVICE_ALERT_INTERVAL_S: '1' })
  receiver = await webhookReceiver()
  const hook = { name: 'told', kind: 'webhook', target: receiver.url, event_kinds: ['alert.*'] }
  await call('/v1/admin/subscriptions', hook, 201)
})
afterAll(async () => {
  await receiver.close()
  await gateway.stop()
})

const workspace = uuidOf(firstWorkspaceId)
/** Of the test that runs. */
let tool: string
beforeEach(() => {
  tool = `trouble ${randomUUID()}`
})
afterEach(async () => {
  await decided()
  await expect.poll(async () => (await alerts('state=firing')).length, { timeout: 10_000 }).toBe(0)
})

async function call<Body = { id: string }>(path: string, body: object, expected = 200): Promise<Body> {
  const answer = await gateway.post(path, body)
  const text = await answer.text()
  expect(answer.status, text).toBe(expected)
  return JSON.parse(text) as Body
}

interface Shown {
  id: string
  rule: string
  subject: string
  subject_name: string | null
  state: string
  value: number
  is_silenced: boolean
  told: { event_kind: string }[]
}
async function alerts(query: string): Promise<Shown[]> {
  return ((await (await gateway.get(`/v1/admin/alerts?${query}`)).json()) as { items: Shown[] }).items
}

/** An approval that has waited so long. */
const waited = (minutes: number) =>
  gateway.db.system`
    insert into approvals (id, workspace_id, turn_id, path, n, agent, tool, arguments, digest, requested_at, expires_at)
    values (gen_random_uuid(), ${workspace}, gen_random_uuid(), '', 1, 'a', ${tool}, '{}', gen_random_uuid(),
      now() - make_interval(mins => ${minutes}), now() + interval '1 day')`
const decided = () => gateway.db.system`delete from approvals where tool = ${tool}`

const change = (body: object, expected = 200) =>
  call('/v1/admin/alerts/rules/change', { rule: 'approvals_waiting', ...body }, expected)
const statesOf = async (rule: string) => (await alerts(`rule=${rule}`)).map(({ state }) => state)
/** Of the events that were sent about it. */
const typesOf = (alert: string | undefined) =>
  receiver.received
    .map(({ raw }) => JSON.parse(raw) as { type: string; data: { alert_id: string } })
    .flatMap(({ type, data }) => (data.alert_id === alert ? [type] : []))

test('a threshold that was changed is judged by, and null is the catalogue’s again', async () => {
  await waited(10)
  await change({ threshold: 300 })
  await expect.poll(() => alerts('state=firing'), { timeout: 10_000 }).toMatchObject([{ rule: 'approvals_waiting' }])
  const { items } = (await (await gateway.get('/v1/admin/alerts/rules')).json()) as { items: { rule: string }[] }
  expect(items.find(({ rule }) => rule === 'approvals_waiting')).toMatchObject({
    threshold: 300,
    default_threshold: 1_800,
  })
  await change({ threshold: null })
  await expect.poll(() => statesOf('approvals_waiting'), { timeout: 10_000 }).toEqual(['resolved'])
})

test('a rule that is switched off resolves what fires, and fires again when it is on', async () => {
  await waited(60)
  await expect.poll(() => alerts('state=firing'), { timeout: 10_000 }).toHaveLength(1)
  await change({ is_enabled: false })
  await expect.poll(() => alerts('state=firing'), { timeout: 10_000 }).toHaveLength(0)
  await change({ is_enabled: true })
  await expect.poll(() => alerts('state=firing'), { timeout: 10_000 }).toHaveLength(1)
})

test('what fires while silenced is listed and told to nobody; the end of a silence lets the next one be told', async () => {
  await call('/v1/admin/alerts/silence', { rule: 'approvals_waiting', subject: '', for_s: 600, reason: 'known' })
  expect(await (await gateway.get('/v1/admin/alerts/silences')).json()).toMatchObject({
    items: [{ rule: 'approvals_waiting', subject: '', reason: 'known' }],
  })
  await waited(60)
  await expect
    .poll(() => alerts('state=firing'), { timeout: 10_000 })
    .toMatchObject([{ rule: 'approvals_waiting', is_silenced: true, told: [] }])
  await decided()
  await expect.poll(() => alerts('state=firing'), { timeout: 10_000 }).toHaveLength(0)
  await call('/v1/admin/alerts/unsilence', { rule: 'approvals_waiting', subject: '' })
  await waited(60)
  await expect.poll(() => alerts('state=firing'), { timeout: 10_000 }).toMatchObject([{ is_silenced: false }])
  const [loud, silenced] = await alerts('rule=approvals_waiting')
  // Sent in their order: had the silenced one been told, it would have come before.
  await expect.poll(() => typesOf(loud?.id), { timeout: 10_000 }).toEqual(['alert.fired'])
  expect(typesOf(silenced?.id)).toEqual([])
  expect(silenced).toMatchObject({ state: 'resolved', is_silenced: true, told: [] })
})

test('a silence of one subject leaves the others loud', async () => {
  const ending = async (name: string) =>
    (
      await call<{ id: string }>(
        '/v1/admin/apikeys',
        { name, scopes: ['chat'], expires_at: new Date(Date.now() + 86_400_000).toISOString() },
        201,
      )
    ).id
  await call('/v1/admin/alerts/rules/change', { rule: 'keys_ending', is_enabled: false })
  const [quiet, loud] = [await ending('quiet'), await ending('loud')]
  await call('/v1/admin/alerts/silence', { rule: 'keys_ending', subject: quiet, for_s: 600 })
  await call('/v1/admin/alerts/rules/change', { rule: 'keys_ending', is_enabled: true })
  await expect.poll(() => alerts('rule=keys_ending&state=firing'), { timeout: 10_000 }).toHaveLength(2)
  const silenced = (await alerts('rule=keys_ending')).filter(({ is_silenced }) => is_silenced)
  expect(silenced.map(({ subject }) => subject)).toEqual([quiet])
  for (const id of [quiet, loud]) await call('/v1/admin/apikeys/revoke', { id })
  await expect.poll(() => alerts('rule=keys_ending&state=firing'), { timeout: 10_000 }).toHaveLength(0)
})

test('a budget fires at its soft limit and at its hard one, and is over when it is raised', async () => {
  const budget = { subject: 'workspace', period: 'month', unit: 'tokens' }
  const ask = () => gateway.post('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'hi' }] })
  expect((await ask()).status).toBe(200)
  const { id } = await call<{ id: string }>('/v1/admin/budgets/set', { ...budget, soft_limit: 1 })
  await expect
    .poll(() => alerts('state=firing'), { timeout: 10_000 })
    .toMatchObject([{ rule: 'budgets_soft', subject: id, subject_name: 'workspace month' }])
  await call('/v1/admin/budgets/set', { ...budget, soft_limit: 1, hard_limit: 2 })
  await expect.poll(() => statesOf('budgets_hard'), { timeout: 10_000 }).toEqual(['firing'])
  await call('/v1/admin/budgets/set', { ...budget, soft_limit: 1_000_000, hard_limit: 1_000_000 })
  await expect.poll(() => alerts('state=firing'), { timeout: 10_000 }).toHaveLength(0)
  expect([await statesOf('budgets_soft'), await statesOf('budgets_hard')]).toEqual([['resolved'], ['resolved']])
  await call('/v1/admin/budgets/remove', { id })
})

test('what a rule cannot be is refused', async () => {
  await change({ threshold: -1 }, 400)
  await change({ for_s: 1.5 }, 400)
  await change({ rule: 'none' }, 400)
  await call('/v1/admin/alerts/silence', { rule: 'approvals_waiting', subject: '', for_s: 1 }, 400)
  await call('/v1/admin/alerts/unsilence', { rule: 'approvals_waiting', subject: 'nothing' }, 404)
})

test('a workspace has 500 silences at most, since no list shows more; one that stands can be changed', async () => {
  await gateway.db.system`delete from alert_silences`
  await gateway.db.system`
    insert into alert_silences (workspace_id, rule, subject, until, reason, created_by)
    select ${workspace}, 'keys_ending', 'of ' || n, now() + interval '1 hour', '', 'test' from generate_series(1, 500) as n`
  const silence = (subject: string, status: number) =>
    call('/v1/admin/alerts/silence', { rule: 'keys_ending', subject, for_s: 60 }, status)
  expect(await silence('one more', 409)).toMatchObject({ error: { code: 'too_many_silences' } })
  await silence('of 7', 200)
  await gateway.db.system`delete from alert_silences where rule = 'keys_ending'`
})

test('a test of the alerts is in the audit log', async () => {
  const { alert_id } = await call<{ alert_id: string }>('/v1/admin/alerts/test', {})
  const audit = await (await gateway.get('/v1/admin/audit?action=alert.test&limit=1')).json()
  expect(audit).toMatchObject({ items: [{ action: 'alert.test', target: alert_id }] })
})
