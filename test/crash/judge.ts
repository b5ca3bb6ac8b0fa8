/** The reckoning of a crash test, from what senders were told, what the store holds, what arrived and what readers saw. */
import type { Database } from '../../store/database.ts'
import type { EventReader } from './event-reader.ts'
import type { ReceivedDelivery } from './outside.ts'
import type { AcceptedMessage } from './senders.ts'

export interface Judgement {
  accepted: number
  delivered: number
  /** Arrived more than once, under the same id: allowed, and counted. */
  repeated: number
  events: number
  /** What must not be, in words; empty: all is well. */
  wrongs: string[]
}

export interface Evidence {
  db: Database
  accepted: ReadonlyMap<string, AcceptedMessage[]>
  received: readonly ReceivedDelivery[]
  reader: EventReader
}

const wrongsMax = 20

export async function judge(evidence: Evidence): Promise<Judgement> {
  const { accepted, received, reader } = evidence
  const wrongs = [
    ...(await wrongOfConversations(evidence)),
    ...wrongOfDeliveries(accepted, received),
    ...(await hanging(evidence.db)),
    ...wrongOfEvents(accepted, reader),
  ]
  const ids = new Set(received.map(({ deliveryId }) => deliveryId))
  return {
    accepted: [...accepted.values()].reduce((sum, mine) => sum + mine.length, 0),
    delivered: ids.size,
    repeated: received.length - ids.size,
    events: reader.events.length,
    wrongs: wrongs.slice(0, wrongsMax),
  }
}

interface StoredMessage {
  id: string
  role: string
  content: string
}

/** Every accepted message is stored once, in the order of its sender, and has one answer; the answers are in that order too. */
async function wrongOfConversations({ db, accepted }: Evidence): Promise<string[]> {
  const wrongs: string[] = []
  for (const [sender, said] of accepted) {
    const [first] = said
    if (!first) continue
    if (said.some(({ conversationId }) => conversationId !== first.conversationId))
      wrongs.push(`${sender} was given two conversations`)
    const stored = await messagesOf(db, first.conversationId)
    const questions = stored.filter(({ role }) => role === 'user')
    const answers = stored.filter(({ role }) => role === 'assistant').map(({ content }) => content)
    const expected = said.map(({ text }) => text)
    if (questions.map(({ content }) => content).join('\n') !== expected.join('\n'))
      wrongs.push(`${sender}: ${questions.length} messages are stored of ${expected.length}, or in another order`)
    if (questions.some(({ id }, at) => id !== said[at]?.messageId))
      wrongs.push(`${sender}: a message has another id than its sender was told`)
    if (answers.join('\n') !== expected.map((text) => `re: ${text}`).join('\n'))
      wrongs.push(`${sender}: ${answers.length} answers to ${expected.length} messages, or in another order`)
  }
  return wrongs
}

function messagesOf(db: Database, conversation: string): Promise<StoredMessage[]> {
  return db.system<StoredMessage>`
    select 'msg_' || replace(id::text, '-', '') as id, role, body ->> 'content' as content from messages
    where conversation_id = ${conversation.slice('conv_'.length)} order by coalesce(turn_seq, seq), seq`
}

/** Every answer arrived, always under one id, and for the first time in the order in which it was asked for. */
function wrongOfDeliveries(
  accepted: ReadonlyMap<string, AcceptedMessage[]>,
  received: readonly ReceivedDelivery[],
): string[] {
  const wrongs: string[] = []
  const idOf = new Map<string, string>()
  const firsts = new Map<string, string[]>()
  for (const { deliveryId, messageId, externalId, text } of received) {
    const knownId = idOf.get(messageId)
    if (knownId === undefined) {
      idOf.set(messageId, deliveryId)
      firsts.set(externalId, [...(firsts.get(externalId) ?? []), text])
    } else if (knownId !== deliveryId) wrongs.push(`an answer arrived under two ids: ${knownId} and ${deliveryId}`)
  }
  for (const [sender, said] of accepted) {
    const arrived = firsts.get(sender) ?? []
    const expected = said.map(({ text }) => `re: ${text}`)
    if (arrived.join('\n') !== expected.join('\n'))
      wrongs.push(`${sender}: ${arrived.length} of ${expected.length} answers arrived, or in another order`)
  }
  return wrongs
}

/** Nothing waits or runs for ever, and nothing that a service has to answer by itself was given up. */
async function hanging(db: Database): Promise<string[]> {
  const rows = await db.system<{ what: string; count: number }>`
    select concat_ws(' ', 'turns are', status, error_code, error_message) as what, count(*)::integer as count
    from turns where status in ('queued', 'running', 'waiting') or (status <> 'completed' and origin in ('channel', 'web')) group by 1
    union all
    select concat('deliveries are ', status, ', after ', max(attempts), ' attempts at most, the next in ',
      round(extract(epoch from min(next_at) - now())), ' s'), count(*)::integer
    from deliveries where status <> 'delivered' group by status`
  return rows.map(({ what, count }) => `${count} ${what}`)
}

/** The reader, who came back after each crash, has seen each message once. */
function wrongOfEvents(accepted: ReadonlyMap<string, AcceptedMessage[]>, reader: EventReader): string[] {
  const wrongs: string[] = []
  const created = reader.events.filter(({ kind }) => kind === 'message.created')
  const createdIds = new Set(created.map(({ data }) => data['message_id']))
  const missed = [...accepted.values()].flat().filter(({ messageId }) => !createdIds.has(messageId))
  if (missed.length > 0)
    wrongs.push(`${missed.length} accepted messages were not told on the feed, such as ${JSON.stringify(missed[0])}`)
  const cursors = new Set(reader.events.map(({ cursor }) => cursor))
  if (cursors.size !== reader.events.length)
    wrongs.push(`${reader.events.length - cursors.size} events were told twice, such as ${twice(reader)}`)
  const conversations = new Set([...accepted.values()].flat().map(({ conversationId }) => conversationId))
  const ofSenders = created.filter(({ data }) => conversations.has(String(data['conversation_id'])))
  const answers = ofSenders.filter(({ data }) => data['role'] === 'assistant').length
  const acceptedCount = [...accepted.values()].flat().length
  if (answers !== acceptedCount) wrongs.push(`${answers} answers were told on the feed, ${acceptedCount} were wanted`)
  if (reader.resets > 0) wrongs.push(`the feed was reset ${reader.resets} times`)
  return wrongs
}

function twice({ events }: EventReader): string {
  const seenIds = new Set<string>()
  const at = events.findIndex(({ cursor }) => seenIds.has(cursor) || !seenIds.add(cursor))
  return JSON.stringify({
    at,
    of: events.length,
    around: events.slice(Math.max(0, at - 3), at + 2).map(({ cursor, kind }) => `${kind} ${cursor}`),
  })
}
