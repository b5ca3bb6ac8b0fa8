/**
 * What one turn may spend, all of its candidates and sub-agents together: tokens, steps, and time without waits for
 * approvals. The limits are kept by the budget of the turn. A sub-agent has a budget without limits: it reports what it
 * spends, and is told which bound the turn has reached.
 */
import type { Usage } from '../../../models/transport.ts'
import { Failure } from '../../../runtime/failure.ts'
import type { Clock } from '../../../runtime/time/clock.ts'
import { timeBound } from './time-bound.ts'

export type Bound = 'tokens' | 'time' | 'steps'

/** A bound of the turn was reached: it ends, and says so. */
export class BoundReached extends Failure {
  readonly code: `out_of_${Bound}`
  readonly bound: Bound
  constructor(bound: Bound) {
    super(`the turn has used up its ${bound}`)
    this.code = `out_of_${bound}`
    this.bound = bound
  }
}

/** What a sub-agent tells the budget of whoever handed the work to it. */
export type BudgetReport =
  | { kind: 'spent'; usage: Usage; isEstimated: boolean }
  | { kind: 'step_taken' }
  /** For an operator; one ends for each that began. */
  | { kind: 'wait_began' }
  | { kind: 'wait_ended' }

/** Time of one sub-agent within the turn. */
export interface BudgetShare {
  /** Aborts with BoundReached when the time is over. */
  readonly signal: AbortSignal
  /** Its clock and that of the turn stop while an operator is waited for. @returns goes on */
  pause(): () => void
  end(): void
}

export interface Budget {
  readonly used: Usage
  /** True as soon as one count of it was estimated. */
  readonly isEstimated: boolean
  /** Aborts with BoundReached when the time is over. */
  readonly signal: AbortSignal
  spend(usage: Usage, isEstimated: boolean): void
  /** Before a call of the model. @throws BoundReached */
  check(): void
  /** One step more in the journal. False: the turn has as many as it may. */
  takeStep(): boolean
  /** Time for a sub-agent, beside that of the turn. */
  share(timeMs: number): BudgetShare
  /** The clock of the turn stops while an operator is waited for. @returns goes on */
  pause(): () => void
  /** Here or in another budget of the turn the bound was reached: nothing more is spent. */
  reach(bound: Bound): void
  /** Calls the listener for each bound, those that were reached before included. @returns ends that */
  onReached(listener: (bound: Bound) => void): () => void
  end(): void
}

export interface BudgetLimits {
  /** 0: none. */
  tokens: number
  steps: number
  /** Of them, what earlier attempts have taken. */
  stepsTaken: number
  /** 0: none. */
  timeMs: number
  /** Of it, what earlier attempts have worked. */
  workedMs: number
}

/** The limits of a budget that reports to another one. */
export const limitsElsewhere: BudgetLimits = {
  tokens: 0,
  steps: Number.POSITIVE_INFINITY,
  stepsTaken: 0,
  timeMs: 0,
  workedMs: 0,
}

/** @param report to the budget that keeps the limits; absent: this one does */
export function openBudget(limits: BudgetLimits, clock: Clock, report?: (report: BudgetReport) => void): Budget {
  const used: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  const timeOver = new AbortController()
  const reachedBounds = new Set<Bound>()
  const listeners = new Set<(bound: Bound) => void>()
  const shares = new Set<BudgetShare>()
  let { stepsTaken } = limits
  let isEstimated = false
  const timeLeftMs = limits.timeMs > 0 ? limits.timeMs - limits.workedMs : undefined
  const time = timeBound(clock, timeLeftMs, () => timeOver.abort(new BoundReached('time')))
  if (stepsTaken >= limits.steps) reachedBounds.add('steps')

  function reach(bound: Bound): void {
    if (reachedBounds.has(bound)) return
    reachedBounds.add(bound)
    for (const listener of listeners) listener(bound)
  }

  function pause(): () => void {
    const resume = time.pause()
    report?.({ kind: 'wait_began' })
    return once(() => {
      resume()
      report?.({ kind: 'wait_ended' })
    })
  }

  return {
    used,
    get isEstimated() {
      return isEstimated
    },
    signal: timeOver.signal,
    spend(usage, wasEstimated) {
      used.prompt_tokens += usage.prompt_tokens
      used.completion_tokens += usage.completion_tokens
      used.total_tokens += usage.total_tokens
      isEstimated ||= wasEstimated
      report?.({ kind: 'spent', usage, isEstimated: wasEstimated })
      if (limits.tokens > 0 && used.total_tokens >= limits.tokens) reach('tokens')
    },
    check() {
      timeOver.signal.throwIfAborted()
      if (reachedBounds.has('tokens')) throw new BoundReached('tokens')
    },
    takeStep() {
      if (reachedBounds.has('steps')) return false
      stepsTaken++
      report?.({ kind: 'step_taken' })
      if (stepsTaken >= limits.steps) reach('steps')
      return true
    },
    share(timeMs) {
      const isOver = new AbortController()
      const shared = timeBound(clock, timeMs, () => isOver.abort(new BoundReached('time')))
      const share: BudgetShare = {
        signal: isOver.signal,
        pause() {
          const resumeShare = shared.pause()
          const resumeTurn = pause()
          return once(() => {
            resumeShare()
            resumeTurn()
          })
        },
        end() {
          shared.end()
          shares.delete(share)
        },
      }
      shares.add(share)
      return share
    },
    pause,
    reach,
    onReached(listener) {
      listeners.add(listener)
      for (const bound of reachedBounds) listener(bound)
      return () => listeners.delete(listener)
    },
    end() {
      time.end()
      for (const share of shares) share.end()
    },
  }
}

function once(work: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    work()
  }
}
