/** The second wall: what one workspace owns does not exist for another, whatever a query forgets to say. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../runtime/time/clock.ts'
import { createAgent } from '../../store/agents.ts'
import { stepAlerts, tellTestAlert } from '../../store/alerts/alerts.ts'
import { changeRule, silence } from '../../store/alerts/rules.ts'
import { createApiKey } from '../../store/api-keys/changes.ts'
import { decideApproval, listApprovals, readApproval, requestApproval } from '../../store/approvals.ts'
import { bindSender, createChannel } from '../../store/channels.ts'
import { conversationWriter } from '../../store/conversations/conversations.ts'
import { attemptWriter, claimDeliveries } from '../../store/deliveries/deliveries.ts'
import {
  firstWorkspaceId,
  newApiKeyId,
  newAuditId,
  newConversationId,
  newMediaId,
  newMessageId,
  newTurnId,
  newWorkspaceId,
  uuidOf,
  type WorkspaceId,
} from '../../store/id.ts'
import { createMedia } from '../../store/media/media.ts'
import { createOperator } from '../../store/operators/operators.ts'
import { ownerId } from '../../store/owner-id.ts'
import { claimNotices, fanOutEvents, recordNotice } from '../../store/subscriptions/outbox.ts'
import { createSubscription } from '../../store/subscriptions/subscriptions.ts'
import { listSteps, resolveStep, resultOfCall, stepsOf, stepWriter, unknownSteps } from '../../store/turns/steps.ts'
import { turnWriter } from '../../store/turns/turns.ts'
import { ensureWorkspace } from '../../store/workspaces.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { firstPlace, ownSlots } from '../support/slots.ts'
import { answered, claimed, deliveredAttempt, messageOf } from './support/channel.ts'
import { approval, step } from './support/steps.ts'
import { turnEnd, turnStart } from './support/turns.ts'

let fresh: FreshDatabase
const one = firstWorkspaceId
const other = newWorkspaceId()

beforeAll(async () => {
  fresh = await freshDatabase()
  await ensureWorkspace(fresh.db, other, 'other')
  await ownSlots(fresh.db)
  for (const workspace of [one, other]) await fill(workspace)
})
afterAll(() => fresh.drop())

/** A row of this workspace in every table. */
async function fill(workspaceId: WorkspaceId): Promise<void> {
  const { db } = fresh
  await createApiKey(db, {
    ...{ id: newApiKeyId(), workspaceId, name: 'k', kind: 'service', hint: 'sk-…', scopes: ['chat'] },
    ...{ rateLimitRpm: null, expiresAt: null, hash: Buffer.from(uuidOf(workspaceId)), createdBy: 'test' },
  })
  const conversations = conversationWriter(db, 1)
  const conversation = newConversationId()
  const turn = { ...turnStart(), workspaceId, conversationId: conversation }
  const message = { id: newMessageId(), role: 'user', body: { role: 'user', content: 'hello' } }
  await conversations.accept({
    conversation,
    lease: 1,
    workspaceId,
    isNew: true,
    owner: ownerId('key', 'test'),
    messages: [message],
    turn,
    origin: 'call',
  })
  await conversations.accept({
    ...{
      conversation,
      lease: 1,
      workspaceId,
      isNew: false,
      owner: ownerId('key', 'test'),
      messages: [],
      origin: 'responses',
    },
    turn: { ...turn, id: newTurnId() },
    response: { previous: null, createdAt: new Date(), request: {} },
  })
  await conversations.close()
  const turns = turnWriter(db, 1, systemClock)
  await turns.begin({ ...turnStart(), id: newTurnId(), workspaceId }).end(turnEnd())
  await turns.close()
  await fillChannel(workspaceId)
  await fillAgents(workspaceId)
  await fillMedia(workspaceId)
  await fillUsage(workspaceId)
  await db.forWorkspace(workspaceId)`
    insert into feedback (message_id, workspace_id, rating, given_by)
    values (${uuidOf(message.id)}, ${uuidOf(workspaceId)}, 1, 'test')`
  await fillSubscriptions(workspaceId)
  await db.forWorkspace(workspaceId)`
    insert into audit_log (id, workspace_id, actor, action, ip, request_id)
    values (${uuidOf(newAuditId())}, ${uuidOf(workspaceId)}, 'test', 'test', '::1', 'r')`
}

