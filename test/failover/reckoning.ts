/** What became of everything that was accepted, by the store: lost, doubled, or out of order. */
import type { Database } from '../../store/database.ts'
import { type Answered, questionsUpTo } from '../crash/callers.ts'
import { answerTo } from '../crash/scripted-model.ts'
import type { AcceptedMessage } from '../crash/senders.ts'

export interface Reckoning {
  accepted: number
  /** Questions of callers that were answered to the end, and those that were not. */
  answeredCalls: number
  failedCalls: number
  lost: number
  doubled: number
  outOfOrder: number
}

interface Expected {
  conversationId: string
  /** In order. */
  texts: string[]
  /** Of them: they have to be there. */
  accepted: ReadonlySet<string>
}

export async function reckon(
  db: Database,
  accepted: ReadonlyMap<string, AcceptedMessage[]>,
  calls: readonly Answered[],
): Promise<Reckoning> {
  const sum: Reckoning = {
    accepted: [...accepted.values()].flat().length,
    answeredCalls: calls.filter(({ end }) => end === 'complete').length,
    failedCalls: calls.filter(({ end }) => end !== 'complete').length,
    ...{ lost: 0, doubled: 0, outOfOrder: 0 },
  }
  for (const expected of [...expectedOfSenders(accepted), ...expectedOfCalls(calls)]) {
    const stored = await storedIn(db, expected.conversationId)
    const found = { lost: 0, doubled: 0, outOfOrder: 0 }
    count(found, stored.questions, expected.texts, expected.accepted)
    // A question of a sender is asked again until it is answered; one of a call that failed may stand without an answer.
    const answers = stored.questions.map(answerTo)
    count(found, stored.answers, answers, new Set([...expected.accepted].map(answerTo)))
    sum.lost += found.lost
    sum.doubled += found.doubled
    sum.outOfOrder += found.outOfOrder
  }
  return sum
}

/** @param wanted in order. @param needed those of them that have to be there */
function count(
  found: Pick<Reckoning, 'lost' | 'doubled' | 'outOfOrder'>,
  stored: readonly string[],
  wanted: readonly string[],
  needed: ReadonlySet<string>,
): void {
  const once = new Set(stored)
  found.lost += [...needed].filter((text) => !once.has(text)).length
  found.doubled += stored.length - once.size
  const inOrder = wanted.filter((text) => once.has(text))
  found.outOfOrder += [...once].filter((text, at) => text !== inOrder[at]).length
}

function* expectedOfSenders(accepted: ReadonlyMap<string, AcceptedMessage[]>): Iterable<Expected> {
  for (const said of accepted.values()) {
    const texts = said.map(({ text }) => text)
    const [first] = said
    if (first) yield { conversationId: first.conversationId, texts, accepted: new Set(texts) }
  }
}

function* expectedOfCalls(calls: readonly Answered[]): Iterable<Expected> {
  for (const [conversationId, asked] of Map.groupBy(calls, (call) => call.conversationId)) {
    if (conversationId === undefined) continue
    // Also what ended without a word of the conversation may stand in it, at its place.
    const texts = asked.slice(-1).flatMap(({ text }) => questionsUpTo(text))
    yield {
      conversationId,
      texts,
      accepted: new Set(asked.filter(({ end }) => end === 'complete').map(({ text }) => text)),
    }
  }
}

async function storedIn(db: Database, conversation: string): Promise<{ questions: string[]; answers: string[] }> {
  const rows = await db.system<{ role: string; content: string }>`
    select role, body ->> 'content' as content from messages
    where conversation_id = ${conversation.slice('conv_'.length)} order by coalesce(turn_seq, seq), seq`
  const of = (role: string) => rows.filter((row) => row.role === role).map(({ content }) => content)
  return { questions: of('user'), answers: of('assistant') }
}
