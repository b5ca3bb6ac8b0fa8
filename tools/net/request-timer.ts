/** Time limits of one request: for each phase, for all of it, and the caller's signal. */
import type { Clock, Timer } from '../../runtime/time/clock.ts'
import { ToolFailed } from '../tool.ts'

export interface TimeLimits {
  /** The name, the connection and its TLS. */
  connectMs: number
  /** From the request to the last header of the answer. */
  headersMs: number
  /** Between two pieces of the body. */
  silenceMs: number
  /** All of it, redirects included. */
  totalMs: number
}

export type Phase = 'connect' | 'headers' | 'body'

export interface RequestTimer {
  /** Aborts with the ToolFailed `timeout`, or with the caller's own reason. */
  readonly signal: AbortSignal
  /** Starts the limit of a phase and ends the one before; called again for each piece of the body. */
  startPhase(phase: Phase): void
  /** @returns the result of `work`. @throws the signal's reason as soon as it aborts */
  race<Result>(work: Promise<Result>): Promise<Result>
  end(): void
}

export function startRequestTimer(clock: Clock, limits: TimeLimits, caller: AbortSignal): RequestTimer {
  const own = new AbortController()
  const expire = (what: string, limitMs: number) => () =>
    own.abort(new ToolFailed('timeout', `${what} within ${limitMs / 1_000} s; it was cancelled.`))
  const pass = () => own.abort(caller.reason)
  if (caller.aborted) pass()
  else caller.addEventListener('abort', pass, { once: true })
  const total = clock.after(limits.totalMs, expire('The answer was not complete', limits.totalMs))
  let current: Timer | undefined
  const bounds: Record<Phase, [string, number]> = {
    connect: ['There was no connection', limits.connectMs],
    headers: ['The server sent no answer', limits.headersMs],
    body: ['Nothing more came of the answer', limits.silenceMs],
  }
  return {
    signal: own.signal,
    startPhase(phase) {
      current?.cancel()
      const [what, limitMs] = bounds[phase]
      current = clock.after(limitMs, expire(what, limitMs))
    },
    race(work) {
      return new Promise((resolve, reject) => {
        const give = () => reject(own.signal.reason)
        if (own.signal.aborted) give()
        else own.signal.addEventListener('abort', give, { once: true })
        work.then(resolve, reject).finally(() => own.signal.removeEventListener('abort', give))
      })
    },
    end() {
      current?.cancel()
      total.cancel()
      caller.removeEventListener('abort', pass)
    },
  }
}