async function fillUsage(workspaceId: WorkspaceId): Promise<void> {
  const query = fresh.db.forWorkspace(workspaceId)
  const turns = turnWriter(fresh.db, 1, systemClock)
  await turns.begin({ ...turnStart(), workspaceId }).end(turnEnd())
  await turns.close()
  const id = uuidOf(workspaceId)
  await query`
    insert into usage_sums values (${id}::uuid, 'day', 'all', now(), '', 'call', '', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`
  await query`insert into usage_times values (${id}::uuid, 'day', 'all', now(), '', 'call', '{1}', '{1}')`
  await query`
    insert into budgets (id, workspace_id, subject, value, period, unit, currency, hard_limit, updated_by)
    values (${id}::uuid, ${id}::uuid, 'workspace', '', 'day', 'tokens', '', 1, 'test')`
}

async function fillMedia(workspaceId: WorkspaceId): Promise<void> {
  const query = fresh.db.forWorkspace(workspaceId)
  const media = { id: newMediaId(), workspaceId, owner: ownerId('key', 'k'), conversationId: null, filename: 'f' }
  const declared = { purpose: null, declaredType: null, declaredBytes: null, declaredSha256: null }
  await createMedia(fresh.db, { ...media, ...declared }, 0)
  const id = uuidOf(media.id)
  await query`insert into media_references values (${id}::uuid, ${uuidOf(workspaceId)}::uuid, 'message', ${id}::uuid)`
  await query`insert into media_usage values (${uuidOf(workspaceId)}::uuid, 1, 1)`
}

async function fillAgents(workspaceId: WorkspaceId): Promise<void> {
  const { db } = fresh
  const actor = { workspaceId, name: 'test', ip: '::1', requestId: 'r' }
  const login = workspaceId.slice(-8)
  await createOperator(db, { login, name: '', passwordHash: null, role: 'user' }, actor)
  await createAgent(db, actor, { name: 'clerk', definition: {} })
  const place = { turnId: newTurnId(), path: '', n: 1, workspaceId }
  const steps = stepWriter(db, 1)
  await steps.write(null, step(place))
  await steps.close()
  await requestApproval(db, { node: 1, lease: null }, approval(place))
}

async function fillSubscriptions(workspaceId: WorkspaceId): Promise<void> {
  const { db } = fresh
  const actor = { workspaceId, name: 'test', ip: '::1', requestId: 'r' }
  const made = {
    name: 's',
    kind: 'mail',
    target: 'a@example.com',
    eventKinds: ['alert.*'],
    ...{ quietHours: null, isEnabled: true },
  } as const
  const id = await createSubscription(db, () => Buffer.alloc(32) as never, {
    made: { ...made, eventKinds: [...made.eventKinds] },
    secret: null,
    actor,
  })
  await tellTestAlert(db, { workspaceId, name: 'ada', ip: '127.0.0.1', requestId: 'req' })
  const held = { key: 'subscriptions', node: 1, lease: 1 }
  expect((await fanOutEvents(db, held, () => null)).deliveries).toBeGreaterThan(0)
  const outbox = { key: id, node: 1, lease: 1 }
  const [notice] = await claimNotices(db, outbox, 1, new Date())
  const attempt = {
    outcome: 'delivered',
    status: 'delivered',
    at: new Date(),
    durationMs: 1,
    ...{ statusCode: 250, error: null },
  } as const
  if (notice) await recordNotice(db, outbox, notice.id, { ...attempt, receipt: null, nextAt: null })
  await changeRule(db, actor, { rule: 'error_rate', isEnabled: true, threshold: 1, forS: 0 })
  await silence(db, actor, { rule: 'error_rate', subject: '', until: new Date(Date.now() + 60_000), reason: '' })
  const judged = { workspaceId, rule: 'error_rate', threshold: 1, forS: 0, isUrgent: true, runbook: 'x' }
  const breached = [{ subject: '', subjectName: null, value: 1 }]
  await stepAlerts(db, { key: 'alerts', node: 1, lease: 1 }, [{ ...judged, breached }])
}

