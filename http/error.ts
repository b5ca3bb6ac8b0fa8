/** Errors as the client sees them: one envelope, and one table of codes with their statuses. */
import type { ActorCode, FailureCode, HttpCode, RuntimeCode, StoreCode } from '../runtime/failure.ts'
import { Failure } from '../runtime/failure.ts'

/** The error types of OpenAI's API, by which its clients distinguish errors. */
export type ErrorType =
  | 'invalid_request_error'
  | 'permission_error'
  | 'not_found_error'
  | 'rate_limit_error'
  | 'api_error'
  | 'overloaded_error'
  | 'timeout_error'

interface Mapped {
  readonly status: number
  readonly type: ErrorType
  /** Sent to the client in place of the failure's message, which is about internals. */
  readonly message?: string
  readonly retryAfterS?: number
}

/**
 * Failures that are handled before they reach a client; one that does is a defect. All failures of models and tools are
 * handled so, as the outcome of a turn or the result of a tool.
 */
type EndsBelow = Known<
  // runtime
  | 'actor_crashed'
  | 'busy'
  | 'name_not_found'
  | 'refused_address'
  | 'refused_host'
  | 'start_failed'
  | 'worker_died'
  // store
  | 'data_folder_in_use'
  | 'embedded_refused'
  | 'migration_refused'
  | 'query_failed'
  | 'refused_query'
  | 'refused_role'
  | 'transaction_over'
  // actors
  | 'agent_missing'
  | 'bot_api_failed'
  | 'budget_exceeded'
  | 'conversation_busy'
  | 'conversation_moved'
  | 'conversation_not_found'
  | 'delivery_failed'
  | 'interrupted'
  | 'journal_mismatch'
  | 'mail_server_failed'
  | 'out_of_steps'
  | 'out_of_time'
  | 'out_of_tokens'
  | 'subagent_failed'
  | 'subagent_timeout'
  | 'too_many_turns'
  | 'turn_moved'
  | 'turn_over'
  | 'turn_paused'
  | 'unknown_agent'
  // http
  | 'bootstrap_key_refused'
  | 'change_refused'
  | 'client_gone'
  | 'header_refused'
  | 'port_taken'
  | 'route_refused'
>
type Known<Code extends FailureCode> = Code

/** The codes that a client can receive. */
export type ClientCode = Exclude<RuntimeCode | StoreCode | ActorCode | HttpCode, EndsBelow>

const badRequestType = { status: 400, type: 'invalid_request_error' } as const
const unauthorizedType = { status: 401, type: 'invalid_request_error' } as const
const forbiddenType = { status: 403, type: 'permission_error' } as const
const conflictType = { status: 409, type: 'invalid_request_error' } as const
const unprocessableType = { status: 422, type: 'invalid_request_error' } as const
const rateLimitType = { status: 429, type: 'rate_limit_error' } as const
const overloadedType = { status: 503, type: 'overloaded_error', retryAfterS: 1 } as const
const timeoutType = { status: 504, type: 'timeout_error' } as const

