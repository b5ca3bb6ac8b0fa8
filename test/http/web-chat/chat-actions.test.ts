/** What is said in a web chat is stored in the order in which it was said, also while its conversation is being made. */
import { expect, test } from 'vitest'
import type { App } from '../../../http/app.ts'
import { sendMessage, type WebChat } from '../../../http/web-chat/chat-actions.ts'
import { firstWorkspaceId, newConversationId } from '../../../store/id.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import { principal } from '../support/server.ts'

interface Accepting {
  text: string
  isNew: boolean
  settle(result: unknown): void
  fail(error: Error): void
}

/** A chat whose store answers when the test says so. */
function chatOf() {
  const calls: Accepting[] = []
  const clock = virtualClock()
  const services = {
    queue: { enter: (_lane: string, store: () => Promise<unknown>) => store() },
    feed: { wake() {} },
    conversations: {
      accept: ({ isNew, messages }: { isNew: boolean; messages: { body: { content: string } }[] }) =>
        new Promise((settle, fail) => calls.push({ text: messages[0]?.body.content ?? '', isNew, settle, fail })),
    },
  }
  const chat: WebChat = {
    app: { services, clock } as unknown as App,
    principal: principal('chat'),
    workspaceId: firstWorkspaceId,
    conversation: newConversationId(),
    ...{ isNew: true, pendingMessages: Promise.resolve(), requestId: 'r', clientIp: '127.0.0.1' },
  }
  return { chat, calls, settle: () => clock.settle(), made: { startedXid: '7' } }
}

const told = (calls: Accepting[]) => calls.map(({ text, isNew }) => [text, isNew])

test('the second waits for the first, which makes the conversation, and the third for the second', async () => {
  const { chat, calls, settle, made } = chatOf()
  const first = sendMessage(chat, 'one')
  const second = sendMessage(chat, 'two')
  await settle()
  expect(told(calls)).toEqual([['one', true]])
  calls[0]?.settle(made)
  await first
  const third = sendMessage(chat, 'three')
  await settle()
  calls[1]?.settle(made)
  await second
  await settle()
  calls[2]?.settle(made)
  await third
  expect(told(calls)).toEqual([
    ['one', true],
    ['two', false],
    ['three', false],
  ])
})

test('one that fails does not keep the next from being stored', async () => {
  const { chat, calls, settle, made } = chatOf()
  const first = sendMessage(chat, 'one')
  const refused = expect(first).rejects.toThrow('the database is away')
  const second = sendMessage(chat, 'two')
  await settle()
  calls[0]?.fail(new Error('the database is away'))
  await refused
  await settle()
  calls[1]?.settle(made)
  await second
  expect(told(calls)).toEqual([
    ['one', true],
    ['two', true],
  ])
})

test('in a conversation that an earlier socket of the ticket has made, what was said goes there', async () => {
  const { chat, calls, settle, made } = chatOf()
  const saying = sendMessage(chat, 'one')
  await settle()
  calls[0]?.settle('unknown')
  await settle()
  calls[1]?.settle(made)
  await saying
  expect(told(calls)).toEqual([
    ['one', true],
    ['one', false],
  ])
  expect(chat.isNew).toBe(false)
})
