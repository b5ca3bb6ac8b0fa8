/** What the store can fail with that a caller can act on. */
import { Failure } from '../runtime/failure.ts'

/** The database cannot be reached or did not answer in time. What was sent may or may not be committed. */
export class DatabaseDown extends Failure {
  readonly code = 'database_down'
  override readonly isOutage = true
  constructor(reason: string, cause?: unknown) {
    super(`the database does not answer: ${reason}`, { cause })
  }
}

/** It took the connection and says nothing on it. */
export class DatabaseHangs extends DatabaseDown {}

/** A text with a character that the database does not store: NUL, or half of a surrogate pair. Nothing was written. */
export class UnstorableText extends Failure {
  readonly code = 'unstorable_text'
  constructor(cause: unknown) {
    super('a text has a character that cannot be stored, such as NUL', { cause })
  }
}

/** A time before the year 1 or after the year 9999, as a forged cursor or a time zone makes it. Nothing was written. */
export class TimeOutOfRange extends Failure {
  readonly code = 'time_out_of_range'
  constructor(cause: unknown) {
    super('a time is outside of those that can be stored', { cause })
  }
}

/** A query of a transaction that has ended: whoever began it has to wait for it. A defect of its caller. */
export class TransactionOver extends Failure {
  readonly code = 'transaction_over'
  constructor() {
    super('this transaction has ended: every query has to be awaited before its work returns')
  }
}

/** A query of a transaction that is over, because its connection is gone: nothing of it is or will be written. */
export class TransactionLost extends DatabaseDown {
  constructor() {
    super('the connection of this transaction is gone; nothing of it was written')
  }
}

/** Codes of postgres.js and of the socket below it for a connection that failed or broke. */
const connectionCodes = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** SQLSTATEs that say "not now". */
function isPassingState(code: string): boolean {
  return (
    code.startsWith('08') || // connection exception
    code.startsWith('57P0') || // shutdown, crash, starting up
    code === '53300' || // too many connections
    code === '57014' || // past statement_timeout
    code === '25P03' || // past idle_in_transaction_session_timeout
    code === '25006' // a replica: the one that takes writes is elsewhere for the moment
  )
}

/** @returns DatabaseDown where `error` says that the database is away, else the error itself without what users wrote */
export function storeError(error: unknown): unknown {
  if (error instanceof DatabaseDown) return error
  const code = error instanceof Error ? (error as Error & { code?: unknown }).code : undefined
  if (typeof code !== 'string') return error
  if (code === 'NO_SERVER') return new DatabaseDown((error as Error).message, error)
  if (connectionCodes.has(code) || isPassingState(code)) return new DatabaseDown(code, error)
  if (code === '22021' || code === '22P05') return new UnstorableText(error)
  if (code === '22007' || code === '22008' || code === '22009') return new TimeOutOfRange(error)
  withoutRow(error as Partial<Record<(typeof rowFields)[number], string>>)
  return error
}

/** Where PostgreSQL quotes the row that it refused ("Failing row contains …"): errors are logged, rows must not be. */
const rowFields = ['detail', 'where', 'internal_query'] as const

function withoutRow(error: Partial<Record<(typeof rowFields)[number], string>>): void {
  for (const field of rowFields) delete error[field]
}

export function sqlStateOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as Error & { code?: unknown }).code : undefined
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}
