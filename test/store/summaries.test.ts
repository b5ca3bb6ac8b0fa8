import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { AuditActor } from '../../store/audit/audit.ts'
import { type ConversationWriter, conversationWriter } from '../../store/conversations/conversations.ts'
import { forkConversation } from '../../store/conversations/copies.ts'
import { loadMessages } from '../../store/conversations/history.ts'
import { loadContext, saveSummary } from '../../store/conversations/summaries.ts'
import { postMessage, regenerateAnswer } from '../../store/conversations/turns.ts'
import { resetConversation } from '../../store/conversations/writes.ts'
import {
  type ConversationId,
  firstWorkspaceId,
  newConversationId,
  newMessageId,
  newTurnId,
  newWorkspaceId,
  uuidOf,
} from '../../store/id.ts'
import { ownerId } from '../../store/owner-id.ts'
import type { HeldTurn } from '../../store/turns/held.ts'
import { ensureWorkspace } from '../../store/workspaces.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { firstPlace, ownSlots } from '../support/slots.ts'
import { turnStart } from './support/turns.ts'

let fresh: FreshDatabase
let writer: ConversationWriter
let id: ConversationId
let writing: HeldTurn
const workspaceId = firstWorkspaceId
const actor: AuditActor = { workspaceId, name: 'key_1', ip: '::1', requestId: 'r' }

beforeAll(async () => {
  fresh = await freshDatabase()
  await ownSlots(fresh.db)
  writer = conversationWriter(fresh.db, 1)
})
afterAll(async () => {
  await writer.close()
  await fresh.drop()
})
beforeEach(async () => {
  id = newConversationId()
  await say(10, true)
  // Whose turn it is that writes.
  writing = { id: newTurnId(), ...firstPlace }
  await fresh.db.system`
    insert into turns (id, workspace_id, conversation_id, request_id, epoch, lease_epoch, status, model, is_stream, started_at, origin)
    values (${uuidOf(writing.id)}, ${uuidOf(workspaceId)}, ${uuidOf(id)}, 'r', 1, 1, 'running', '', false, now(), 'call')`
})

/** So many messages more, the last one a user's. */
async function say(count: number, isNew = false): Promise<void> {
  const messages = Array.from({ length: count }, (_, at) => {
    const role = (count - at) % 2 === 1 ? 'user' : 'assistant'
    return { id: newMessageId(), role, body: { role, content: `${at}` } }
  })
  const turn = turnStart({ conversationId: id })
  await writer.accept({
    conversation: id,
    lease: 1,
    workspaceId,
    isNew,
    owner: ownerId('key', 'test'),
    messages,
    turn,
    origin: 'call',
  })
  await fresh.db.forWorkspace(workspaceId)`update turns set status = 'completed' where id = ${uuidOf(turn.id)}`
}

const load = (limit = 100) => loadContext(fresh.db, workspaceId, id, limit)
const read = async () => (await load())?.summary
/** @param contextAfterSeq where the context began when the writer looked */
async function write(text: string, seq: number, contextAfterSeq?: number): Promise<'saved' | 'stale'> {
  const found = contextAfterSeq ?? (await load())?.contextAfterSeq ?? -1
  return await saveSummary(fresh.db, workspaceId, { conversation: id, turn: writing }, { text, seq }, found)
}
const turn = () => ({ id: newTurnId(), apiKeyId: null, operatorId: null, node: 1 })

test('a conversation has no summary at first, then the stored one, then the newer one', async () => {
  expect(await read()).toBeNull()
  expect(await write('short', 4)).toBe('saved')
  expect(await read()).toEqual({ text: 'short', seq: 4 })
  expect(await write('longer', 8)).toBe('saved')
  expect(await read()).toEqual({ text: 'longer', seq: 8 })
})

test('an older summary, or another of the same place, never replaces a newer one', async () => {
  await write('newer', 8)
  expect(await write('older', 6)).toBe('stale')
  expect(await write('other', 8)).toBe('stale')
  expect(await read()).toEqual({ text: 'newer', seq: 8 })
})

test('of several at once the one that covers most remains', async () => {
  await Promise.all([3, 9, 5, 7, 1].map((seq) => write(`up to ${seq}`, seq)))
  expect(await read()).toEqual({ text: 'up to 9', seq: 9 })
})