async function fillChannel(workspaceId: WorkspaceId): Promise<void> {
  const { db } = fresh
  const name = `of-${workspaceId.slice(-8)}`
  const open = { secrets: null, isEnabled: true, isPaused: false, config: {} }
  const channel = await createChannel(db, workspaceId, { name, adapter: 'generic', ...open })
  await bindSender(db, workspaceId, channel.id, { externalId: 'a', role: 'user', name: null, createdBy: 'test' })
  const conversation = await messageOf(db, channel, 'a')
  const turn = await claimed(db, conversation)
  const deliveryId = await answered(db, turn, conversation)
  await claimDeliveries(db, { key: channel.id, ...firstPlace }, 10)
  const attempts = attemptWriter(db, 1)
  await attempts.record(deliveredAttempt(deliveryId))
  await attempts.close()
}

/** A statement whose table is a variable, which `Query` has no place for. */
function plain(text: string): TemplateStringsArray {
  return Object.assign([text], { raw: [text] })
}

interface WalledTable {
  name: string
  isOn: boolean
  isForced: boolean
  isForTenants: boolean
}

/** Whoever may read them: a table that nobody was given still holds what belongs to a workspace. */
function walledTables(): Promise<WalledTable[]> {
  return fresh.db.system<WalledTable>`
    select pg_class.relname as name, relrowsecurity as "isOn", relforcerowsecurity as "isForced",
      has_table_privilege('service_tenant', pg_class.oid, 'select, insert, update, delete')
        or has_any_column_privilege('service_tenant', pg_class.oid, 'select, insert, update') as "isForTenants"
    from pg_class
    join pg_attribute on attrelid = pg_class.oid and attname = 'workspace_id' and not attisdropped
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`
}

async function tenantTables(): Promise<string[]> {
  return (await walledTables()).filter(({ isForTenants }) => isForTenants).map(({ name }) => name)
}

/** Of a workspace, and the tenant role is given nothing of them. */
const withoutGrant = ['audit_checkpoints', 'audit_heads', 'operator_sessions']

/**
 * Row-level security is on and not forced: the functions that link and prune the audit log write them as their owner, in
 * all workspaces, and the owner has no policy there. The application's roles own nothing, so both are held by it.
 */
const notForced = ['audit_checkpoints', 'audit_heads']

test('every table with a workspace_id has row-level security, forced in all but two, and these tests fill each of them', async () => {
  const all = await walledTables()
  expect(all.filter(({ isForTenants }) => !isForTenants).map(({ name }) => name)).toEqual(withoutGrant)
  expect(all.filter(({ isOn }) => !isOn)).toEqual([])
  expect(all.filter(({ isForced }) => !isForced).map(({ name }) => name)).toEqual(notForced)
  const owned = await fresh.db.system<{ name: string }>`
    select relname as name from pg_class
    where relname = any(${notForced}) and pg_get_userbyid(relowner) in ('service_tenant', 'service_system')`
  expect(owned).toEqual([])
  expect(await tenantTables()).toEqual([
    'agent_versions',
    'agents',
    'alert_rules',
    'alert_silences',
    'alerts',
    'api_keys',
    'approvals',
    'audit_log',
    'budgets',
    'channel_bindings',
    'channels',
    'conversations',
    'deliveries',
    'delivery_attempts',
    'events',
    'feedback',
    'media',
    'media_references',
    'media_usage',
    'messages',
    'operator_roles',
    'responses',
    'subscription_attempts',
    'subscription_deliveries',
    'subscriptions',
    'turn_steps',
    'turns',
    'usage_entries',
    'usage_sums',
    'usage_times',
  ])
})

