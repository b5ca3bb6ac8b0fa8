/** Approvals and turns that wait for them, in the store: who decides first, who goes on, and what is told. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Approval,
  ApprovalDecided,
  ApprovalRequested,
  decideApproval,
  decidedApprovals,
  expireApprovals,
  readApproval,
  requestApproval,
} from '../../store/approvals.ts'
import { bindSender, createChannel, type StoredChannel } from '../../store/channels.ts'
import type { Database } from '../../store/database.ts'
import {
  type ConversationId,
  firstWorkspaceId,
  idFrom,
  newDeliveryId,
  newMessageId,
  newTurnId,
  uuidOf,
} from '../../store/id.ts'
import { writeInterimMessage } from '../../store/turns/interim-message.ts'
import { pauseTurn, resumeTurns } from '../../store/turns/pauses.ts'
import {
  type ClaimedTurn,
  cancelTurn,
  claimWriter,
  recoverTurns,
  waitingConversations,
} from '../../store/turns/queue.ts'
import { TurnMoved } from '../../store/turns/steps.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { firstPlace, ownSlots } from '../support/slots.ts'
import { claimed, messageOf } from './support/channel.ts'
import { approval } from './support/steps.ts'

let fresh: FreshDatabase
let db: Database
let channel: StoredChannel
beforeAll(async () => {
  fresh = await freshDatabase()
  db = fresh.db
  await ownSlots(db)
  const open = { secrets: null, isEnabled: true, isPaused: false, config: {} }
  channel = await createChannel(db, firstWorkspaceId, { name: 'shop', adapter: 'generic', ...open })
})
afterAll(() => fresh.drop())

const sweeper = { key: 'approvals', ...firstPlace }
const operator = { workspaceId: firstWorkspaceId, name: 'operator', ip: '::1', requestId: 'r' }
const decide = (id: Approval['id'], isApproved = true) => decideApproval(db, operator, { id, isApproved, reason: null })

/** A turn of a sender of its own that runs and has asked. */
async function asking(sender: string): Promise<{ turn: ClaimedTurn; conversation: ConversationId; asked: Approval }> {
  await bindSender(db, firstWorkspaceId, channel.id, {
    externalId: sender,
    role: 'user',
    name: null,
    createdBy: 'test',
  })
  const conversation = await messageOf(db, channel, sender)
  const turn = await claimed(db, conversation)
  const requested = await requestApproval(
    db,
    { node: 1, lease: turn.lease },
    approval({ turnId: turn.id, conversationId: conversation }),
  )
  return { turn, conversation, asked: requested }
}

const events = (subject: string) =>
  db.system<{ kind: string; payload: Record<string, unknown>; channel_id: string | null }>`
    select kind, payload, channel_id from events where subject = ${uuidOf(subject as never)} order by xid, id`

test('requested again it is the same approval, with the first arguments, and one event', async () => {
  const { turn, asked, conversation } = await asking('again')
  const other = approval({ turnId: turn.id, conversationId: conversation, arguments: { url: 'other' } })
  expect(await requestApproval(db, { node: 1, lease: turn.lease }, other)).toEqual(asked)
  const [only, ...others] = await events(asked.id)
  expect(others).toEqual([])
  expect(ApprovalRequested.parse(only?.payload)).toMatchObject({ approval_id: asked.id, turn_id: turn.id })
  expect(only?.channel_id).not.toBeNull()
})

test('a node that no longer has the turn asks for nothing', async () => {
  const { turn, conversation } = await asking('moved')
  const request = { ...approval({ turnId: turn.id, conversationId: conversation }), n: 2 }
  for (const stale of [
    { node: 2, lease: turn.lease },
    { node: 1, lease: turn.lease - 1 },
    { node: 1, lease: null },
  ])
    await expect(requestApproval(db, stale, request)).rejects.toBeInstanceOf(TurnMoved)
  expect(await events(request.id)).toEqual([])
  expect(await readApproval(db, firstWorkspaceId, request.id)).toBeNull()
})

test('when two decide at once, one decision counts, and the feed has one event', async () => {
  const { asked } = await asking('twice')
  const both = await Promise.all([decide(asked.id, true), decide(asked.id, false)])
  expect(both.filter((one) => one !== null)).toHaveLength(1)
  const decisions = (await events(asked.id)).filter(({ kind }) => kind === 'approval.decided')
  expect(decisions.map(({ payload }) => ApprovalDecided.parse(payload).approval_id)).toEqual([asked.id])
})

test('an expired one cannot be approved, is refused by the next sweep, and has an event', async () => {
  const turnId = newTurnId()
  const requested = await requestApproval(
    db,
    { node: 1, lease: null },
    approval({ turnId, expiresAt: new Date(Date.now() - 1_000) }),
  )
  expect(await decide(requested.id)).toBeNull()
  expect(await expireApprovals(db, sweeper, new Date(), 10)).toMatchObject([{ id: requested.id, status: 'expired' }])
  expect(await expireApprovals(db, sweeper, new Date(), 10)).toEqual([])
  const lastEvent = (await events(requested.id)).at(-1)
  expect(ApprovalDecided.parse(lastEvent?.payload)).toMatchObject({ status: 'expired' })
})

