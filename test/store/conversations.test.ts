import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ConversationWriter, conversationWriter } from '../../store/conversations/conversations.ts'
import { loadMessages } from '../../store/conversations/history.ts'
import {
  type ConversationId,
  firstWorkspaceId,
  newConversationId,
  newMessageId,
  newWorkspaceId,
} from '../../store/id.ts'
import { ownerId } from '../../store/owner-id.ts'
import { ensureWorkspace } from '../../store/workspaces.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { recentTurns } from '../support/recent-turns.ts'
import { ownSlots } from '../support/slots.ts'
import { turnEnd, turnStart } from './support/turns.ts'

let fresh: FreshDatabase
let writer: ConversationWriter
const workspaceId = firstWorkspaceId
beforeEach(async () => {
  fresh = await freshDatabase()
  await ownSlots(fresh.db, 3)
  writer = conversationWriter(fresh.db, 3)
})
afterEach(async () => {
  await writer.close()
  await fresh.drop()
})

const messageWith = (content: unknown, role = 'user') => ({ id: newMessageId(), role, body: { role, content } })

async function exchange(conversation: ConversationId, isNew: boolean, question: string): Promise<void> {
  const turn = turnStart({ conversationId: conversation })
  expect(
    await writer.accept({
      conversation,
      lease: 1,
      workspaceId,
      isNew,
      owner: ownerId('key', 'test'),
      messages: [messageWith(question)],
      turn,
      origin: 'call',
    }),
  ).not.toBe('unknown')
  await writer.answer({
    conversation,
    lease: 1,
    workspaceId,
    turn: turn.id,
    delivery: null,
    end: turnEnd(),
    message: messageWith(`re: ${question}`, 'assistant'),
  })
}

async function contents(conversation: ConversationId, limit = 100): Promise<unknown[]> {
  const messages = await loadMessages(fresh.db, workspaceId, conversation, limit)
  return (messages ?? []).map((message) => (message.body as { content: unknown }).content)
}

test('a conversation keeps its messages in order, and each turn its end', async () => {
  const conversation = newConversationId()
  await exchange(conversation, true, 'one')
  await exchange(conversation, false, 'two')

  const messages = await loadMessages(fresh.db, workspaceId, conversation, 100)
  expect(messages?.map(({ seq, role }) => [seq, role])).toEqual([
    [1, 'user'],
    [2, 'assistant'],
    [3, 'user'],
    [4, 'assistant'],
  ])
  expect(await contents(conversation)).toEqual(['one', 're: one', 'two', 're: two'])
  const turns = await recentTurns(fresh.db, workspaceId, { before: null, limit: 10 })
  expect(turns.map(({ status, conversationId }) => [status, conversationId])).toEqual([
    ['completed', conversation],
    ['completed', conversation],
  ])
})

test('of a long conversation the newest messages are loaded, oldest first', async () => {
  const conversation = newConversationId()
  const messages = Array.from({ length: 30 }, (_, at) => messageWith(at))
  await writer.accept({
    conversation,
    lease: 1,
    workspaceId,
    isNew: true,
    owner: ownerId('key', 'test'),
    messages,
    turn: turnStart({ conversationId: conversation }),
    origin: 'call',
  })
  expect(await contents(conversation, 3)).toEqual([27, 28, 29])
})

test('an unknown conversation differs from an empty one, and nothing is stored for it', async () => {
  const unknown = newConversationId()
  const turn = turnStart({ conversationId: unknown })
  expect(
    await writer.accept({
      conversation: unknown,
      lease: 1,
      workspaceId,
      isNew: false,
      owner: ownerId('key', 'test'),
      messages: [messageWith('x')],
      turn,
      origin: 'call',
    }),
  ).toBe('unknown')
  expect(await loadMessages(fresh.db, workspaceId, unknown, 10)).toBeNull()
  expect(await recentTurns(fresh.db, workspaceId, { before: null, limit: 10 })).toEqual([])

  const empty = newConversationId()
  await writer.accept({
    conversation: empty,
    lease: 1,
    workspaceId,
    isNew: true,
    owner: ownerId('key', 'test'),
    messages: [],
    turn: turnStart({ conversationId: empty }),
    origin: 'call',
  })
  expect(await loadMessages(fresh.db, workspaceId, empty, 10)).toEqual([])
})

