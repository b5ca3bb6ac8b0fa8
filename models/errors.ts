/** What can go wrong with a model, as typed errors: a code, and the status that says it to a client. */
import { Failure, type FailureCode } from '../runtime/failure.ts'
import type { EndpointAttempt, Usage } from './transport.ts'

/**
 * Each code, the status that the client gets, and whether the same turn may succeed later (`isOutage`). `bad_request` may
 * carry another 4xx of the endpoint's. A spent call time is no outage: whoever sets the limit wants it to count.
 */
const kinds = {
  bad_request: { status: 400, isOutage: false },
  context_too_long: { status: 400, isOutage: false },
  model_unknown: { status: 404, isOutage: false },
  rate_limited: { status: 429, isOutage: true },
  quota_exceeded: { status: 429, isOutage: false },
  cancelled: { status: 499, isOutage: false },
  endpoint_unreachable: { status: 502, isOutage: true },
  endpoint_error: { status: 502, isOutage: true },
  endpoint_credentials: { status: 502, isOutage: false },
  garbage: { status: 502, isOutage: false },
  answer_too_large: { status: 502, isOutage: false },
  stream_cut: { status: 502, isOutage: true },
  endpoint_overloaded: { status: 503, isOutage: true },
  calls_full: { status: 503, isOutage: true },
  not_configured: { status: 503, isOutage: false },
  transport_closed: { status: 503, isOutage: true },
  call_timeout: { status: 504, isOutage: false },
  stream_silent: { status: 504, isOutage: true },
} as const satisfies Partial<Record<FailureCode, { status: number; isOutage: boolean }>>

export type ModelErrorCode = keyof typeof kinds

/** The code and type of an endpoint's own error; absent where it gave none. */
export interface EndpointErrorName {
  code?: string | undefined
  type?: string | undefined
}

export interface ModelErrorDetails {
  /** Overrides the status of the code. */
  status?: number | undefined
  /** When the endpoint may be asked again. */
  retryAfterMs?: number | undefined
  /** The status that the endpoint answered with. */
  upstreamStatus?: number | undefined
  /** What the endpoint itself called it, for the client. */
  upstreamName?: EndpointErrorName | undefined
  /** The request's field that the endpoint blames. */
  param?: string | undefined
  /** Another attempt of the same call may succeed. */
  isTransient?: boolean | undefined
  /** What was spent before it failed, where the model had begun to answer. */
  usage?: Usage | undefined
  cause?: unknown
}

/** Messages hold no credential, and of an address at most the origin. */
export class ModelError extends Failure {
  readonly code: ModelErrorCode
  override readonly isOutage: boolean
  readonly status: number
  readonly retryAfterMs: number | undefined
  readonly upstreamStatus: number | undefined
  readonly upstreamName: EndpointErrorName | undefined
  readonly param: string | undefined
  readonly isTransient: boolean
  /** Set once it is counted, after the failure itself. */
  usage: Usage | undefined
  /** Set with the usage: the model sent no count, and a tokenizer estimated it. */
  isUsageEstimated = false
  /** Set with the usage: the model that it is of. */
  model: string | undefined
  /** Set where there are several endpoints: those that were asked, in order. */
  attempts: readonly EndpointAttempt[] | undefined

  constructor(code: ModelErrorCode, message: string, details: ModelErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.isOutage = kinds[code].isOutage
    this.status = details.status ?? kinds[code].status
    this.retryAfterMs = details.retryAfterMs
    this.upstreamStatus = details.upstreamStatus
    this.upstreamName = details.upstreamName
    this.param = details.param
    this.isTransient = details.isTransient ?? false
    this.usage = details.usage
  }

  override get name(): string {
    return this.code === 'call_timeout' ? 'ErrCallTimeout' : 'ModelError'
  }
}

/** Never retried: the time for the call is spent. */
export function callTimeout(budgetMs: number): ModelError {
  return new ModelError('call_timeout', `the model did not finish within ${budgetMs / 1_000} s`)
}

export function cancelled(): ModelError {
  return new ModelError('cancelled', 'the call was cancelled')
}
