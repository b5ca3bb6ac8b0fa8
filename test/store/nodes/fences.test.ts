/**
 * Every statement of the store that writes what an owner has: by whoever is not the owner any more it changes nothing. A
 * statement that is in neither list is found, so that a new one says which it is.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../runtime/time/clock.ts'
import { deleteAlerts, stepAlerts, tellTestAlert } from '../../../store/alerts/alerts.ts'
import { expireApprovals, requestApproval } from '../../../store/approvals.ts'
import { bindSender, createChannel, type StoredChannel } from '../../../store/channels.ts'
import { conversationWriter } from '../../../store/conversations/conversations.ts'
import { saveSummary } from '../../../store/conversations/summaries.ts'
import { deleteAttempts } from '../../../store/deliveries/attempts.ts'
import {
  attemptWriter,
  claimDeliveries,
  expireDeliveries,
  recoverDeliveries,
  releaseDeliveries,
} from '../../../store/deliveries/deliveries.ts'
import { deleteEvents, deleteInboundKeys, writeSettingsChanged } from '../../../store/events/events.ts'
import {
  type ConversationId,
  type DeliveryId,
  newConversationId,
  newDeliveryId,
  newMessageId,
  type SubscriptionId,
  uuidOf,
  firstWorkspaceId as workspaceId,
} from '../../../store/id.ts'
import { intakeWriter } from '../../../store/intake.ts'
import { ownerId } from '../../../store/owner-id.ts'
import { deleteOldResponses } from '../../../store/responses.ts'
import {
  claimNotices,
  deleteNotices,
  expireNotices,
  fanOutEvents,
  recordNotice,
  recoverNotices,
  releaseNotice,
} from '../../../store/subscriptions/outbox.ts'
import { createSubscription } from '../../../store/subscriptions/subscriptions.ts'
import { writeInterimMessage } from '../../../store/turns/interim-message.ts'
import { pauseTurn } from '../../../store/turns/pauses.ts'
import { type ClaimedTurn, claimWriter, recoverTurns, requeueTurn } from '../../../store/turns/queue.ts'
import { deleteSteps, stepWriter } from '../../../store/turns/steps.ts'
import { deleteCalls, interruptLostTurns, turnWriter } from '../../../store/turns/turns.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database.ts'
import { registeredNode } from '../../support/registered-node.ts'
import { ownSlots } from '../../support/slots.ts'
import { deliveredAttempt, inboundMessage } from '../support/channel.ts'
import { approval, step } from '../support/steps.ts'
import { turnEnd, turnStart } from '../support/turns.ts'

interface Place {
  node: number
  lease: number
}

/** Prepares rows as the owner has them. @returns the write, as whoever is at a place does it */
type Fenced = () => Promise<(place: Place) => Promise<unknown>>

let fresh: FreshDatabase
let channel: StoredChannel
let earlier: Place
let owner: Place
let senders = 0
beforeAll(async () => {
  fresh = await freshDatabase()
  const { db } = fresh
  const nodes = [0, 1].map(() => registeredNode(db))
  const [first, second] = (await Promise.all(nodes)) as [number, number]
  earlier = { node: first, lease: (await ownSlots(db, first)).of('') as number }
  owner = { node: second, lease: (await ownSlots(db, second)).of('') as number }
  const open = { secrets: null, isEnabled: true, isPaused: false, config: {} }
  channel = await createChannel(db, workspaceId, { name: 'shop', adapter: 'generic', ...open })
})
afterAll(() => fresh.drop())

const later = () => new Date(Date.now() + 3_600_000)
const user = () => ({ id: newMessageId(), role: 'user', body: { role: 'user', content: 'hello' } })

async function subscribed(): Promise<SubscriptionId> {
  const actor = { workspaceId, name: 'test', ip: '::1', requestId: 'r' }
  const made = { name: 's', kind: 'mail' as const, target: 'a@example.com', eventKinds: ['alert.*'] }
  const masterKey = () => Buffer.alloc(32) as never
  const all = { ...made, quietHours: null, isEnabled: true }
  return await createSubscription(fresh.db, masterKey, { made: all, secret: null, actor })
}