test('approvals of an ended turn are withdrawn; those of a waiting turn are not', async () => {
  const ended = await asking('ended')
  const aside = await asking('aside')
  await pauseTurn(db, { ...aside.turn, node: 1 })
  await db.system`update turns set status = 'interrupted' where id = ${uuidOf(ended.turn.id)}`
  expect(await expireApprovals(db, sweeper, new Date(), 10)).toMatchObject([
    { id: ended.asked.id, status: 'cancelled' },
  ])
  expect(await decidedApprovals(db, [ended.asked.id, aside.asked.id])).toMatchObject([{ id: ended.asked.id }])
})

test('when it was decided before the turn was paused, pausing resumes the turn', async () => {
  const { turn, asked, conversation } = await asking('race')
  await decide(asked.id)
  expect(await resumeTurns(db, turn.id)).toEqual([])
  expect(await pauseTurn(db, { ...turn, node: 1 })).toBe(true)
  expect(await resumeTurns(db, turn.id)).toEqual([
    { turnId: turn.id, conversationId: conversation, channelId: channel.id, queued: 1 },
  ])
  expect(await resumeTurns(db, turn.id)).toEqual([])
})

test('only the instance that runs a turn pauses it, and the attempt does not count', async () => {
  const { turn } = await asking('fence')
  expect(await pauseTurn(db, { ...turn, node: 2 })).toBe(false)
  expect(await pauseTurn(db, { ...turn, node: 1 })).toBe(true)
  expect(await pauseTurn(db, { ...turn, node: 1 })).toBe(false)
  const [row] = await db.system<{ attempt: number }>`select attempt from turns where id = ${uuidOf(turn.id)}`
  expect(row?.attempt).toBe(0)
  expect((await events(turn.id)).map(({ kind }) => kind)).toEqual(['turn.started', 'turn.waiting'])
})

test('nothing overtakes a paused turn, a start of the service leaves it paused, and the turns behind it are counted', async () => {
  const { turn, asked, conversation } = await asking('order')
  await pauseTurn(db, { ...turn, node: 1 })
  await messageOf(db, channel, 'order')
  await messageOf(db, channel, 'order')
  const claims = claimWriter(db, 1)
  expect(await claims.claim({ conversation, lease: 1, isMerged: true })).toBeNull()
  await recoverTurns(db, 2, 10)
  const waiting = await waitingConversations(db, new Date(Date.now() + 60_000), 1_000)
  expect(waiting.map((each) => each.conversation)).not.toContain(conversation)
  await decide(asked.id, false)
  expect(await resumeTurns(db, null)).toMatchObject([{ turnId: turn.id, queued: 3 }])
  expect(await claims.claim({ conversation, lease: 1, isMerged: false })).toMatchObject({ id: turn.id, attempt: 1 })
  await claims.close()
})

test('cancelling a turn withdraws its approvals, with events, and returns what may run in its place', async () => {
  const { turn, asked, conversation } = await asking('cancel')
  await pauseTurn(db, { ...turn, node: 1 })
  await messageOf(db, channel, 'cancel')
  const at = { conversation, turn: turn.id }
  expect(await cancelTurn(db, firstWorkspaceId, at, 'no more')).toEqual({
    ...{ wasRunning: false, wasPaused: true, channelId: channel.id, queued: 1 },
  })
  expect(await readApproval(db, firstWorkspaceId, asked.id)).toMatchObject({ status: 'cancelled' })
  expect(ApprovalDecided.parse((await events(asked.id)).at(-1)?.payload)).toMatchObject({ status: 'cancelled' })
  expect(await decide(asked.id)).toBeNull()
  expect(await resumeTurns(db, turn.id)).toEqual([])
})

test('an interim message is stored once, however often it is sent, and never by an instance that lost the turn', async () => {
  const { turn, conversation } = await asking('meanwhile')
  const delivery = { id: newDeliveryId(), expiresAt: new Date(Date.now() + 60_000) }
  const interimMessage = {
    ...{ turn: { ...turn, node: 1 }, conversationId: conversation, workspaceId: firstWorkspaceId },
    ...{ messageId: newMessageId(), text: 'It takes longer.', delivery },
  }
  expect(await writeInterimMessage(db, { ...interimMessage, turn: { ...turn, node: 2 } })).toBe(false)
  expect(await writeInterimMessage(db, interimMessage)).toBe(true)
  expect(await writeInterimMessage(db, interimMessage)).toBe(false)
  await pauseTurn(db, { ...turn, node: 1 })
  expect(await writeInterimMessage(db, { ...interimMessage, messageId: newMessageId() })).toBe(false)
  const messages = await db.system<{ id: string }>`
    select id from messages where conversation_id = ${uuidOf(conversation)} and role = 'assistant'`
  expect(messages.map(({ id }) => idFrom('msg', id))).toEqual([interimMessage.messageId])
  const deliveries = await db.system<{ id: string }>`
    select id from deliveries where conversation_id = ${uuidOf(conversation)}`
  expect(deliveries.map(({ id }) => idFrom('dlv', id))).toEqual([delivery.id])
})
