/** Questions from one node to another, each with one answer or none: the bus may lose either. */
import type { Clock, Timer } from '../time/clock.ts'
import type { Bus } from './bus.ts'

export interface QuestionsOptions<Question, Answer> {
  bus: Bus
  clock: Clock
  /** Of the messages there and back. */
  kinds: { question: string; answer: string }
  /** How long an answer is waited for. */
  withinMs: number
  /** Questions that wait for their answer; and of others, those that are being answered. */
  askedMax: number
  isQuestion(body: unknown): body is Question
  isAnswer(body: unknown): body is Answer
  /** One that fails is not given, and logged as what a listener of the bus throws. */
  answer(question: Question): Answer | Promise<Answer>
}

/** @returns asks one node; undefined: there is no answer, or no way to ask */
export function questions<Question, Answer>(
  options: QuestionsOptions<Question, Answer>,
): (node: number, question: Question) => Promise<Answer | undefined> {
  const { bus, clock, kinds, withinMs, askedMax, isQuestion, isAnswer, answer } = options
  const asked = new Map<number, { node: number; timer: Timer; resolve(answer: Answer | undefined): void }>()
  let lastId = 0
  let answering = 0

  bus.on(kinds.question, async (message, from) => {
    const { id, body } = (message ?? {}) as { id?: unknown; body?: unknown }
    if (!Number.isSafeInteger(id) || !isQuestion(body) || answering >= askedMax) return
    answering++
    try {
      bus.send(from, kinds.answer, { id, body: await answer(body) })
    } finally {
      answering--
    }
  })
  bus.on(kinds.answer, (message, from) => {
    const { id, body } = (message ?? {}) as { id?: unknown; body?: unknown }
    const question = typeof id === 'number' ? asked.get(id) : undefined
    if (question?.node !== from || !isAnswer(body)) return
    asked.delete(id as number)
    question.timer.cancel()
    question.resolve(body)
  })

  return async (node, question) => {
    if (!bus.isUp || asked.size >= askedMax) return undefined
    return await new Promise((resolve) => {
      const id = ++lastId
      const timer = clock.after(withinMs, () => {
        asked.delete(id)
        resolve(undefined)
      })
      asked.set(id, { node, timer, resolve })
      bus.send(node, kinds.question, { id, body: question })
    })
  }
}