test('it is followed by the messages it does not cover, oldest first, up to the limit', async () => {
  const seqs = async (limit?: number) => (await load(limit))?.messages.map(({ seq }) => seq)
  expect(await seqs()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  await write('short', 4)
  expect(await seqs()).toEqual([5, 6, 7, 8, 9, 10])
  expect(await seqs(2)).toEqual([9, 10])
  await write('all', 10)
  expect(await load()).toEqual({ summary: { text: 'all', seq: 10 }, contextAfterSeq: 0, messages: [] })
})

test('a late answer goes with its question, into the summary or after it', async () => {
  const db = fresh.db.forWorkspace(workspaceId)
  await db`update messages set turn_seq = 3 where conversation_id = ${uuidOf(id)} and seq = 8`
  const seqs = async () => (await load())?.messages.map(({ seq }) => seq)
  expect(await seqs()).toEqual([1, 2, 3, 8, 4, 5, 6, 7, 9, 10])
  await write('with its answer', 3)
  expect(await seqs()).toEqual([4, 5, 6, 7, 9, 10])
})

test('without a summary the context is that of loadMessages', async () => {
  expect((await load(7))?.messages).toEqual(await loadMessages(fresh.db, workspaceId, id, 7))
})

test('a reset removes it, and one that was being made meanwhile is refused', async () => {
  await write('before', 4)
  await resetConversation(fresh.db, actor, id)
  expect(await read()).toBeNull()
  const [row] = await fresh.db.forWorkspace(workspaceId)<{ summary: string | null }>`
    select summary from conversations where id = ${uuidOf(id)}`
  expect(row).toEqual({ summary: null })
  expect(await write('late', 10, 0)).toBe('stale')
  await say(4)
  expect(await write('after', 12)).toBe('saved')
  expect(await read()).toEqual({ text: 'after', seq: 12 })
})

test('a summary from before a reset is not used, even when an answer is regenerated and the context begins earlier', async () => {
  await say(1)
  await write('before', 4)
  await resetConversation(fresh.db, actor, id)
  const writingIs = (status: string) =>
    fresh.db.system`update turns set status = ${status} where id = ${uuidOf(writing.id)}`
  await writingIs('completed')
  expect(await regenerateAnswer(fresh.db, actor, id, turn())).toBe('queued')
  await writingIs('running')
  expect(await read()).toBeNull()
  for (const contextAfterSeq of [0, 10, 11]) expect(await write('late', 9, contextAfterSeq)).toBe('stale')
  expect(await read()).toBeNull()
})

test('a summary from before the start of the context is not read', async () => {
  await write('before', 4)
  await fresh.db.forWorkspace(workspaceId)`update conversations set context_after_seq = 4 where id = ${uuidOf(id)}`
  expect(await read()).toBeNull()
})

test('it is refused while a turn within its range waits for its answer', async () => {
  const message = { id: newMessageId(), role: 'user', body: { role: 'user', content: 'waits' } }
  await postMessage(fresh.db, actor, { conversation: id, message, turn: turn() })
  await say(4)
  expect(await write('too far', 13)).toBe('stale')
  expect(await write('just before', 10)).toBe('saved')
  for (const status of ['running', 'waiting']) {
    await fresh.db.forWorkspace(workspaceId)`update turns set status = ${status} where origin = 'admin'`
    expect(await write('too far', 13)).toBe('stale')
  }
  await fresh.db.forWorkspace(workspaceId)`update turns set status = 'completed' where origin = 'admin'`
  expect(await write('far', 13)).toBe('saved')
})

test('it cannot cover more than there is', async () => {
  expect(await write('prophecy', 11)).toBe('stale')
})

test('a copy has no summary', async () => {
  await write('original', 4)
  const copy = newConversationId()
  await forkConversation(fresh.db, actor, { source: id, id: copy, until: null, title: null })
  const past = await loadContext(fresh.db, workspaceId, copy, 100)
  expect(past).toMatchObject({ summary: null, messages: { length: 10 } })
})

test('other workspaces neither read nor write it', async () => {
  const other = newWorkspaceId()
  await ensureWorkspace(fresh.db, other, 'other')
  await write('mine', 4)
  expect(await loadContext(fresh.db, other, id, 100)).toBeNull()
  expect(await saveSummary(fresh.db, other, { conversation: id, turn: writing }, { text: 'theirs', seq: 8 }, 0)).toBe(
    'stale',
  )
  expect(await read()).toEqual({ text: 'mine', seq: 4 })
})

test('what PostgreSQL refuses is removed from the text', async () => {
  await write('a\0b \ud800 ё', 4)
  expect(await read()).toEqual({ text: 'ab � ё', seq: 4 })
})

test('it changes neither the order of conversations nor the time of the last change', async () => {
  const changed = () =>
    fresh.db.forWorkspace(workspaceId)<{
      updated_at: Date
    }>`select updated_at from conversations where id = ${uuidOf(id)}`
  const before = await changed()
  await write('short', 4)
  expect(await changed()).toEqual(before)
})