test('a conversation of another workspace is unknown, to read and to write', async () => {
  const conversation = newConversationId()
  await exchange(conversation, true, 'mine')
  const other = newWorkspaceId()
  await ensureWorkspace(fresh.db, other, 'other')
  const turn = turnStart({ conversationId: conversation, workspaceId: other })

  expect(
    await writer.accept({
      conversation,
      lease: 1,
      workspaceId: other,
      isNew: false,
      owner: ownerId('key', 'test'),
      messages: [messageWith('theirs')],
      turn,
      origin: 'call',
    }),
  ).toBe('unknown')
  expect(
    await writer.accept({
      conversation,
      lease: 1,
      workspaceId: other,
      isNew: true,
      owner: ownerId('key', 'test'),
      messages: [messageWith('theirs')],
      turn: { ...turn, id: turnStart().id },
      origin: 'call',
    }),
  ).toBe('unknown')
  expect(await loadMessages(fresh.db, other, conversation, 10)).toBeNull()
  expect(await contents(conversation)).toEqual(['mine', 're: mine'])
})

test('many conversations at once: each has its own messages, numbered without gaps', async () => {
  const conversations = Array.from({ length: 200 }, () => newConversationId())
  await Promise.all(
    conversations.map(async (conversation) => {
      await exchange(conversation, true, `${conversation} 1`)
      await exchange(conversation, false, `${conversation} 2`)
    }),
  )
  for (const conversation of conversations) {
    expect(await contents(conversation)).toEqual([
      `${conversation} 1`,
      `re: ${conversation} 1`,
      `${conversation} 2`,
      `re: ${conversation} 2`,
    ])
  }
})

test('what jsonb refuses is removed, and everything else is read as it was written', async () => {
  const conversation = newConversationId()
  const parts = [{ type: 'text', text: 'a\0b \ud800 \\u0000 \\\\u0000 ё 😀 "quoted"' }]
  await writer.accept({
    conversation,
    lease: 1,
    workspaceId,
    isNew: true,
    owner: ownerId('key', 'test'),
    messages: [messageWith(parts)],
    turn: turnStart({ conversationId: conversation }),
    origin: 'call',
  })
  const [content] = await contents(conversation)
  expect(JSON.stringify(content)).not.toContain('\\u0000b')
  expect((content as typeof parts)[0]?.text).toMatch(/^ab .? ?\\u0000 \\\\u0000 ё 😀 "quoted"$/)
})

test('a turn without an answer ends and adds no message', async () => {
  const conversation = newConversationId()
  const turn = turnStart({ conversationId: conversation })
  await writer.accept({
    conversation,
    lease: 1,
    workspaceId,
    isNew: true,
    owner: ownerId('key', 'test'),
    messages: [messageWith('q')],
    turn,
    origin: 'call',
  })
  await writer.answer({
    conversation,
    lease: 1,
    workspaceId,
    turn: turn.id,
    delivery: null,
    end: turnEnd({ status: 'cancelled', finishReason: null }),
    message: null,
  })
  expect(await contents(conversation)).toEqual(['q'])
  expect(await recentTurns(fresh.db, workspaceId, { before: null, limit: 1 })).toMatchObject([{ status: 'cancelled' }])
})

test('a turn that is accepted a second time is refused, and its messages are not stored again', async () => {
  const conversation = newConversationId()
  await exchange(conversation, true, 'one')
  const acceptance = () => ({
    ...{
      conversation,
      lease: 1,
      workspaceId,
      isNew: false,
      owner: ownerId('key', 'test'),
      turn,
      origin: 'call' as const,
    },
    messages: [messageWith('two')],
  })
  const turn = turnStart({ conversationId: conversation })
  const other = newConversationId()
  await writer.accept(acceptance())
  const [again] = await Promise.allSettled([writer.accept(acceptance()), exchange(other, true, 'beside')])
  expect(again).toMatchObject({ status: 'rejected', reason: { code: '23505' } })
  expect(await contents(conversation)).toEqual(['one', 're: one', 'two'])
  expect(await contents(other)).toEqual(['beside', 're: beside'])
})

test('a post that cannot be stored fails alone and leaves no trace', async () => {
  const [good, bad] = [newConversationId(), newConversationId()]
  const twice = messageWith('x')
  const outcomes = await Promise.allSettled([
    writer.accept({
      conversation: good,
      lease: 1,
      workspaceId,
      isNew: true,
      owner: ownerId('key', 'test'),
      messages: [messageWith('fine')],
      turn: turnStart({ conversationId: good }),
      origin: 'call',
    }),
    writer.accept({
      conversation: bad,
      lease: 1,
      workspaceId,
      isNew: true,
      owner: ownerId('key', 'test'),
      messages: [twice, twice],
      turn: turnStart({ conversationId: bad }),
      origin: 'call',
    }),
  ])
  expect(outcomes).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: '23505' } }])
  expect(await contents(good)).toEqual(['fine'])
  expect(await loadMessages(fresh.db, workspaceId, bad, 10)).toBeNull()
  expect(await recentTurns(fresh.db, workspaceId, { before: null, limit: 10 })).toHaveLength(1)
})
