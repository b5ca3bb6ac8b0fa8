/** What the store can fail with that a caller can act on. */

/** The database cannot be reached or did not answer in time. What was sent may or may not be committed. */
export class DatabaseDown extends Error {
  override readonly name = 'DatabaseDown'
  readonly code = 'database_down'
  constructor(reason: string, cause?: unknown) {
    super(`the database does not answer: ${reason}`, { cause })
  }
}

/** A query of a transaction whose connection is gone: nothing of it is or will be written. */
export class TransactionLost extends Error {
  override readonly name = 'TransactionLost'
  readonly code = 'transaction_lost'
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

/** SQLSTATE classes and codes that say "not now": connection failure, shutdown, starting up, too many connections. */
function isPassingState(code: string): boolean {
  return code.startsWith('08') || code.startsWith('57P0') || code === '53300'
}

/** @returns DatabaseDown where `error` says that the database is away, else the error itself */
export function storeError(error: unknown): unknown {
  const code = error instanceof Error ? (error as Error & { code?: unknown }).code : undefined
  if (typeof code !== 'string') return error
  if (connectionCodes.has(code) || isPassingState(code)) return new DatabaseDown(code, error)
  return error
}

export function sqlStateOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as Error & { code?: unknown }).code : undefined
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}
