/** The queue of turns: in order, one at a time for each conversation, given back, recovered, fenced. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listAudit } from '../../store/audit/audit.ts'
import { createChannel, type StoredChannel } from '../../store/channels.ts'
import { conversationWriter } from '../../store/conversations/conversations.ts'
import { loadMessages } from '../../store/conversations/history.ts'
import {
  type ConversationId,
  firstWorkspaceId,
  newDeliveryId,
  newMessageId,
  newTurnId,
  newWorkspaceId,
  uuidOf,
} from '../../store/id.ts'
import { intakeWriter } from '../../store/intake.ts'
import {
  type ClaimedTurn,
  cancelTurn,
  claimWriter,
  recoverTurns,
  requeueTurn,
  waitingConversations,
} from '../../store/turns/queue.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { recentTurns } from '../support/recent-turns.ts'
import { ownSlots } from '../support/slots.ts'
import { auditActor } from './support/audit.ts'
import { inboundMessage } from './support/channel.ts'
import { turnEnd } from './support/turns.ts'

let fresh: FreshDatabase
let channel: StoredChannel
beforeEach(async () => {
  fresh = await freshDatabase()
  await ownSlots(fresh.db)
  channel = await createChannel(fresh.db, firstWorkspaceId, {
    ...{ name: 'shop', adapter: 'generic', config: {}, secrets: null, isEnabled: true, isPaused: false },
  })
})
afterEach(() => fresh.drop())

/** @returns the conversation that they are in */
async function conversationWith(...texts: string[]): Promise<ConversationId> {
  const intake = intakeWriter(fresh.db, 1)
  let conversation: ConversationId | undefined
  for (const content of texts) {
    const accepted = await intake.take(inboundMessage(channel, 'anna', { content, isBindingRequired: false }))
    if ('conversationId' in accepted) conversation = accepted.conversationId
  }
  await intake.close()
  if (!conversation) throw new Error('nothing was taken')
  return conversation
}

async function claim(conversation: ConversationId, options: { isMerged?: boolean; node?: number } = {}) {
  const { isMerged = false, node = 1 } = options
  const claims = claimWriter(fresh.db, node)
  const turn = await claims.claim({ conversation, lease: node, isMerged })
  await claims.close()
  return turn
}

async function answer(conversation: ConversationId, turn: ClaimedTurn, text: string, node = 1) {
  const writer = conversationWriter(fresh.db, node)
  const outcome = await writer.answer({
    conversation,
    lease: turn.lease,
    workspaceId: firstWorkspaceId,
    turn: turn.id,
    end: turnEnd(),
    message: { id: newMessageId(), role: 'assistant', body: { role: 'assistant', content: text } },
    delivery: { id: newDeliveryId(), expiresAt: new Date('2030-01-01T00:00:00Z') },
  })
  await writer.close()
  return outcome
}

/** Those that wait included, in the order of turns. */
async function contents(conversation: ConversationId): Promise<unknown[]> {
  const rows = await fresh.db.system<{ text: string }>`
    select body ->> 'content' as text from messages
    where conversation_id = ${uuidOf(conversation)} and superseded_by is null order by coalesce(turn_seq, seq), seq`
  return rows.map(({ text }) => text)
}

const saidIn = (turn: ClaimedTurn | null) => turn?.messages.map((message) => (message as { content: unknown }).content)

test('turns are claimed in the order of their messages, one at a time', async () => {
  const conversation = await conversationWith('one', 'two')
  const first = await claim(conversation)
  expect([saidIn(first), first?.attempt, first?.count]).toEqual([['one'], 1, 1])
  expect(await claim(conversation, { node: 2 })).toBeNull()
  expect(await answer(conversation, first as ClaimedTurn, 're: one')).toMatchObject({ seq: expect.any(Number) })
  expect(saidIn(await claim(conversation))).toEqual(['two'])
})

test('in the context an answer follows its question, even if others were posted before it came', async () => {
  const conversation = await conversationWith('one', 'two', 'three')
  for (const text of ['re: one', 're: two'])
    await answer(conversation, (await claim(conversation)) as ClaimedTurn, text)
  expect(await contents(conversation)).toEqual(['one', 're: one', 'two', 're: two', 'three'])
})

test('messages whose turn waits are not in the context of another turn', async () => {
  const conversation = await conversationWith('one', 'two')
  await answer(conversation, (await claim(conversation)) as ClaimedTurn, 're: one')
  const past = await loadMessages(fresh.db, firstWorkspaceId, conversation, 100)
  expect(past?.map(({ body }) => (body as { content: string }).content)).toEqual(['one', 're: one'])
})

test('merged: one turn takes all that wait', async () => {
  const conversation = await conversationWith('one', 'two', 'three')
  const turn = await claim(conversation, { isMerged: true })
  expect([saidIn(turn), turn?.count, turn?.seqFrom, turn?.seq]).toEqual([['one', 'two', 'three'], 3, 1, 3])
  await answer(conversation, turn as ClaimedTurn, 're: all')
  expect(await claim(conversation, { isMerged: true })).toBeNull()
  const turns = await recentTurns(fresh.db, firstWorkspaceId, { before: null, limit: 10 })
  expect(turns.map(({ status }) => status as string).sort()).toEqual(['completed', 'merged', 'merged'])
  expect(await contents(conversation)).toEqual(['one', 'two', 'three', 're: all'])
})

