/** What can go wrong with a model, as typed errors: a code, and the status that says it to a client. */
import type { Usage } from './transport.ts'

/** Each code and the status that the client gets. `bad_request` may carry another 4xx of the endpoint's. */
const statuses = {
  bad_request: 400,
  context_too_long: 400,
  model_unknown: 404,
  rate_limited: 429,
  quota_exceeded: 429,
  cancelled: 499,
  endpoint_unreachable: 502,
  endpoint_error: 502,
  endpoint_credentials: 502,
  garbage: 502,
  answer_too_large: 502,
  stream_cut: 502,
  endpoint_overloaded: 503,
  calls_full: 503,
  not_configured: 503,
  transport_closed: 503,
  call_timeout: 504,
  stream_silent: 504,
} as const

export type ModelErrorCode = keyof typeof statuses

export interface ModelErrorDetails {
  /** Overrides the status of the code. */
  status?: number | undefined
  /** When the endpoint may be asked again. */
  retryAfterMs?: number | undefined
  /** The status that the endpoint answered with. */
  upstreamStatus?: number | undefined
  /** The endpoint's own error code, where it named one. */
  upstreamCode?: string | undefined
  /** The request's field that the endpoint blames. */
  param?: string | undefined
  /** Another attempt may succeed. */
  isTransient?: boolean | undefined
  /** What was spent before it failed, where the model had begun to answer. */
  usage?: Usage | undefined
  cause?: unknown
}

/** Messages hold no credential, and of an address at most the origin. */
export class ModelError extends Error {
  override readonly name: string
  readonly code: ModelErrorCode
  readonly status: number
  readonly retryAfterMs: number | undefined
  readonly upstreamStatus: number | undefined
  readonly upstreamCode: string | undefined
  readonly param: string | undefined
  readonly isTransient: boolean
  /** Set once it is counted, after the failure itself. */
  usage: Usage | undefined

  constructor(code: ModelErrorCode, message: string, details: ModelErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = code === 'call_timeout' ? 'ErrCallTimeout' : 'ModelError'
    this.code = code
    this.status = details.status ?? statuses[code]
    this.retryAfterMs = details.retryAfterMs
    this.upstreamStatus = details.upstreamStatus
    this.upstreamCode = details.upstreamCode
    this.param = details.param
    this.isTransient = details.isTransient ?? false
    this.usage = details.usage
  }
}

/** The one failure that is never tried again: the time for the call is spent. */
export function callTimeout(budgetMs: number): ModelError {
  return new ModelError('call_timeout', `the model did not finish within ${budgetMs / 1_000} s`)
}

export function cancelled(): ModelError {
  return new ModelError('cancelled', 'the call was cancelled')
}
