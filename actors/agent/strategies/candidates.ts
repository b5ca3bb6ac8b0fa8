/** Several answers to one question at once: those that fail are left out, as long as one succeeds. */
import { ModelError } from '../../../models/errors.ts'
import { type AgentRun, TurnPaused } from '../agent-run.ts'
import { BoundReached } from '../budget/budget.ts'
import type { LoopResult } from '../loop-request.ts'

/** Numbered from 1 on; a resumed turn gives each its number again. */
export interface Candidate {
  number: number
  answer: LoopResult
}

const parallelMax = 8

/** All have ended when it returns or throws. @returns in the order of their numbers. @throws the first failure where none succeeds */
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
  await Promise.all(Array.from({ length: Math.min(parallelMax, numbers.length) }, work))
  const failures = ends.filter((end) => end.status === 'rejected').map(({ reason }): unknown => reason)
  const ending = failures.find(endsTheTurn) ?? failures.find((reason) => reason instanceof TurnPaused)
  if (ending !== undefined) throw ending
  const candidates = ends.flatMap((end, at) =>
    end.status === 'fulfilled' ? [{ number: numbers[at] as number, answer: end.value }] : [],
  )
  if (candidates.length === 0) throw failures[0]
  for (const reason of failures)
    run.services.log.warn({ err: reason, turn: run.turnId }, 'one of several answers failed and was left out')
  return candidates
}

/** A defect, or the end of the turn: no other answer makes up for it. */
function endsTheTurn(reason: unknown): boolean {
  if (reason instanceof ModelError) return reason.code === 'cancelled'
  return !(reason instanceof BoundReached || reason instanceof TurnPaused)
}

/** From 1 to `count`. */
export const numbersUpTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1)
