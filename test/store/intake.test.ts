/** Intake: what is taken is stored once, in order, with its turn and its event; what is not leaves nothing. */
import { hash } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bindSender, createChannel, type StoredChannel } from '../../store/channels.ts'
import { type ConversationId, firstWorkspaceId, uuidOf } from '../../store/id.ts'
import { type Intake, type IntakeWriter, intakeWriter } from '../../store/intake.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'
import { inboundMessage } from './support/channel.ts'

let fresh: FreshDatabase
let channel: StoredChannel
let intake: IntakeWriter
beforeEach(async () => {
  fresh = await freshDatabase()
  channel = await createChannel(fresh.db, firstWorkspaceId, {
    ...{ name: 'shop', adapter: 'generic', config: {}, secrets: null, isEnabled: true, isPaused: false },
  })
  intake = intakeWriter(fresh.db, 1)
})
afterEach(async () => {
  await intake.close()
  await fresh.drop()
})

const from = (sender: string, content: unknown, differing: object = {}) =>
  inboundMessage(channel, sender, { content, isBindingRequired: false, ...differing })

const keyed = (text: string, body = text) => ({
  dedupe: { key: hash('sha256', text, 'hex').slice(0, 32), digest: hash('sha256', body, 'hex').slice(0, 32) },
})

function conversationOf(taken: Intake): ConversationId {
  if (!('conversationId' in taken)) throw new Error(`not taken: ${taken.disposition}`)
  return taken.conversationId
}

async function stored(conversation: ConversationId): Promise<{ seq: number; text: string; status: string }[]> {
  return await fresh.db.system<{ seq: number; text: string; status: string }>`
    select messages.seq, messages.body ->> 'content' as text, turns.status
    from messages join turns on turns.id = messages.turn_id and turns.seq = messages.seq
    where messages.conversation_id = ${uuidOf(conversation)} order by messages.seq`
}

async function rows(): Promise<Record<string, number>> {
  const [counts] = await fresh.db.system<Record<string, number>>`
    select (select count(*)::int from conversations) as conversations, (select count(*)::int from messages) as messages,
      (select count(*)::int from turns) as turns, (select count(*)::int from events) as events`
  return counts ?? {}
}

test('a sender has one conversation, whose messages are numbered in the order of their intake', async () => {
  const results = await Promise.all(Array.from({ length: 300 }, (_, at) => intake.take(from('anna', `${at}`))))
  const conversations = new Set(results.map(conversationOf))
  expect(conversations.size).toBe(1)
  const messages = await stored([...conversations][0] as ConversationId)
  expect(messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 300 }, (_, at) => at + 1))
  expect(new Set(messages.map(({ status }) => status))).toEqual(new Set(['queued']))
  expect(new Set(messages.map(({ text }) => text)).size).toBe(300)
})

test('rows of one flush are in the order of the calls', async () => {
  const texts = Array.from({ length: 12 }, (_, at) => `${at}`)
  const [first] = await Promise.all(texts.map((text) => intake.take(from('anna', text))))
  expect((await stored(conversationOf(first as Intake))).map(({ text }) => text)).toEqual(texts)
})

test('many senders at once: none gets two conversations, no number is missing', async () => {
  const senders = Array.from({ length: 50 }, (_, at) => `sender-${at}`)
  const results = await Promise.all(
    senders.flatMap((sender) => Array.from({ length: 20 }, (_, at) => intake.take(from(sender, `${at}`)))),
  )
  expect(new Set(results.map(conversationOf)).size).toBe(50)
  expect(await rows()).toEqual({ conversations: 50, messages: 1_000, turns: 1_000, events: 1_000 })
})

test('the same key is taken once, however often it is repeated, and answered as the first time', async () => {
  const first = await intake.take(from('anna', 'hello', keyed('k')))
  const again = await intake.take(from('anna', 'hello', keyed('k')))
  expect(again).toEqual({ ...first, disposition: 'duplicate' })
  const racing = await Promise.all(Array.from({ length: 100 }, () => intake.take(from('bert', 'hi', keyed('race')))))
  expect(racing.filter(({ disposition }) => disposition === 'accepted')).toHaveLength(1)
  expect(new Set(racing.map((taken) => 'messageId' in taken && taken.messageId)).size).toBe(1)
  expect(await rows()).toMatchObject({ conversations: 2, messages: 2, turns: 2, events: 2 })
})

test('two services that take the same message at the same moment take it once', async () => {
  const other = intakeWriter(fresh.db, 2)
  const keys = Array.from({ length: 200 }, (_, at) => `k${at}`)
  const both = await Promise.all(
    keys.flatMap((key) => [intake, other].map((writer) => writer.take(from(`sender-${key}`, 'hi', keyed(key))))),
  )
  await other.close()
  expect(both.filter(({ disposition }) => disposition === 'accepted')).toHaveLength(200)
  expect(both.filter(({ disposition }) => disposition === 'duplicate')).toHaveLength(200)
  expect(await rows()).toMatchObject({ messages: 200 })
})

test('the same key with another body is a conflict, and nothing is stored', async () => {
  await intake.take(from('anna', 'hello', keyed('k', 'hello')))
  expect(await intake.take(from('anna', 'other', keyed('k', 'other')))).toEqual({ disposition: 'conflict' })
  expect(await rows()).toMatchObject({ messages: 1 })
})

test('of a sender who is not bound nothing is stored, not even the key; once bound, the message is taken', async () => {
  const message = () => from('anna', 'secret', { isBindingRequired: true, ...keyed('k') })
  expect(await intake.take(message())).toEqual({ disposition: 'ignored' })
  expect(await rows()).toEqual({ conversations: 0, messages: 0, turns: 0, events: 0 })
  await bindSender(fresh.db, firstWorkspaceId, channel.id, {
    ...{ externalId: 'anna', role: 'user', name: null, createdBy: 'test' },
  })
  expect(await intake.take(message())).toMatchObject({ disposition: 'accepted' })
  expect(await intake.take(from('bert', 'x', { isBindingRequired: true }))).toEqual({ disposition: 'ignored' })
})

test('characters that the database refuses are removed, and the other messages of the batch are stored', async () => {
  const [one, other] = await Promise.all([
    intake.take(from('an\0na', 'a\0b \ud800 c', { senderName: 'x\0', replyTo: { to: 'y\0' }, requestId: 'r\0' })),
    intake.take(from('bert', 'fine')),
  ])
  expect((await stored(conversationOf(one)))[0]?.text).toMatch(/^ab .? ?c$/)
  expect((await stored(conversationOf(other)))[0]?.text).toBe('fine')
})

test('the answer goes where the newest message with a reply address says', async () => {
  const first = await intake.take(from('anna', '1', { replyTo: 'here' }))
  await intake.take(from('anna', '2'))
  const replyTo = async () =>
    (
      await fresh.db.system<{ reply_to: unknown }>`
        select reply_to from conversations where id = ${uuidOf(conversationOf(first))}`
    )[0]?.reply_to
  expect(await replyTo()).toBe('here')
  await intake.take(from('anna', '3', { replyTo: 'there' }))
  expect(await replyTo()).toBe('there')
})