/** With something to be sent. */
async function noticed(): Promise<SubscriptionId> {
  const id = await subscribed()
  await tellTestAlert(fresh.db, { workspaceId, name: 'ada', ip: '127.0.0.1', requestId: 'req' })
  await fanOutEvents(fresh.db, { key: 'subscriptions', ...owner }, () => null)
  return id
}

async function claimedNotice() {
  const key = await noticed()
  const [notice] = await claimNotices(fresh.db, { key, ...owner }, 1, later())
  if (!notice) throw new Error('nothing is due')
  return { key, id: notice.id }
}

/** A conversation with a turn that waits. */
async function waiting(dedupe: { key: string; digest: string } | null = null): Promise<ConversationId> {
  const externalId = `sender-${++senders}`
  await bindSender(fresh.db, workspaceId, channel.id, { externalId, role: 'user', name: null, createdBy: 'test' })
  const intake = intakeWriter(fresh.db, owner.node)
  const taken = await intake.take({ ...inboundMessage(channel, externalId), dedupe })
  await intake.close()
  if (!('conversationId' in taken)) throw new Error(taken.disposition)
  return taken.conversationId
}

async function claim(conversation: ConversationId, { node, lease }: Place): Promise<ClaimedTurn | null> {
  const claims = claimWriter(fresh.db, node)
  const turn = await claims.claim({ conversation, lease, isMerged: false })
  await claims.close()
  return turn
}

/** A turn that the owner runs. */
async function running(): Promise<{ conversation: ConversationId; turn: ClaimedTurn }> {
  const conversation = await waiting()
  const turn = await claim(conversation, owner)
  if (!turn) throw new Error('no turn waits')
  return { conversation, turn }
}

async function answer({ conversation, turn }: Awaited<ReturnType<typeof running>>, { node, lease }: Place) {
  const writer = conversationWriter(fresh.db, node)
  const delivery = { id: newDeliveryId(), expiresAt: new Date(Date.now() + 60_000) }
  const message = { ...user(), role: 'assistant' }
  await writer.answer({ conversation, lease, workspaceId, turn: turn.id, end: turnEnd(), message, delivery })
  await writer.close()
  return delivery.id
}

/** An answer that waits for its delivery. */
const pending = async (): Promise<DeliveryId> => await answer(await running(), owner)

/** One that the owner sends. */
async function sending(): Promise<DeliveryId> {
  const id = await pending()
  await claimDeliveries(fresh.db, { key: channel.id, ...owner }, 1_000)
  return id
}

const held = (key: string) => (place: Place) => ({ key, ...place })
const swept = held('retention')

