/** What goes wrong on the way to an answer, as the client sees it: one envelope, one table from codes to statuses. */

/** Failures that the edge or a handler can name. Everything else is a defect and becomes a 500 with an `SVC-` code. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly type: ErrorType
  readonly code: string
  /** The field of the request that is wrong, as OpenAI's clients expect it. */
  readonly param: string | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  constructor(
    status: number,
    type: ErrorType,
    code: string,
    message: string,
    more: { param?: string | undefined; headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.status = status
    this.type = type
    this.code = code
    this.param = more.param
    this.headers = more.headers
  }
}

export type ErrorType =
  | 'invalid_request_error'
  | 'permission_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'api_error'
  | 'overloaded_error'
  | 'timeout_error'

export interface ErrorEnvelope {
  error: { message: string; type: ErrorType; param: string | null; code: string }
}

export function errorEnvelope(type: ErrorType, code: string, message: string, param?: string): ErrorEnvelope {
  return { error: { message, type, param: param ?? null, code } }
}

export const badRequest = (message: string, param?: string): ApiError =>
  new ApiError(400, 'invalid_request_error', 'bad_request', message, { param })

export const unauthorized = (message: string): ApiError =>
  new ApiError(401, 'invalid_request_error', 'unauthorized', message, { headers: { 'www-authenticate': 'Bearer' } })

export const forbidden = (message: string): ApiError => new ApiError(403, 'permission_error', 'forbidden', message)

export const notFound = (message: string): ApiError => new ApiError(404, 'not_found_error', 'not_found', message)

export const overloaded = (message: string, retryAfterS = 1): ApiError =>
  new ApiError(503, 'overloaded_error', 'overloaded', message, { headers: { 'retry-after': String(retryAfterS) } })

interface Mapped {
  status: number
  type: ErrorType
  /** Said to the client instead of the error's own words, where those speak of our insides. */
  message?: string
  retryAfterS?: number
}

/**
 * Typed errors of the rooms below, by their `code`. One that is not here is a defect: add it here, once, when a caller
 * can act on it.
 */
const statuses: Readonly<Record<string, Mapped>> = {
  mailbox_full: {
    status: 429,
    type: 'rate_limit_error',
    message: 'Too many messages wait for this conversation.',
    retryAfterS: 1,
  },
  backlog_full: { status: 429, type: 'rate_limit_error', retryAfterS: 2 },
  channel_name_taken: { status: 409, type: 'invalid_request_error' },
  ask_timeout: { status: 504, type: 'timeout_error', message: 'The service did not finish this in time.' },
  actor_stopped: { status: 503, type: 'overloaded_error', message: 'The service is stopping.', retryAfterS: 1 },
  pool_full: { status: 503, type: 'overloaded_error', message: 'The service is busy.', retryAfterS: 1 },
  task_timeout: { status: 504, type: 'timeout_error', message: 'The service did not finish this in time.' },
  pool_closed: { status: 503, type: 'overloaded_error', message: 'The service is stopping.', retryAfterS: 1 },
  batch_closed: { status: 503, type: 'overloaded_error', message: 'The service is stopping.', retryAfterS: 1 },
  transaction_lost: {
    status: 503,
    type: 'overloaded_error',
    message: 'The database went away; nothing was changed.',
    retryAfterS: 1,
  },
  batch_full: { status: 503, type: 'overloaded_error', message: 'The database is behind.', retryAfterS: 1 },
  database_down: { status: 503, type: 'overloaded_error', message: 'The database cannot be reached.', retryAfterS: 1 },
  login_taken: { status: 409, type: 'invalid_request_error' },
  last_owner: { status: 409, type: 'invalid_request_error' },
  already_set_up: { status: 409, type: 'invalid_request_error' },
  setting_refused: { status: 400, type: 'invalid_request_error' },
}

/** The client's view of a thrown thing, or undefined when it is a defect of ours. */
export function knownError(thrown: unknown): ApiError | undefined {
  if (thrown instanceof ApiError) return thrown
  if (!(thrown instanceof Error)) return undefined
  const code = (thrown as { code?: unknown }).code
  if (typeof code !== 'string' || !Object.hasOwn(statuses, code)) return undefined
  const mapped = statuses[code]
  if (!mapped) return undefined
  const headers = mapped.retryAfterS === undefined ? {} : { headers: { 'retry-after': String(mapped.retryAfterS) } }
  return new ApiError(mapped.status, mapped.type, code, mapped.message ?? thrown.message, { ...headers, cause: thrown })
}
