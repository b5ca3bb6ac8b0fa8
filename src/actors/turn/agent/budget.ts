/** What one turn may spend, all of its candidates and sub-agents together: tokens, and time without waits for approvals. */
import type { Usage } from '../../../models/transport.ts'
import type { Clock, Timer } from '../../../runtime/clock.ts'

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

export interface Budget {
  readonly used: Usage
  /** True as soon as one count of it was estimated. */
  readonly isEstimated: boolean
  /** Aborts with BoundReached when the time is over. */
  readonly signal: AbortSignal
  spend(usage: Usage, isEstimated: boolean): void
  /** @throws BoundReached */
  check(): void
  /** The clock stands still while somebody else has the word. @returns goes on */
  pause(): () => void
  end(): void
}

/** @param limits 0: none */
export function openBudget(limits: { tokens: number; timeMs: number }, clock: Clock): Budget {
  const used: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  const over = new AbortController()
  let isEstimated = false
  let leftMs = limits.timeMs
  let runningSinceMs = clock.elapsed()
  let pauses = 0
  let timer: Timer | undefined
  let isEnded = false

  function run(): void {
    runningSinceMs = clock.elapsed()
    if (limits.timeMs > 0) timer = clock.after(Math.max(0, leftMs), () => over.abort(new BoundReached('time')))
  }
  run()

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
    pause() {
      if (pauses++ === 0) {
        timer?.cancel()
        leftMs -= clock.elapsed() - runningSinceMs
      }
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        if (--pauses === 0 && !isEnded) run()
      }
    },
    end() {
      isEnded = true
      timer?.cancel()
    },
  }
}
