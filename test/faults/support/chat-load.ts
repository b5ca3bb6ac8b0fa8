/** Clients that ask again and again, for whole answers, for streams and in stored conversations, whatever they hear. */
import { expect } from 'vitest'
import { ConversationId } from '../../../store/id.ts'
import { eventsOf, type GatewayUnderTest } from '../../support/gateway.ts'

export interface ChatLoad {
  /** Request ids of the calls without a conversation that were answered. */
  readonly answered: readonly string[]
  /** What was said in each conversation and answered there. */
  readonly heard: ReadonlyMap<ConversationId, readonly string[]>
  /** Calls that were told that the database is away. */
  readonly refused: number
  /** The longest that a call took. */
  readonly slowestMs: number
  /** Calls that begin after this fail the test when they are refused. */
  expectAnswers(): void
  /** Resolves when the last call is over; rejects when a call got anything but an answer or a proper refusal. */
  end(): Promise<void>
}

const header = 'x-service-conversation-id'

export function chatLoad(service: GatewayUnderTest, clientsOfEach: number): ChatLoad {
  const answered: string[] = []
  const heard = new Map<ConversationId, string[]>()
  let refused = 0
  let slowestMs = 0
  let isOver = false
  let areAnswersDue = false

  /** Undefined: refused. */
  async function ask(content: string, isStream: boolean, conversation?: string): Promise<Response | undefined> {
    const mustBeAnswered = areAnswersDue
    const startedMs = performance.now()
    const answer = await service.post(
      '/v1/chat/completions',
      { model: 'm', messages: [{ role: 'user', content }], stream: isStream },
      conversation === undefined ? {} : { [header]: conversation },
    )
    const error = errorIn(answer, await answer.text())
    slowestMs = Math.max(slowestMs, performance.now() - startedMs)
    if (!error) return answer
    expect(error).toMatchObject({ code: 'database_down', type: 'overloaded_error' })
    expect(mustBeAnswered, 'this call had to be answered').toBe(false)
    refused++
    return undefined
  }

  async function call(isStream: boolean): Promise<void> {
    while (!isOver) {
      const answer = await ask('hello', isStream)
      if (answer) answered.push(answer.headers.get('x-request-id') ?? '')
    }
  }

  async function converse(): Promise<void> {
    let conversation = 'new'
    for (let count = 0; !isOver; count++) {
      const answer = await ask(`${count}`, false, conversation)
      if (!answer) continue
      const id = ConversationId.parse(answer.headers.get(header))
      conversation = id
      heard.set(id, [...(heard.get(id) ?? []), `${count}`])
    }
  }

  const clients = Promise.all(
    Array.from({ length: clientsOfEach }, () => [call(false), call(true), converse()]).flat(),
  ).then(() => undefined)
  // Heard through `end`.
  clients.catch(() => {})

  return {
    answered,
    heard,
    get refused() {
      return refused
    },
    get slowestMs() {
      return slowestMs
    },
    expectAnswers() {
      areAnswersDue = true
    },
    end() {
      isOver = true
      return clients
    },
  }
}

/** The failure that an answer tells, by its status or by its stream's last event. */
function errorIn(answer: Response, text: string): unknown {
  if (answer.headers.get('content-type')?.startsWith('text/event-stream')) {
    const data = eventsOf(text)
    expect(data.at(-1)).toBe('[DONE]')
    return JSON.parse(data.at(-2) ?? '{}').error
  }
  const { error } = JSON.parse(text)
  expect(answer.status).toBe(error ? 503 : 200)
  if (error) expect(answer.headers.get('retry-after')).toBe('1')
  return error
}
