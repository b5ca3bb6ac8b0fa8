/** Several answers to one question at once: what fails is left out, as long as one is there. */
import { ModelError } from '../../../models/errors.ts'
import { type AgentRun, TurnPaused } from '../agent-run.ts'
import { BoundReached } from '../budget/budget.ts'
import type { LoopResult } from '../loop-request.ts'

/** One of several: numbered from 1 on, and by the same number when the turn is begun again. */
export interface Candidate {
  number: number
  answer: LoopResult
}

const atOnceMax = 8

/** All are done when it returns or throws. @returns in the order of their numbers. @throws the first failure where none is there */
export async function answerCandidates(
  run: AgentRun,
  numbers: readonly number[],
  answerOf: (number: number) => Promise<LoopResult>,
): Promise<Candidate[]> {
  const ends: PromiseSettledResult<LoopResult>[] = []
  let next = 0
  async function work(): Promise<void> {
    for (let at = next++; at < numbers.length; at = next++) {
      const [end] = await Promise.allSettled([answerOf(numbers[at] as number)])
      ends[at] = end
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnceMax, numbers.length) }, work))
  const failures = ends.filter((end) => end.status === 'rejected').map(({ reason }): unknown => reason)
  const final = failures.find(endsTheTurn) ?? failures.find((reason) => reason instanceof TurnPaused)
  if (final !== undefined) throw final
  const there = ends.flatMap((end, at) =>
    end.status === 'fulfilled' ? [{ number: numbers[at] as number, answer: end.value }] : [],
  )
  if (there.length === 0) throw failures[0]
  for (const reason of failures)
    run.services.log.warn({ err: reason, turn: run.turnId }, 'one of several answers failed and was left out')
  return there
}

/** A defect, or the end of the turn: no other answer makes up for it. */
function endsTheTurn(reason: unknown): boolean {
  if (reason instanceof ModelError) return reason.code === 'cancelled'
  return !(reason instanceof BoundReached || reason instanceof TurnPaused)
}

/** From 1 to `count`. */
export const numbersUpTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1)
