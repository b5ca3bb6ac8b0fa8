/** What each node knows of itself: this one says it at once, the others are asked. */
import type { z } from 'zod'
import type { Bus } from '../../../runtime/nodes/bus.ts'
import { questions } from '../../../runtime/nodes/questions.ts'
import type { Clock } from '../../../runtime/time/clock.ts'
import { seconds } from '../../../runtime/time/duration.ts'

/** This node, and its way to the others; without a bus there are none. */
export interface HereAmongNodes {
  node: number
  bus: Bus | undefined
  clock: Clock
}

/** Undefined: the node does not answer in time. */
export type OfNode<Question, Answer> = (
  node: number,
  question: Question,
  signal?: AbortSignal,
) => Promise<Answer | undefined>

const askedMax = 1_000

export function ofNodes<Question, Answer>(
  { node: here, bus, clock }: HereAmongNodes,
  options: {
    /** Of the messages there and back. */
    kinds: { question: string; answer: string }
    question: z.ZodType<Question>
    answer: z.ZodType<Answer>
    withinMs?: number
    own(question: Question, signal?: AbortSignal): Answer | Promise<Answer>
  },
): OfNode<Question, Answer> {
  const { kinds, question, answer, withinMs = seconds(1), own } = options
  const ask =
    bus &&
    questions<Question, Answer>({
      ...{ bus, clock, kinds, withinMs, askedMax },
      isQuestion: (body): body is Question => question.safeParse(body).success,
      isAnswer: (body): body is Answer => answer.safeParse(body).success,
      answer: (asked) => own(asked),
    })
  return async (node, asked, signal) => (node === here ? await own(asked, signal) : await ask?.(node, asked))
}
