/** What one turn may spend, all of its candidates and sub-agents together: tokens, and time without waits for approvals. */
import type { Usage } from '../../../models/transport.ts'
import type { Clock } from '../../../runtime/time/clock.ts'
import { isUnderPath } from '../journal/working-time.ts'
import { type TimeBound, timeBound } from './time-bound.ts'

export type Bound = 'tokens' | 'time' | 'steps'

/** A bound of the turn was reached: it ends, and says so. */
export class BoundReached extends Error {
  override readonly name = 'BoundReached'
  readonly bound: Bound
  constructor(bound: Bound) {
    super(`the turn has used up its ${bound}`)
    this.bound = bound
  }
}

/** Time of a sub-agent within the turn. */
export interface BudgetShare {
  /** Aborts with BoundReached when the time is over. */
  readonly signal: AbortSignal
  end(): void
}

export interface Budget {
  readonly used: Usage
  /** True as soon as one count of it was estimated. */
  readonly isEstimated: boolean
  /** Aborts with BoundReached when the time is over. */
  readonly signal: AbortSignal
  spend(usage: Usage, isEstimated: boolean): void
  /** @throws BoundReached */
  check(): void
  /** Time for the loop at `path` and those below it, beside that of the turn. */
  share(path: string, timeMs: number): BudgetShare
  /** The clocks of the turn, and of the sub-agents within which `path` is, stand still while somebody else has the word. @returns goes on */
  pause(path: string): () => void
  end(): void
}

export interface BudgetLimits {
  /** 0: none. */
  tokens: number
  /** 0: none. */
  timeMs: number
  /** What earlier tries have worked of it. */
  workedMs: number
}

export function openBudget(limits: BudgetLimits, clock: Clock): Budget {
  const used: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  const over = new AbortController()
  const shares = new Map<TimeBound, string>()
  let isEstimated = false
  const leftMs = limits.timeMs > 0 ? limits.timeMs - limits.workedMs : undefined
  const whole = timeBound(clock, leftMs, () => over.abort(new BoundReached('time')))

  return {
    used,
    get isEstimated() {
      return isEstimated
    },
    signal: over.signal,
    spend(usage, wasEstimated) {
      used.prompt_tokens += usage.prompt_tokens
      used.completion_tokens += usage.completion_tokens
      used.total_tokens += usage.total_tokens
      isEstimated ||= wasEstimated
    },
    check() {
      over.signal.throwIfAborted()
      if (limits.tokens > 0 && used.total_tokens >= limits.tokens) throw new BoundReached('tokens')
    },
    share(path, timeMs) {
      const isOver = new AbortController()
      const time = timeBound(clock, timeMs, () => isOver.abort(new BoundReached('time')))
      shares.set(time, path)
      return {
        signal: isOver.signal,
        end() {
          time.end()
          shares.delete(time)
        },
      }
    },
    pause(path) {
      const stopped = [whole, ...[...shares].filter(([, of]) => isUnderPath(path, of)).map(([time]) => time)]
      const resume = stopped.map((time) => time.pause())
      return () => {
        for (const goOn of resume) goOn()
      }
    },
    end() {
      whole.end()
      for (const time of shares.keys()) time.end()
    },
  }
}
