/** Stored responses in the database: where one may be continued, and what goes with the last of a conversation. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConversationWriter, conversationWriter } from '../../store/conversations/conversations.ts'
import { loadMessages } from '../../store/conversations/history.ts'
import {
  type ConversationId,
  firstWorkspaceId,
  idFrom,
  newConversationId,
  newMessageId,
  newTurnId,
  uuidOf,
} from '../../store/id.ts'
import { ownerId } from '../../store/owner-id.ts'
import { deleteOldResponses, deleteResponse, placeOfResponse } from '../../store/responses.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { firstPlace, ownSlots } from '../support/slots.ts'
import { turnEnd, turnStart } from './support/turns.ts'

let fresh: FreshDatabase
let conversations: ConversationWriter
const workspaceId = firstWorkspaceId
const everybodys = { workspaceId, owner: null }
const owner = ownerId('key', 'a')
beforeAll(async () => {
  fresh = await freshDatabase()
  await ownSlots(fresh.db)
  conversations = conversationWriter(fresh.db, 1)
})
afterAll(async () => {
  await conversations.close()
  await fresh.drop()
})

const message = (role: string, content: string) => ({ id: newMessageId(), role, body: { role, content } })

async function respond(
  conversation: ConversationId,
  more: { isNew?: boolean; afterSeq?: number; origin?: 'call' | 'responses' } = {},
) {
  const { isNew = false, afterSeq, origin = 'responses' } = more
  const turn = { ...turnStart(), id: newTurnId(), workspaceId, conversationId: conversation }
  const accepted = await conversations.accept({
    ...{
      conversation,
      lease: 1,
      workspaceId,
      owner,
      isNew,
      turn,
      afterSeq,
      origin,
      messages: [message('user', 'hello')],
    },
    ...(origin === 'responses' && { response: { previous: null, createdAt: new Date(), request: {} } }),
  })
  if (accepted === 'unknown') return accepted
  const answer = { turn: turn.id, end: turnEnd(), message: message('assistant', 'yes'), delivery: null }
  await conversations.answer({ conversation, lease: 1, workspaceId, ...answer, result: { usage: {} } })
  return idFrom('resp', uuidOf(turn.id))
}

const wordsIn = async (conversation: ConversationId) =>
  (await loadMessages(fresh.db, workspaceId, conversation, 100))?.length ?? null

test('a continuation is accepted only where nothing came in between, and of two at once only one is', async () => {
  const conversation = newConversationId()
  const first = await respond(conversation, { isNew: true })
  if (first === 'unknown') throw new Error('the first was not accepted')
  const place = await placeOfResponse(fresh.db, everybodys, first)
  expect(place).toMatchObject({ conversation, seq: 2, lastSeq: 2, status: 'completed' })
  const both = await Promise.all([respond(conversation, { afterSeq: 2 }), respond(conversation, { afterSeq: 2 })])
  expect(both.filter((each) => each === 'unknown')).toHaveLength(1)
  expect(await respond(conversation, { afterSeq: 2 })).toBe('unknown')
  expect(await placeOfResponse(fresh.db, everybodys, first)).toMatchObject({ seq: 2, lastSeq: 4 })
  expect(await wordsIn(conversation)).toBe(4)
})

test('a conversation in which others speak too keeps its words when its last response is deleted', async () => {
  const [alone, shared] = [newConversationId(), newConversationId()]
  const inAlone = await respond(alone, { isNew: true })
  const inShared = await respond(shared, { isNew: true })
  await respond(shared, { origin: 'call' })
  for (const id of [inAlone, inShared]) {
    if (id === 'unknown') throw new Error('a response was not accepted')
    expect(await deleteResponse(fresh.db, everybodys, id)).toHaveProperty('conversation')
    expect(await deleteResponse(fresh.db, everybodys, id)).toBe('unknown')
  }
  expect(await wordsIn(alone)).toBeNull()
  expect(await wordsIn(shared)).toBe(4)
})

test('old ones are deleted in rounds, the oldest first, and none that still runs', async () => {
  await fresh.db.system`delete from responses`
  const ids = []
  for (let at = 0; at < 3; at++) ids.push(await respond(newConversationId(), { isNew: true }))
  const running = newConversationId()
  await conversations.accept({
    ...{
      conversation: running,
      lease: 1,
      workspaceId,
      owner,
      isNew: true,
      origin: 'responses',
      messages: [message('user', 'hello')],
    },
    turn: { ...turnStart(), id: newTurnId(), workspaceId, conversationId: running },
    response: { previous: null, createdAt: new Date(0), request: {} },
  })
  const later = new Date(Date.now() + 60_000)
  const held = { key: 'retention', ...firstPlace }
  expect(await deleteOldResponses(fresh.db, held, later, 2)).toBe(2)
  expect(await deleteOldResponses(fresh.db, held, later, 2)).toBe(1)
  expect(await deleteOldResponses(fresh.db, held, later, 2)).toBe(0)
  expect(await wordsIn(running)).toBe(1)
})