test('a part of a table is reached through the whole alone', async () => {
  const parts = await fresh.db.system<{ isOn: boolean; isForced: boolean; isForAny: boolean }>`
    select relrowsecurity as "isOn", relforcerowsecurity as "isForced",
      has_any_column_privilege('service_tenant', pg_class.oid, 'select, insert, update') as "isForAny"
    from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relispartition`
  expect(parts.length).toBeGreaterThan(0)
  for (const part of parts) expect(part).toEqual({ isOn: true, isForced: true, isForAny: false })
})

test('the tenant role sees the rows of its workspace and no others, in every table', async () => {
  for (const table of await tenantTables()) {
    const everybody = await count(table)
    const mine = await fresh.db.forWorkspace(one)<{ workspace_id: string }>(plain(`select workspace_id from ${table}`))
    expect(mine.length, table).toBeGreaterThan(0)
    expect(mine.length, table).toBeLessThan(everybody)
    expect(new Set(mine.map((row) => row.workspace_id.replaceAll('-', ''))), table).toEqual(new Set([uuidOf(one)]))
  }
})

async function count(table: string): Promise<number> {
  const [row] = await fresh.db.system<{ count: number }>(plain(`select count(*)::int as count from ${table}`))
  return row?.count ?? 0
}

test('the tenant role cannot write for another workspace', async () => {
  const { db } = fresh
  const stolen = db.forWorkspace(
    one,
  )`insert into conversations (id, workspace_id) values (${uuidOf(newConversationId())}, ${uuidOf(other)})`
  await expect(stolen).rejects.toMatchObject({ code: '42501' })
  const moved = db.forWorkspace(one)`update conversations set workspace_id = ${uuidOf(other)}`
  await expect(moved).rejects.toMatchObject({ code: '42501' })
  expect(
    await db.forWorkspace(one)`update conversations set title = 'x' where workspace_id = ${uuidOf(other)} returning id`,
  ).toEqual([])
  expect(await db.forWorkspace(one)`delete from turns where workspace_id = ${uuidOf(other)} returning id`).toEqual([])
})

test('another workspace cannot read, decide or settle a turn, its steps and its approvals, even by their ids', async () => {
  const { db } = fresh
  const place = { turnId: newTurnId(), path: '', n: 1, workspaceId: one }
  const steps = stepWriter(db, 1)
  const toolResult = { text: 'secret' }
  await steps.write(null, step({ ...place, status: 'unknown', callId: 'c', result: toolResult }))
  await steps.close()
  const requested = await requestApproval(db, { node: 1, lease: null }, approval(place))
  const stranger = { workspaceId: other, name: 'stranger', ip: '::1', requestId: 'r' }
  const { turnId } = place

  expect(await stepsOf(db, other, turnId)).toEqual([])
  expect(await listSteps(db, other, turnId, { offset: 0, limit: 9 })).toEqual({ steps: [], isMore: false })
  expect(await unknownSteps(db, other, 9)).toEqual([])
  expect(await resultOfCall(db, other, turnId, 'c')).toBeUndefined()
  expect(await resolveStep(db, stranger, place, 'failed', '')).toBe(false)
  expect(await readApproval(db, other, requested.id)).toBeNull()
  const all = { status: null, turnId: null }
  expect((await listApprovals(db, other, all, { before: null, limit: 9 })).approvals.map(({ id }) => id)).not.toContain(
    requested.id,
  )
  expect(await decideApproval(db, stranger, { id: requested.id, isApproved: true, reason: null })).toBeNull()

  expect(await resultOfCall(db, one, turnId, 'c')).toEqual(toolResult)
  expect(await readApproval(db, one, requested.id)).toMatchObject({ status: 'pending' })
})

test('the tenant role cannot access settings, instances, migrations, sessions and the heads of the audit log', async () => {
  const { db } = fresh
  for (const table of [
    'settings',
    'instances',
    'slots',
    'pinned_actors',
    'primaries',
    'schema_migrations',
    'inbound',
    'operators',
    'operator_sessions',
    'operator_passkeys',
    'operator_recovery_codes',
    'installation',
    'audit_heads',
    'audit_checkpoints',
  ]) {
    const selected = db.forWorkspace(one)(plain(`select * from ${table}`))
    await expect(selected, table).rejects.toMatchObject({ code: '42501' })
  }
})