const fenced: Record<string, Fenced> = {
  'turns/queue.ts claim': async () => {
    const conversation = await waiting()
    return (place) => claim(conversation, place)
  },
  'turns/queue.ts requeueTurn': async () => {
    const { turn } = await running()
    return (place) => requeueTurn(fresh.db, { id: turn.id, ...place }, 0)
  },
  'turns/queue.ts recoverTurns': async () => {
    const { turn } = await running()
    await fresh.db
      .system`update turns set lease_epoch = ${earlier.lease}, epoch = ${earlier.node} where id = ${uuidOf(turn.id)}`
    return ({ node, lease }) => recoverTurns(fresh.db, node === owner.node && lease !== owner.lease ? -1 : node, 10)
  },
  'turns/pauses.ts pauseTurn': async () => {
    const { turn } = await running()
    return (place) => pauseTurn(fresh.db, { id: turn.id, ...place })
  },
  'turns/steps.ts writeSteps': async () => {
    const { conversation, turn } = await running()
    return async ({ node, lease }) => {
      const steps = stepWriter(fresh.db, node)
      await steps.write(lease, step({ turnId: turn.id, conversationId: conversation })).catch(() => {})
      await steps.close()
    }
  },
  'turns/steps.ts deleteSteps': async () => {
    const steps = stepWriter(fresh.db, owner.node)
    await steps.write(null, step({ status: 'failed' }))
    await steps.close()
    return (place) => deleteSteps(fresh.db, swept(place), later(), 1)
  },
  'subscriptions/outbox.ts fanOutEvents': async () => {
    await subscribed()
    await tellTestAlert(fresh.db, { workspaceId, name: 'ada', ip: '127.0.0.1', requestId: 'req' })
    return (place) => fanOutEvents(fresh.db, { key: 'subscriptions', ...place }, () => null)
  },
  'subscriptions/outbox.ts claimNotices': async () => {
    const key = await noticed()
    return (place) => claimNotices(fresh.db, { key, ...place }, 1, later())
  },
  'subscriptions/outbox.ts releaseNotice': async () => {
    const { key, id } = await claimedNotice()
    return (place) => releaseNotice(fresh.db, { key, ...place }, id, later())
  },
  'subscriptions/outbox.ts recordNotice': async () => {
    const { key, id } = await claimedNotice()
    const { delivery: _delivery, lease: _lease, ...attempt } = deliveredAttempt(newDeliveryId())
    return (place) => recordNotice(fresh.db, { key, ...place }, id, attempt)
  },
  'subscriptions/outbox.ts recoverNotices': async () => {
    const { key } = await claimedNotice()
    return (place) => recoverNotices(fresh.db, { key, ...place }, 9)
  },
  'subscriptions/outbox.ts expireNotices': async () => {
    const key = await noticed()
    const nextWeek = new Date(Date.now() + 7 * 86_400_000)
    return (place) => expireNotices(fresh.db, { key, ...place }, 10, nextWeek)
  },
  'subscriptions/outbox.ts deleteNotices': async () => {
    const { key, id } = await claimedNotice()
    const { delivery: _delivery, lease: _lease, ...attempt } = deliveredAttempt(newDeliveryId())
    await recordNotice(fresh.db, { key, ...owner }, id, attempt)
    return (place) => deleteNotices(fresh.db, swept(place), later(), 1)
  },
  'turns/turns.ts deleteCalls': async () => {
    const turns = turnWriter(fresh.db, owner.node, systemClock)
    await turns.begin(turnStart()).end(turnEnd())
    await turns.close()
    return (place) => deleteCalls(fresh.db, swept(place), later(), 1)
  },
  'alerts/alerts.ts deleteAlerts': async () => {
    const rule = { workspaceId, rule: 'turn_latency', threshold: 1, forS: 0, isUrgent: true, runbook: 'turn-latency' }
    const breached = [{ subject: newMessageId(), subjectName: null, value: 1 }]
    for (const found of [breached, []])
      await stepAlerts(fresh.db, { key: 'alerts', ...owner }, [{ ...rule, breached: found }])
    return (place) => deleteAlerts(fresh.db, swept(place), later(), 1)
  },
  'alerts/alerts.ts stepAlerts': async () => {
    const rule = { workspaceId, rule: 'error_rate', threshold: 1, forS: 0, isUrgent: true, runbook: 'error-rate' }
    const breached = [{ subject: newMessageId(), subjectName: null, value: 1 }]
    return (place) => stepAlerts(fresh.db, { key: 'alerts', ...place }, [{ ...rule, breached }])
  },
  'turns/interim-message.ts writeInterimMessage': async () => {
    const { conversation: conversationId, turn } = await running()
    const message = { conversationId, workspaceId, messageId: newMessageId(), text: 'wait', delivery: null }
    return (place) => writeInterimMessage(fresh.db, { ...message, turn: { id: turn.id, ...place } })
  },
  'turns/turns.ts writeTurns': async () => {
    const start = turnStart()
    const record = async (node: number) => {
      const turns = turnWriter(fresh.db, node, systemClock)
      const begun = turns.begin(start)
      await begun.known
      await begun.end(turnEnd())
      await turns.close()
    }
    const turns = turnWriter(fresh.db, owner.node, systemClock)
    await turns.begin(start).known
    await turns.close()
    return ({ node, lease }) => record(lease === owner.lease ? node : earlier.node)
  },
  'turns/turns.ts interruptLostTurns': async () => {
    const turns = turnWriter(fresh.db, owner.node, systemClock)
    await turns.begin(turnStart()).known
    await turns.close()
    return ({ node, lease }) =>
      interruptLostTurns(fresh.db, lease === owner.lease ? node : earlier.node, { running: [], startedBefore: later() })
  },
  'conversations/conversations.ts accept': async () => {
    const conversation = newConversationId()
    return async ({ node, lease }) => {
      const writer = conversationWriter(fresh.db, node)
      const place = { conversation, lease, workspaceId, owner: ownerId('key', 'test'), origin: 'call' as const }
      const turn = turnStart({ conversationId: conversation })
      await writer.accept({ ...place, isNew: true, messages: [user()], turn })
      await writer.close()
    }
  },
  'conversations/conversations.ts answer': async () => {
    const turn = await running()
    return (place) => answer(turn, place)
  },
  'conversations/summaries.ts saveSummary': async () => {
    const { conversation, turn } = await running()
    // It covers what came before this turn.
    await fresh.db.system`
      update turns set seq_from = 2, seq = 2 where id = ${uuidOf(turn.id)}`
    return (place) => {
      const by = { conversation, turn: { id: turn.id, ...place } }
      return saveSummary(fresh.db, workspaceId, by, { text: 'short', seq: 1 }, 0)
    }
  },
  'deliveries/deliveries.ts claimDeliveries': async () => {
    await pending()
    return (place) => claimDeliveries(fresh.db, { key: channel.id, ...place }, 1_000)
  },
  'deliveries/deliveries.ts record': async () => {
    const delivery = await sending()
    return async ({ node, lease }) => {
      const attempts = attemptWriter(fresh.db, node)
      await attempts.record({ ...deliveredAttempt(delivery), lease })
      await attempts.close()
    }
  },
  'deliveries/deliveries.ts releaseDeliveries': async () => {
    const delivery = await sending()
    return (place) => releaseDeliveries(fresh.db, { key: channel.id, ...place }, [delivery], new Date())
  },
  'deliveries/deliveries.ts recoverDeliveries': async () => {
    await sending()
    return (place) => recoverDeliveries(fresh.db, { key: channel.id, ...place }, 5)
  },
  'deliveries/deliveries.ts expireDeliveries': async () => {
    await pending()
    return (place) => expireDeliveries(fresh.db, { key: channel.id, ...place }, 10, later())
  },
  'approvals.ts insertApproval': async () => {
    const { conversation, turn } = await running()
    const request = approval({ turnId: turn.id, conversationId: conversation })
    return (place) => requestApproval(fresh.db, place, request).catch(() => {})
  },
  'approvals.ts expireApprovals': async () => {
    const { turn } = await running()
    await requestApproval(fresh.db, owner, approval({ turnId: turn.id }))
    return (place) => expireApprovals(fresh.db, held('approvals')(place), new Date(Date.now() + 7_200_000), 10)
  },
  'deliveries/attempts.ts deleteAttempts': async () => {
    await fresh.db.system`
      insert into delivery_attempts (delivery_id, attempt, workspace_id, at, outcome)
      values (${uuidOf(newDeliveryId())}, 1, ${uuidOf(workspaceId)}, now(), 'delivered')`
    return (place) => deleteAttempts(fresh.db, swept(place), later(), 1)
  },
  'events/events.ts deleteEvents': async () => {
    await waiting()
    return (place) => deleteEvents(fresh.db, swept(place), later(), 1)
  },
  'events/events.ts deleteInboundKeys': async () => {
    const key = uuidOf(newMessageId()).replaceAll('-', '')
    await waiting({ key, digest: key })
    return (place) => deleteInboundKeys(fresh.db, swept(place), later(), 1)
  },
  'events/events.ts writeSettingsChanged': async () => {
    return (place) => writeSettingsChanged(fresh.db, held('settings')(place), workspaceId, ['SERVICE_LOG_LEVEL'])
  },
  'responses.ts deleteOldResponses': async () => {
    const conversation = newConversationId()
    const writer = conversationWriter(fresh.db, owner.node)
    const turn = turnStart({ conversationId: conversation })
    const place = { conversation, lease: owner.lease, workspaceId, owner: ownerId('key', 'test'), isNew: true }
    const response = { previous: null, createdAt: new Date(0), request: {} }
    await writer.accept({ ...place, origin: 'responses', messages: [user()], turn, response })
    const end = { conversation, lease: owner.lease, workspaceId, turn: turn.id, end: turnEnd() }
    await writer.answer({ ...end, message: null, delivery: null })
    await writer.close()
    return (at) => deleteOldResponses(fresh.db, swept(at), new Date(1), 10)
  },
}

