/** Clients of the chat endpoint in a crash test: each asks one thing after another, streamed, and keeps what came of it. */
import { setTimeout as wait } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import type { Random } from '../../runtime/random.ts'

export interface Answered {
  text: string
  /** Undefined: it asked for none, or was refused before one was made. */
  conversationId: string | undefined
  url: string
  fromMs: number
  toMs: number
  /** broken: the connection ended in the middle; hung: nothing ended it. */
  end: 'complete' | 'error' | 'refused' | 'broken' | 'hung'
  /** All of the answer that came. */
  said: string
  /** The code of an error or refusal; blank: it had none. */
  code: string
}

export interface Callers {
  readonly answers: readonly Answered[]
  /** Resolves when everybody has had the end of what they asked last. */
  stop(): Promise<void>
}

const answerMsMax = 60_000
const retryMs = 50
/** At most, between two calls of one caller. */
const pauseMsMax = 300

export interface CallersOptions {
  url: () => string
  key: string
  /** For the names of callers, and for the model's script. */
  role: string
  model: string
  /** Each caller has one stored conversation. */
  isStored: boolean
  count: number
  random: Random
}

const question = (name: string, at: number): string => `${name} asks ${at}`

/** What the caller of this question asked before, and the question. */
export function questionsUpTo(last: string): string[] {
  const [name = '', at] = last.split(' asks ')
  return Array.from({ length: Number(at) + 1 }, (_, each) => question(name, each))
}

export function callers(options: CallersOptions): Callers {
  const { url, role, isStored, count, random } = options
  const answers: Answered[] = []
  let isStopping = false

  async function askAll(name: string): Promise<void> {
    let conversation = isStored ? 'new' : undefined
    for (let at = 0; !isStopping; at++) {
      const answer = await ask(options, { at: url(), text: question(name, at), conversation })
      if (answer) answers.push(answer)
      if (isStored && answer?.conversationId) conversation = answer.conversationId
      await wait(answer?.end === 'complete' ? random.next() * pauseMsMax : retryMs)
    }
  }

  const all = Promise.all(
    Array.from({ length: count }, (_, at) => askAll(`${role}-${isStored ? 'stored' : 'call'}-${at}`)),
  )
  return {
    answers,
    async stop() {
      isStopping = true
      await all
    },
  }
}

interface Question {
  at: string
  text: string
  conversation: string | undefined
}

/** Undefined: nobody was there, or went before the answer began. */
async function ask(
  { key, model }: CallersOptions,
  { at, text, conversation }: Question,
): Promise<Answered | undefined> {
  const answer: Answered = {
    ...{ text, url: at, conversationId: undefined, end: 'broken', said: '', code: '' },
    ...{ fromMs: performance.now(), toMs: 0 },
  }
  const timeout = AbortSignal.timeout(answerMsMax)
  let hasBegun = false
  try {
    const response = await fetch(`${at}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', authorization: `Bearer ${key}` },
        ...(conversation && { 'x-service-conversation-id': conversation }),
      },
      body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: text }] }),
      signal: timeout,
    })
    hasBegun = true
    answer.conversationId = response.headers.get('x-service-conversation-id') ?? undefined
    if (response.status === 200) await read(response, answer)
    else refused(answer, await response.text())
  } catch {
    if (timeout.aborted) answer.end = 'hung'
    else if (!hasBegun) return undefined
  }
  answer.toMs = performance.now()
  return answer
}

interface Chunk {
  error?: { code?: string }
  choices?: { delta?: { content?: string } }[]
}

/** Only its last event ends an answer; without one the connection was broken. */
async function read(response: Response, answer: Answered): Promise<void> {
  let isDone = false
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') {
        isDone = true
        return
      }
      const chunk = JSON.parse(data) as Chunk
      if (chunk.error) answer.code = chunk.error.code ?? ''
      if (chunk.error) answer.end = 'error'
      answer.said += chunk.choices?.[0]?.delta?.content ?? ''
    },
  })
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? []) parser.feed(decoder.decode(piece, { stream: true }))
  if (isDone && answer.end !== 'error') answer.end = 'complete'
}

function refused(answer: Answered, body: string): void {
  answer.end = 'refused'
  answer.code = (JSON.parse(body) as Chunk).error?.code ?? ''
}
