/** From the version before, with its data in the tables, to this one. */
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { decideApproval, requestApproval } from '../../store/approvals.ts'
import { listAudit } from '../../store/audit/audit.ts'
import { verifyAudit } from '../../store/audit/chain.ts'
import { conversationWriter } from '../../store/conversations/conversations.ts'
import { loadMessages } from '../../store/conversations/history.ts'
import { type Database, openDatabase } from '../../store/database.ts'
import { claimDeliveries } from '../../store/deliveries/deliveries.ts'
import {
  type ConversationId,
  firstWorkspaceId,
  newAuditId,
  newChannelId,
  newConversationId,
  newDeliveryId,
  newMessageId,
  newTurnId,
  newWorkspaceId,
  type TurnId,
  uuidOf,
} from '../../store/id.ts'
import { migrate } from '../../store/migrate.ts'
import { readMigrations } from '../../store/migration-files.ts'
import { pauseTurn, resumeTurns } from '../../store/turns/pauses.ts'
import { claimWriter, recoverTurns } from '../../store/turns/queue.ts'
import { stepWriter } from '../../store/turns/steps.ts'
import { ensureWorkspace } from '../../store/workspaces.ts'
import { freshAddress } from '../support/database.ts'
import { recentTurns } from '../support/recent-turns.ts'
import { ownSlots } from '../support/slots.ts'
import { approval, step } from './support/steps.ts'
import { turnEnd } from './support/turns.ts'

const silent = pino({ level: 'silent' })

/** The last migration of the version before. */
const before = 4

const workspace = uuidOf(firstWorkspaceId)
const otherWorkspace = newWorkspaceId()

/** As that version wrote them: a conversation of a channel with an answer, a turn that waits and one that a caller waits for. */
async function fill(old: Database) {
  const [channel, conversation, delivery] = [newChannelId(), newConversationId(), newDeliveryId()]
  const [answered, queued, called] = [newTurnId(), newTurnId(), newTurnId()]
  const answer = newMessageId()
  await old.system`
    insert into channels (id, workspace_id, name, adapter, config)
    values (${uuidOf(channel)}, ${workspace}, 'shop', 'generic', '{}')`
  await old.system`
    insert into conversations (id, workspace_id, channel_id, external_id, last_seq)
    values (${uuidOf(conversation)}, ${workspace}, ${uuidOf(channel)}, 'anna', 3)`
  const acceptedMessages = [
    [1, newMessageId(), answered, 'user'],
    [2, answer, answered, 'assistant'],
    [3, newMessageId(), queued, 'user'],
  ] as const
  for (const [seq, id, turn, role] of acceptedMessages) {
    await old.system`
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body, turn_seq)
      values (${uuidOf(conversation)}, ${seq}, ${uuidOf(id)}, ${workspace}, ${uuidOf(turn)}, ${role},
        ${JSON.stringify({ role, content: `${seq}` })}::text::jsonb, ${role === 'assistant' ? 1 : null})`
  }
  const turns = [
    [answered, 'completed', 'channel', 1],
    [queued, 'queued', 'channel', 3],
    [called, 'running', 'call', null],
  ] as const
  for (const [id, status, origin, seq] of turns) {
    await old.system`
      insert into turns (id, workspace_id, conversation_id, channel_id, request_id, epoch, status, model, is_stream, started_at,
        origin, seq_from, seq)
      values (${uuidOf(id)}, ${workspace}, ${uuidOf(conversation)}, ${uuidOf(channel)}, 'r', 1, ${status}, 'm', true, now(),
        ${origin}, ${seq}, ${seq})`
  }
  await old.system`
    insert into deliveries (id, workspace_id, channel_id, conversation_id, turn_id, message_id, seq, expires_at)
    values (${uuidOf(delivery)}, ${workspace}, ${uuidOf(channel)}, ${uuidOf(conversation)}, ${uuidOf(answered)}, ${uuidOf(answer)}, 2,
      now() + interval '1 hour')`
  await fillAudit(old)
  return { channel, conversation, delivery, queued, called }
}

/** Of two workspaces, in another order than that of their ids, one of them as long as that version let it be. */
async function fillAudit(old: Database) {
  await ensureWorkspace(old, otherWorkspace, 'other')
  for (const [n, of] of [workspace, uuidOf(otherWorkspace), workspace, workspace].entries()) {
    await old.system`
      insert into audit_log (id, workspace_id, at, actor, action, target, after_digest, ip, request_id)
      values (${uuidOf(newAuditId())}, ${of}, now() - make_interval(hours => ${n}), 'anna "a" \\ é', 'test', ${'ж'.repeat(n * 3_000)},
        null, '::1', 'r')`
  }
}