/** A new code compiles only with a status here or an entry in `EndsBelow`. */
const statuses = {
  // runtime
  mailbox_full: { ...rateLimitType, message: 'Too many messages wait for this conversation.', retryAfterS: 1 },
  ask_timeout: { ...timeoutType, message: 'The service did not finish this in time.' },
  task_timeout: { ...timeoutType, message: 'The service did not finish this in time.' },
  actor_stopped: { ...overloadedType, message: 'The service is stopping.' },
  pool_full: { ...overloadedType, message: 'The service is busy.' },
  pool_closed: { ...overloadedType, message: 'The service is stopping.' },
  batch_full: { ...overloadedType, message: 'The database is behind.' },
  batch_closed: { ...overloadedType, message: 'The service is stopping.' },
  // store
  database_down: { ...overloadedType, message: 'The database cannot be reached.' },
  already_set_up: conflictType,
  channel_name_taken: conflictType,
  channel_built_in: conflictType,
  currency_budgeted: conflictType,
  currency_mixed: conflictType,
  prices_overlap: conflictType,
  too_many_budgets: conflictType,
  too_many_prices: conflictType,
  last_owner: conflictType,
  login_taken: conflictType,
  settings_conflict: conflictType,
  sign_in_changed: unauthorizedType,
  too_many_keys: conflictType,
  key_chain_too_long: conflictType,
  maker_ended: unauthorizedType,
  too_many_model_endpoints: conflictType,
  too_many_secrets: conflictType,
  too_many_silences: conflictType,
  too_many_subscriptions: conflictType,
  too_many_workspaces: conflictType,
  time_out_of_range: { ...badRequestType, message: 'A time is outside of those that can be stored.' },
  already_uploaded: conflictType,
  blob_missing: { status: 500, type: 'api_error', message: 'The bytes of this file are gone.' },
  digest_mismatch: unprocessableType,
  media_in_use: conflictType,
  media_refused: unprocessableType,
  media_scan_failed: { ...overloadedType, message: 'The file could not be checked; try again.' },
  no_space: { status: 507, type: 'api_error', message: 'There is no space left for files.' },
  offset_mismatch: conflictType,
  storage_quota_exceeded: rateLimitType,
  too_many_uploads: rateLimitType,
  upload_in_progress: conflictType,
  unstorable_text: { ...badRequestType, message: 'A text has a character that cannot be stored, such as NUL.' },
  // actors
  backlog_full: { ...rateLimitType, retryAfterS: 2 },
  // http: the request
  bad_request: badRequestType,
  unauthorized: unauthorizedType,
  forbidden: forbiddenType,
  not_found: { status: 404, type: 'not_found_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  body_timeout: { status: 408, type: 'timeout_error' },
  length_required: { status: 411, type: 'invalid_request_error' },
  range_not_satisfiable: { status: 416, type: 'invalid_request_error' },
  signature_expired: forbiddenType,
  signature_invalid: forbiddenType,
  body_too_large: { status: 413, type: 'invalid_request_error' },
  too_many_items: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  upgrade_required: { status: 426, type: 'invalid_request_error' },
  rate_limit_exceeded: rateLimitType,
  too_many_failed_credentials: rateLimitType,
  https_required: forbiddenType,
  ip_not_allowed: forbiddenType,
  deadline_exceeded: timeoutType,
  feature_disabled: { status: 501, type: 'invalid_request_error' },
  draining: overloadedType,
  link_full: { ...overloadedType, message: 'The node that has the conversation takes no more for now; ask again.' },
  nobody_home: overloadedType,
  node_lost: overloadedType,
  actor_gone: { status: 404, type: 'invalid_request_error', message: 'It is not there any more.' },
  actor_pinned: conflictType,
  actor_moved: { ...overloadedType, message: 'The conversation is moving to another node of the service; ask again.' },
  overloaded: overloadedType,
  idempotency_conflict: conflictType,
  // http: signing in
  code_refused: unauthorizedType,
  confirmation_refused: unauthorizedType,
  confirmation_required: forbiddenType,
  csrf_token_invalid: forbiddenType,
  installation_only: forbiddenType,
  last_way_in: conflictType,
  login_refused: unauthorizedType,
  no_passkey: conflictType,
  no_role: forbiddenType,
  no_second_factor: conflictType,
  origin_refused: forbiddenType,
  passkey_refused: unauthorizedType,
  passkey_taken: conflictType,
  passkeys_need_host_name: badRequestType,
  passkeys_need_https: badRequestType,
  passkeys_need_page: badRequestType,
  password_wrong: unauthorizedType,
  second_factor_refused: unauthorizedType,
  session_ended: unauthorizedType,
  link_refused: unauthorizedType,
  setup_code_wrong: unauthorizedType,
  too_many_attempts: rateLimitType,
  too_many_passkeys: conflictType,
  totp_already_on: conflictType,
  totp_not_begun: conflictType,
  totp_unreadable: { status: 500, type: 'api_error' },
  // http: operators and keys
  already_here: conflictType,
  bounded_key: forbiddenType,
  key_is_personal: forbiddenType,
  looser_than_maker: forbiddenType,
  own_account: forbiddenType,
  personal_keys_off: forbiddenType,
  role_beyond_maker: forbiddenType,
  role_elsewhere: forbiddenType,
  scope_beyond_maker: forbiddenType,
  // http: the rest of the admin API, and the web chat
  agent_name_taken: conflictType,
  already_decided: conflictType,
  cannot_regenerate: conflictType,
  conversation_too_long: badRequestType,
  log_not_kept: { status: 503, type: 'api_error' },
  too_many_agents: conflictType,
  too_many_readers: { ...rateLimitType, retryAfterS: 10 },
  trials_run: { ...rateLimitType, retryAfterS: 5 },
  turn_in_progress: { ...conflictType, retryAfterS: 1 },
  turn_not_cancellable: conflictType,
  verification_runs: { ...rateLimitType, retryAfterS: 5 },
  version_conflict: conflictType,
  version_unreadable: conflictType,
  wrong_state: conflictType,
} as const satisfies Record<ClientCode, Mapped>

export interface ApiErrorOptions {
  /** The field of the request that is wrong, as OpenAI's clients expect it. */
  param?: string | undefined
  /** The code and type of somebody else's error, which the client gets in place of ours. */
  named?: { code?: string | undefined; type?: string | undefined } | undefined
  headers?: Readonly<Record<string, string>> | undefined
  /** Overrides the table. */
  retryAfterS?: number | undefined
  cause?: unknown
}

/** A failure as a client gets it. Anything else that is thrown is a defect: a 500 with an `SVC-` code. */
export class ApiError extends Failure {
  readonly status: number
  readonly type: ErrorType
  readonly code: FailureCode
  readonly param: string | undefined
  readonly named: ApiErrorOptions['named']
  readonly headers: Readonly<Record<string, string>> | undefined

  /** @param code one of the table, or a code with its own status and type */
  constructor(
    code: ClientCode | { code: FailureCode; status: number; type: ErrorType },
    message: string,
    { param, named, headers, retryAfterS, cause }: ApiErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    const mapped: Mapped = typeof code === 'string' ? statuses[code] : code
    const waitS = retryAfterS ?? mapped.retryAfterS
    this.code = typeof code === 'string' ? code : code.code
    this.status = mapped.status
    this.type = mapped.type
    this.param = param
    this.named = named
    this.headers = waitS === undefined ? headers : { ...headers, 'retry-after': String(waitS) }
  }
}

export interface ErrorEnvelope {
  error: { message: string; type: string; param: string | null; code: string }
}

export function errorEnvelope(type: string, code: string, message: string, param?: string): ErrorEnvelope {
  return { error: { message, type, param: param ?? null, code } }
}

export function envelopeOf({ type, code, named, message, param }: ApiError): ErrorEnvelope {
  return errorEnvelope(named?.type ?? type, named?.code ?? code, message, param)
}

export const badRequest = (message: string, param?: string): ApiError => new ApiError('bad_request', message, { param })

export const unauthorized = (message: string): ApiError =>
  new ApiError('unauthorized', message, { headers: { 'www-authenticate': 'Bearer' } })

export const forbidden = (message: string): ApiError => new ApiError('forbidden', message)

export const notFound = (message: string, param?: string): ApiError => new ApiError('not_found', message, { param })

export const overloaded = (message: string): ApiError => new ApiError('overloaded', message)

/** Failures of models and tools share these codes; theirs are handled before they reach a client. */
const ownCodes: ReadonlySet<ClientCode> = new Set(['bad_request', 'not_found'])

/** The client's view of a thrown value, or undefined when it is a defect of ours. */
export function knownError(thrown: unknown): ApiError | undefined {
  if (thrown instanceof ApiError) return thrown
  if (!(thrown instanceof Failure) || !isClientCode(thrown.code) || ownCodes.has(thrown.code)) return undefined
  const mapped: Mapped = statuses[thrown.code]
  return new ApiError(thrown.code, mapped.message ?? thrown.message, { cause: thrown })
}

function isClientCode(code: string): code is ClientCode {
  return Object.hasOwn(statuses, code)
}