/** Of others than the owner, with the reason why each needs no fence. */
const unfenced: Record<string, string> = {
  'intake.ts store': 'any node takes a message in',
  'turns/pauses.ts resumeTurns': 'whoever decides, or pauses: one that waits is queued once',
  'conversations/turns.ts appendMessage': 'an operator',
  'conversations/turns.ts regenerateAnswer': 'an operator',
  'conversations/writes.ts organizeConversation': 'an operator',
  'conversations/writes.ts resetConversation': 'an operator',
  'conversations/bulk.ts organizeMany': 'an operator',
  'conversations/copies.ts copy': 'whoever may read it; the copy is new',
  'turns/queue.ts endTurn': 'whoever cancels, at any node',
  'turns/steps.ts resolveStep': 'an operator',
  'approvals.ts decideApproval': 'an operator, once',
  'deliveries/changes.ts retryDelivery': 'an operator',
  'deliveries/changes.ts cancelDelivery': 'an operator',
  'deliveries/bulk.ts retryAll': 'an operator',
  'deliveries/bulk.ts cancelAll': 'an operator',
  'events/insert.ts insertEvents': 'part of the statements of others',
  'subscriptions/subscriptions.ts writeChange': 'an operator',
  'subscriptions/reads.ts retryNotice': 'an operator',
  'alerts/alerts.ts tellTestAlert': 'an operator',
  'subscriptions/subscriptions.ts deleteDeliveries': 'an operator',
  'audit/audit.ts writeAudit': 'part of the transactions of those whose change it records',
  'responses.ts deleteResponse': 'whoever it belongs to',
  'responses.ts deleteUnused': 'within the transactions of those who delete responses',
  'channel-deletion.ts endTurnsOfChannel': 'an operator',
  'channel-deletion.ts cancelDeliveriesOfChannel': 'an operator',
}