test('a requeued turn is claimed again, before those behind it, with all its messages', async () => {
  const conversation = await conversationWith('one', 'two')
  const first = (await claim(conversation, { isMerged: true })) as ClaimedTurn
  await requeueTurn(fresh.db, { ...first, node: 1 }, 0)
  await conversationWith('three')
  const second = await claim(conversation)
  expect([second?.id, second?.attempt, saidIn(second)]).toEqual([first.id, 2, ['one', 'two']])
})

test('a forgiven attempt does not count', async () => {
  const conversation = await conversationWith('one')
  await requeueTurn(fresh.db, { ...((await claim(conversation)) as ClaimedTurn), node: 1 }, 1)
  expect((await claim(conversation))?.attempt).toBe(1)
})

test('a turn that is stored as running here, but is not, is claimed again; one that runs elsewhere is not', async () => {
  const conversation = await conversationWith('one')
  const lost = await claim(conversation)
  expect(await claim(conversation, { node: 2 })).toBeNull()
  expect((await claim(conversation))?.id).toBe(lost?.id)
})

test('who takes a slot requeues the turns of its earlier owner, and fails those that ended it too often', async () => {
  const conversation = await conversationWith('one')
  await claim(conversation)
  expect(await recoverTurns(fresh.db, 1, 2)).toEqual({ queued: 0, failed: 0, interrupted: 0 })
  await ownSlots(fresh.db, 2)
  expect(await recoverTurns(fresh.db, 2, 2)).toEqual({ queued: 1, failed: 0, interrupted: 0 })
  expect((await claim(conversation, { node: 2 }))?.attempt).toBe(2)
  await ownSlots(fresh.db, 3)
  expect(await recoverTurns(fresh.db, 3, 2)).toEqual({ queued: 0, failed: 1, interrupted: 0 })
  expect(await claim(conversation, { node: 3 })).toBeNull()
  const [event] = await fresh.db.system<{ kind: string; payload: object }>`
    select kind, payload from events where kind = 'turn.failed'`
  expect(event?.payload).toMatchObject({ code: 'attempts_exhausted', attempt: 2 })
})

test('an answer of an earlier instance, or of a cancelled turn, is fenced completely', async () => {
  const conversation = await conversationWith('one')
  const turn = (await claim(conversation)) as ClaimedTurn
  expect(await answer(conversation, turn, 'late', 7)).toBe('fenced')
  const at = { conversation, turn: turn.id }
  expect(await cancelTurn(fresh.db, firstWorkspaceId, at, 'enough')).toMatchObject({ wasRunning: true })
  expect(await cancelTurn(fresh.db, firstWorkspaceId, at, 'enough')).toBeNull()
  expect(await answer(conversation, turn, 'too late')).toBe('fenced')
  expect(await contents(conversation)).toEqual(['one'])
  expect(await fresh.db.system`select id from deliveries`).toEqual([])
})

test('a turn whose cancellation cannot be audited goes on, and the entry has its state', async () => {
  const conversation = await conversationWith('one')
  const { id } = (await claim(conversation)) as ClaimedTurn
  const cancel = (workspace = firstWorkspaceId) =>
    cancelTurn(fresh.db, firstWorkspaceId, { conversation, turn: id }, 'enough', auditActor(workspace))
  await expect(cancel(newWorkspaceId())).rejects.toThrow()
  expect(await recentTurns(fresh.db, firstWorkspaceId, { before: null, limit: 1 })).toMatchObject([
    { status: 'running' },
  ])
  expect(await cancel()).toMatchObject({ wasRunning: true })
  const [entry] = await listAudit(fresh.db, firstWorkspaceId, { before: null, limit: 1 })
  expect(entry).toMatchObject({ action: 'turn.cancel', target: id })
  expect(JSON.parse(entry?.detailText ?? '{}')).toEqual({
    ...{ before: { status: 'running' }, after: { status: 'cancelled' } },
  })
})

test('a regenerated turn is not merged with later messages, and its answer supersedes the previous one', async () => {
  const conversation = await conversationWith('one')
  await answer(conversation, (await claim(conversation)) as ClaimedTurn, 'first')
  await fresh.db.system`
    insert into turns (id, workspace_id, conversation_id, request_id, epoch, status, model, is_stream, started_at, origin, seq_from, seq, replaces)
    select ${newTurnId().slice(5)}::uuid, workspace_id, conversation_id, 'r', 1, 'queued', '', true, now(), 'web', 1, 1, true
    from turns limit 1`
  await conversationWith('two')
  const anew = (await claim(conversation, { isMerged: true })) as ClaimedTurn
  expect(saidIn(anew)).toEqual(['one'])
  await answer(conversation, anew, 'second')
  expect(await contents(conversation)).toEqual(['one', 'second', 'two'])
  expect(saidIn(await claim(conversation, { isMerged: true }))).toEqual(['two'])
})

test('conversations with waiting turns are found, longest wait first', async () => {
  const conversation = await conversationWith('one', 'two')
  const found = await waitingConversations(fresh.db, new Date(Date.now() + 60_000), 10)
  expect(found).toEqual([{ conversation, channelId: channel.id, turns: 2, attempts: 0 }])
  expect(await waitingConversations(fresh.db, new Date(Date.now() - 60_000), 10)).toEqual([])
})