test('the workspace of a statement is unset for the next one on the same connection', async () => {
  const { db } = fresh
  await Promise.all(
    Array.from({ length: 40 }, async (_, at) => {
      const workspace = at % 2 ? one : other
      const rows = await db.forWorkspace(workspace)<{ id: string }>`select workspace_id as id from conversations`
      expect(new Set(rows.map((row) => row.id.replaceAll('-', '')))).toEqual(new Set([uuidOf(workspace)]))
    }),
  )
})

test('only these modules act across workspaces', () => {
  const root = join(import.meta.dirname, '../..')
  const rooms = [
    'config',
    'guard',
    'runtime',
    'workers',
    'store',
    'models',
    'tools',
    'actors',
    'http',
    'gateway',
    'cli',
  ]
  const users = rooms
    .flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((name) => join(room, name)),
    )
    .filter((name) => name.endsWith('.ts') && name !== 'store/database.ts')
    .filter((name) => /\bdb\.(system|hot)\b|transaction\('system'/.test(readFileSync(join(root, name), 'utf8')))
  expect(users.sort()).toEqual(crossingModules.toSorted())
})

/** Each for its reason: batch writers, what precedes a workspace (keys by hash), what belongs to none, maintenance. */
const crossingModules = [
  'cli/doctor/database.ts', // looks at the server, not at rows
  'gateway/gateway.ts', // the state of the schema, for readiness
  'store/alerts/alerts.ts', // evaluated for all workspaces at once
  'store/alerts/readings.ts', // nodes and endpoints are the installation's
  'store/alerts/rules.ts',
  'store/partitions.ts', // of tables, whatever workspace their rows are of
  'store/subscriptions/outbox.ts', // as deliveries
  'store/subscriptions/subscriptions.ts', // its secret is the installation's to keep
  'store/agents.ts', // the directory of all agents, read at once
  'store/api-keys/reads.ts',
  'store/api-keys/uses.ts',
  'store/approvals.ts', // those whose time is over, and those that somebody waits for here, in all workspaces
  'store/audit/chain.ts', // verifies the log of any workspace; its heads and checkpoints are the system's
  'store/audit/audit.ts',
  'store/audit/names.ts', // people and workspaces are the installation's
  'store/changes.ts',
  'store/channels.ts',
  'store/conversations/conversations.ts',
  'store/database-time.ts',
  'store/deliveries/attempts.ts',
  'store/deliveries/deliveries.ts',
  'store/events/events.ts',
  'store/nodes/nodes.ts',
  'store/nodes/pins.ts',
  'store/nodes/primary.ts', // which primary grants what nodes own
  'store/nodes/slots.ts',
  'store/intake.ts',
  'store/nodes/installation.ts', // the installation is one for all workspaces
  'store/nodes/mailbox.ts', // nodes talk of all workspaces
  'store/operators/changes.ts', // an account is one in all workspaces, and so is what changes of it
  'store/operators/factors.ts', // as operators
  'store/operators/operators.ts',
  'store/operators/password-links.ts', // who may sign in is a matter of the installation, before any workspace is known
  'store/turns/queue.ts',
  'store/operators/sessions.ts',
  'store/retention.ts', // sizes of tables
  'store/responses.ts', // those that have become old, in all workspaces
  'store/media/media.ts',
  'store/model-endpoints.ts', // the installation's, as settings
  'store/secrets.ts', // the installation's, as settings
  'store/settings/settings.ts',
  'store/turns/pauses.ts', // as the queue, which gives turns back by their id and the start they run in
  'store/turns/steps.ts', // the batch writer; what is read of a turn is read within its workspace
  'store/turns/turns.ts',
  'store/usage/analytics.ts',
  'store/usage/budgets.ts',
  'store/usage/mark.ts',
  'store/usage/names.ts',
  'store/usage/prices.ts',
  'store/usage/sums.ts',
  'store/workspaces.ts',
]