const owned =
  'turns|turn_steps|deliveries|delivery_attempts|approvals|messages|conversations|responses|events|event_feed|inbound|subscription_deliveries|alerts'
const writes = new RegExp(`\\b(insert into|update|delete from) (${owned})\\b`)

/** Top-level functions of the store that write such rows, each as `file name`. */
function writersOf(): string[] {
  const root = new URL('../../../store/', import.meta.url)
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  return files.flatMap((file) =>
    readFileSync(new URL(file, root), 'utf8')
      .split(/^(?=(?:export )?(?:async )?function )/m)
      .filter((text) => writes.test(text.replaceAll(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, '')))
      .map((text) => `${file} ${/function (\w+)/.exec(text)?.[1]}`),
  )
}

/** All rows, in an order of their own. */
async function everything(): Promise<string> {
  const tables = owned
    .split('|')
    .map((table) => [table, `select coalesce(json_agg(t::text order by t::text), '[]') as rows from ${table} t`])
  const all = []
  for (const [table, text] of tables) all.push(table, await fresh.db.system(plain(text as string)))
  return JSON.stringify(all)
}

function plain(text: string): TemplateStringsArray {
  return Object.assign([text], { raw: [text] })
}

test('each statement that writes what an owner has is in one of the lists', () => {
  expect(writersOf().sort()).toEqual([...Object.keys(fenced), ...Object.keys(unfenced)].sort())
})

describe.each(Object.entries(fenced))('%s', (_name, prepare) => {
  test('changes nothing by an earlier owner, or under an earlier lease, and something by the owner', async () => {
    const write = await prepare()
    const before = await everything()
    const stale = [earlier, { ...earlier, lease: owner.lease }, { ...owner, lease: earlier.lease }]
    for (const place of stale) {
      await write(place)
      expect(await everything()).toBe(before)
    }
    await write(owner)
    expect(await everything()).not.toBe(before)
  })
})
