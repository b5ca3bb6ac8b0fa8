/** The reckoning of those who wait at a connection: streamed answers to the character, and web chats that miss nothing. */
import type { Database } from '../../store/database.ts'
import type { Answered } from './callers.ts'
import { answerTo } from './scripted-model.ts'
import type { HeardFrame, WebChat } from './web-chats.ts'

export interface ClientEvidence {
  db: Database
  answers: readonly Answered[]
  chats: readonly WebChat[]
  /** Whether the node at this address was killed in this time, which breaks its connections. */
  wasKilled(url: string, fromMs: number, toMs: number): boolean
}

interface StoredMessage {
  id: string
  turn: string
  role: string
  content: string
}

export async function judgeClients({ db, answers, chats, wasKilled }: ClientEvidence): Promise<string[]> {
  const wrongs = answers.flatMap((answer) => wrongOfAnswer(answer, wasKilled))
  const conversations = Map.groupBy(
    answers.filter(({ conversationId }) => conversationId),
    ({ conversationId }) => conversationId as string,
  )
  for (const [conversation, asked] of conversations) {
    const stored = await messagesOf(db, conversation)
    const texts = asked.map(({ text }) => text)
    const certain = asked.filter(({ end }) => end === 'complete').map(({ text }) => text)
    wrongs.push(...wrongOfTalk(texts[0] ?? '', stored, certain), ...wrongOfTurns(stored, certain))
  }
  for (const chat of chats) wrongs.push(...(await wrongOfChat(db, chat)))
  wrongs.push(...(await gaps(db)))
  return wrongs
}

/** How many ended so, for the summary. */
export function countEnds(answers: readonly Answered[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { end, code } of answers) {
    const name = code === '' ? end : `${end} ${code}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

function wrongOfAnswer(answer: Answered, wasKilled: ClientEvidence['wasKilled']): string[] {
  const { text, end, said, code, url, fromMs, toMs } = answer
  const wrongs: string[] = []
  const expected = answerTo(text)
  if (!expected.startsWith(said)) wrongs.push(`"${text}" was answered with something else: ${JSON.stringify(said)}`)
  if (end === 'complete' && said !== expected)
    wrongs.push(`the answer to "${text}" ended well after ${said.length} of ${expected.length} characters`)
  if (end === 'hung') wrongs.push(`the answer to "${text}" never ended, after ${said.length} characters`)
  if ((end === 'error' || end === 'refused') && code === '') wrongs.push(`"${text}" was ${end} without a code`)
  if (code.startsWith('SVC-')) wrongs.push(`"${text}" was answered with a defect: ${code}`)
  if (end === 'broken' && !wasKilled(url, fromMs, toMs))
    wrongs.push(`the answer to "${text}" broke off after ${said.length} characters, and its node was not killed`)
  return wrongs
}

/** What was certainly taken is stored, in its order; what may have been is there at most once. */
function wrongOfTalk(name: string, stored: readonly StoredMessage[], certain: readonly string[]): string[] {
  const questions = stored.filter(({ role }) => role === 'user').map(({ content }) => content)
  const wrongs: string[] = []
  const certainTexts = new Set(certain)
  const found = questions.filter((text) => certainTexts.has(text))
  if (found.join('\n') !== certain.join('\n'))
    wrongs.push(`"${name}": ${found.length} messages are stored of ${certain.length}, or in another order`)
  if (new Set(questions).size !== questions.length) wrongs.push(`"${name}": a message is stored twice`)
  return wrongs
}

/** Each question has at most one answer, which is its own, and certainly one where it came to its end. */
function wrongOfTurns(stored: readonly StoredMessage[], certain: readonly string[]): string[] {
  const wrongs: string[] = []
  const certainTexts = new Set(certain)
  for (const { turn, content } of stored.filter(({ role }) => role === 'user')) {
    const answers = stored.filter((message) => message.turn === turn && message.role === 'assistant')
    const isWrong = answers.some((answer) => answer.content !== answerTo(content))
    if (isWrong || answers.length > 1 || (answers.length === 0 && certainTexts.has(content)))
      wrongs.push(`"${content}" has ${answers.length} stored answers${isWrong ? ', and they are not its own' : ''}`)
  }
  return wrongs
}

async function wrongOfChat(db: Database, chat: WebChat): Promise<string[]> {
  const stored = await messagesOf(db, chat.conversationId)
  const certain = chat.accepted.map(({ text }) => text)
  const everybody = stored.filter(({ role }) => role === 'user').map(({ content }) => content)
  const wrongs = [
    ...wrongOfTalk(certain[0] ?? '', stored, certain),
    // All that is stored of a web chat is answered.
    ...wrongOfTurns(stored, everybody),
  ]
  const known = new Set([...certain, ...chat.unsure])
  if (everybody.some((text) => !known.has(text))) wrongs.push('a web chat has a message that nobody wrote')
  const idOf = new Map(stored.map(({ id, content }) => [content, id]))
  if (chat.accepted.some(({ text, messageId }) => idOf.get(text) !== messageId))
    wrongs.push(`"${certain[0]}": a message has another id than its sender was told`)
  const questionOf = new Map(stored.filter(({ role }) => role === 'user').map(({ turn, content }) => [turn, content]))
  for (const { name, frames } of chat.heard) {
    const created = frames.filter(({ kind }) => kind === 'message.created').map((frame) => String(frame['message_id']))
    const expected = stored.map(({ id }) => id)
    if (created.join() !== expected.join())
      wrongs.push(
        `${name} was told of ${created.length} of ${expected.length} messages, or in another order: ${firstOther(created, expected)}`,
      )
    if (frames.some(({ kind }) => kind === 'reset')) wrongs.push(`the feed of ${name} was reset`)
    wrongs.push(
      ...frames.filter(({ kind }) => kind === 'turn.delta').flatMap((frame) => wrongOfDelta(name, frame, questionOf)),
    )
  }
  return wrongs
}

function firstOther(heard: readonly string[], expected: readonly string[]): string {
  const at = expected.findIndex((id, index) => heard[index] !== id)
  const where = at < 0 ? expected.length : at
  return `at ${where} ${heard[where]} in place of ${expected[where]}, which came at ${heard.indexOf(expected[where] ?? '')}`
}

/** Whichever attempt of the turn it is of, it is the piece of the answer that belongs there. */
function wrongOfDelta(name: string, frame: HeardFrame, questionOf: ReadonlyMap<string, string>): string[] {
  const question = questionOf.get(String(frame['turn_id']))
  const offset = Number(frame['offset'])
  const text = String(frame['text'])
  if (question !== undefined && answerTo(question).slice(offset, offset + text.length) === text) return []
  return [`${name} was sent ${JSON.stringify(text)} at ${offset} of the answer to "${question}"`]
}

/** In every conversation there is. */
async function gaps(db: Database): Promise<string[]> {
  const rows = await db.system<{ id: string; count: number; least: number; most: number }>`
    select conversation_id as id, count(*)::integer as count, min(seq) as least, max(seq) as most from messages
    group by conversation_id having count(*) <> max(seq) - min(seq) + 1`
  return rows.map(({ id, count, least, most }) => `conversation ${id} has ${count} messages from ${least} to ${most}`)
}

function messagesOf(db: Database, conversation: string): Promise<StoredMessage[]> {
  return db.system<StoredMessage>`
    select 'msg_' || replace(id::text, '-', '') as id, 'turn_' || replace(turn_id::text, '-', '') as turn,
      role, body ->> 'content' as content
    from messages where conversation_id = ${conversation.slice('conv_'.length)} order by seq`
}