test('a database of the previous version keeps its conversations and deliveries, closes running turns, and runs waiting ones', async () => {
  const { address, drop } = await freshAddress({ isEmpty: true })
  onTestFinished(drop)
  const migrations = await readMigrations()
  await migrate(address, silent, { migrations: migrations.slice(0, before) })
  const old = openDatabase(address)
  const { channel, conversation, delivery, queued, called } = await fill(old)
  await old.close()

  expect(await migrate(address, silent)).toEqual(migrations.slice(before).map(({ name }) => name))

  const db = openDatabase(address)
  onTestFinished(() => db.close())
  await chained(db)
  const leases = await ownSlots(db, 2)
  const lease = leases.of('') ?? 0
  expect(await recoverTurns(db, 2, 10)).toEqual({ queued: 0, failed: 0, interrupted: 1 })
  expect(await recentTurns(db, firstWorkspaceId, { before: null, limit: 1 })).toMatchObject([
    { id: called, status: 'interrupted' },
  ])
  expect(await claimDeliveries(db, { key: channel, node: 2, lease }, 10)).toMatchObject([{ id: delivery }])
  const claims = claimWriter(db, 2)
  expect(await claims.claim({ conversation, lease, isMerged: false })).toMatchObject({
    id: queued,
    seqFrom: 3,
    hasSteps: false,
  })
  await putAsideAndTakeUp(db, { turn: queued, conversation, lease })
  expect(await claims.claim({ conversation, lease, isMerged: false })).toMatchObject({
    id: queued,
    attempt: 1,
    hasSteps: true,
  })
  await claims.close()
  const writer = conversationWriter(db, 2)
  const message = { id: newMessageId(), role: 'assistant', body: { role: 'assistant', content: '4' } }
  const at = { conversation, lease, workspaceId: firstWorkspaceId }
  const next = { id: newDeliveryId(), expiresAt: new Date(Date.now() + 60_000) }
  await writer.answer({ ...at, turn: queued, end: turnEnd(), message, delivery: next })
  await writer.close()
  const messages = (await loadMessages(db, firstWorkspaceId, conversation, 10)) ?? []
  expect(messages.map(({ body }) => (body as { content: string }).content)).toEqual(['1', '2', '3', '4'])
})

/** What is new holds for what was there. */
async function putAsideAndTakeUp(
  db: Database,
  { turn, conversation, lease }: { turn: TurnId; conversation: ConversationId; lease: number },
) {
  const steps = stepWriter(db, 2)
  await steps.write(lease, step({ turnId: turn, conversationId: conversation }))
  await steps.close()
  const requested = await requestApproval(
    db,
    { node: 2, lease },
    approval({ turnId: turn, conversationId: conversation }),
  )
  expect(await pauseTurn(db, { id: turn, node: 2, lease })).toBe(true)
  const operator = { workspaceId: firstWorkspaceId, name: 'operator', ip: '::1', requestId: 'r' }
  await decideApproval(db, operator, { id: requested.id, isApproved: true, reason: null })
  expect(await resumeTurns(db, turn)).toMatchObject([{ turnId: turn, queued: 1 }])
}

/** The entries that were there are a chain in the order of their times, and the next one goes on behind them. */
async function chained(db: Database) {
  const whole = { problem: null, isComplete: true }
  expect(await verifyAudit(db, firstWorkspaceId)).toMatchObject({ ...whole, headSeq: 3, rows: 3 })
  expect(await verifyAudit(db, otherWorkspace)).toMatchObject({ ...whole, headSeq: 1, rows: 1 })
  const entries = await listAudit(db, firstWorkspaceId, { before: null, limit: 9 })
  expect(entries.map(({ seq, target }) => [seq, target?.length])).toEqual([
    [1, 9_000],
    [2, 6_000],
    [3, 0],
  ])
}

test('a channel of a messenger keeps its address and loses the port that it listened on', async () => {
  const fresh = await freshAddress({ isEmpty: true })
  onTestFinished(() => fresh.drop())
  const landed = await readMigrations()
  const at = landed.findIndex(({ name }) => name.endsWith('_webhook_listen.sql'))
  await migrate(fresh.address, silent, { migrations: landed.slice(0, at) })
  const db = openDatabase(fresh.address)
  onTestFinished(() => db.close())
  await ensureWorkspace(db, firstWorkspaceId, 'default')
  const webhook = { public_url: 'https://bots.example.com', listen: '0.0.0.0:4444' }
  const configs = { chat: { mode: 'webhook', webhook, policy: {} }, polls: { mode: 'polling' } }
  for (const [name, config] of Object.entries(configs))
    await db.system`
      insert into channels (id, workspace_id, name, adapter, config)
      values (${uuidOf(newChannelId())}, ${workspace}, ${name}, 'chatapp', ${JSON.stringify(config)}::text::jsonb)`
  await migrate(fresh.address, silent, { migrations: landed })
  const stored = await db.system<{ config: unknown }>`select config from channels order by name`
  expect(stored.map(({ config }) => config)).toEqual([
    { mode: 'webhook', webhook: { public_url: 'https://bots.example.com' }, policy: {} },
    { mode: 'polling' },
  ])
})
