/** The log of one endpoint's failures: that its calls fail and why, at most once a minute, and that they succeed again. */
import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes } from '../../runtime/time/duration.ts'
import { ModelError, type ModelErrorCode } from '../errors.ts'

export interface FailureLog {
  /** A call that ended with this, after its retries. */
  failed(error: unknown): void
  succeeded(): void
}

const intervalMs = minutes(1)

/** The client's own fault, its leaving, or a bound of ours: they say nothing of the endpoint. */
const notOfEndpoint: ReadonlySet<ModelErrorCode> = new Set<ModelErrorCode>([
  'bad_request',
  'calls_full',
  'cancelled',
  'context_too_long',
  'model_unknown',
  'transport_closed',
])

export const isOfEndpoint = (code: ModelErrorCode): boolean => !notOfEndpoint.has(code)

export function failureLog(origin: string, clock: Clock, log: Log | undefined): FailureLog {
  /** Calls since the last line. */
  let failed = 0
  let nextLineMs = 0
  let isFailing = false
  return {
    failed(error) {
      if (!log || !(error instanceof ModelError) || !isOfEndpoint(error.code)) return
      failed++
      const nowMs = clock.elapsed()
      if (nowMs < nextLineMs) return
      log.warn(
        { endpoint: origin, code: error.code, reason: reasonOf(error), failed },
        'calls to a model endpoint fail',
      )
      failed = 0
      nextLineMs = nowMs + intervalMs
      isFailing = true
    },
    succeeded() {
      if (!isFailing) return
      isFailing = false
      log?.info({ endpoint: origin }, 'calls to a model endpoint succeed again')
    },
  }
}

/** With what the system said, which clients do not see: it names addresses of the internal network. */
function reasonOf({ message, cause }: ModelError): string {
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  if (!(first instanceof Error)) return message
  const system = first.message || String((first as NodeJS.ErrnoException).code ?? first.name)
  return `${message}: ${system}`
}
