/**
 * Checks before every attempt to sign in: the page must be ours, and guesses are limited. Failed attempts are recorded in
 * the audit log, refused ones only now and then.
 */
import { type AuditActor, writeAudit } from '../../../store/audit/audit.ts'
import { defaultWorkspace } from '../../../store/default-workspace.ts'
import type { OperatorId } from '../../../store/id.ts'
import { findCredentials } from '../../../store/operators/operators.ts'
import type { Principal } from '../../access.ts'
import { clientNetwork } from '../../auth/client-network.ts'
import type { Call } from '../../call.ts'
import { ApiError } from '../../error.ts'

/**
 * @param account the account that is guessed at
 * @param target its name in the audit log
 * @throws ApiError 403, 429
 */
export async function refuseGuessing(call: Call, account: string, target: string): Promise<void> {
  const refusal = guessRefusal(call, account)
  if (refusal) throw await recordOccasionally(call, refusal, async () => target)
}

/** As `refuseGuessing` for a login, and counts the attempt while it is under way. @throws ApiError 403, 429, and what `attempt` throws */
export async function limitGuesses<Result>(call: Call, login: string, attempt: () => Promise<Result>): Promise<Result> {
  const refusal = guessRefusal(call, login)
  // An unknown login may be a password in the wrong field, so it is not stored.
  if (refusal)
    throw await recordOccasionally(
      call,
      refusal,
      async () => (await findCredentials(call.app.db, login))?.login ?? 'unknown',
    )
  // In the same turn as the check, so that concurrent attempts are all counted.
  const decided = call.app.auth.limit.begin(call.clientIp, login)
  try {
    return await attempt()
  } finally {
    decided()
  }
}

/**
 * Whoever guesses codes has the password or a session already, so is no stranger: the long delays apply to the operator's
 * codes from any address.
 * @throws ApiError 429
 */
export async function refuseGuessingCodes(call: Call, operator: OperatorId): Promise<void> {
  const codes = codesOf(operator)
  const waitMs = call.app.auth.limit.retryAfterMs(codes, codes)
  if (waitMs > 0) throw await recordOccasionally(call, { waitMs, network: codes }, async () => operator)
}

export function codeFailed(call: Call, operator: OperatorId): void {
  const codes = codesOf(operator)
  call.app.auth.limit.failed(codes, codes)
}

export function codeSucceeded(call: Call, operator: OperatorId): void {
  const codes = codesOf(operator)
  call.app.auth.limit.succeeded(codes, codes)
}

/**
 * A login that is taken is refused, so whoever creates operators could try which logins other workspaces have. The delays
 * apply to the workspace, whoever tries.
 * @throws ApiError 429
 */
export function refuseProbingLogins(call: Call<unknown, unknown, unknown, Principal>): void {
  const logins = loginsOf(call)
  const waitMs = call.app.auth.limit.retryAfterMs(logins, logins)
  if (waitMs > 0) throw tooManyAttempts(waitMs)
}

export function loginWasTaken(call: Call<unknown, unknown, unknown, Principal>): void {
  const logins = loginsOf(call)
  call.app.auth.limit.failed(logins, logins)
}

/** Counts the failure, and records the account and the address. */
export async function guessFailed(
  call: Call,
  failure: {
    account: string
    action: 'session.refused' | 'session.confirm_refused' | 'factor.refused'
    target: string
  },
  actor: AuditActor = anonymousActor(call),
): Promise<void> {
  call.app.auth.limit.failed(call.clientIp, failure.account)
  await recordRefusal(call, failure, actor)
}

/** In its own transaction, because a refused request changes nothing else. */
export async function recordRefusal(
  { app }: Call,
  { action, target }: { action: string; target: string },
  actor: AuditActor,
): Promise<void> {
  await app.db.transaction(actor.workspaceId, (query) => writeAudit(query, { actor, action, target }))
}

/** The actor in the audit log for a caller who is not signed in. */
export function anonymousActor({ app, clientIp, requestId }: Call): AuditActor {
  return { workspaceId: defaultWorkspace(app), name: 'nobody', ip: clientIp, requestId }
}

/** In capitals, which no login has, so that it cannot be confused with a login. */
const loginsOf = ({ principal }: { principal: Principal }): string => `LOGINS IN ${principal.workspaceId}`
const codesOf = (operator: OperatorId): string => `CODES OF ${operator}`

interface GuessRefusal {
  waitMs: number
  network: string
}

/** @throws ApiError 403 */
function guessRefusal(call: Call, account: string): GuessRefusal | undefined {
  if (call.isFromForeignPage)
    throw new ApiError('origin_refused', 'Signing in from pages of this origin is not allowed.')
  const waitMs = call.app.auth.limit.retryAfterMs(call.clientIp, account)
  return waitMs > 0 ? { waitMs, network: clientNetwork(call.clientIp) } : undefined
}

/** Records the refusal if it is the guesser's first in a while. @returns the error to throw */
async function recordOccasionally(
  call: Call,
  { waitMs, network: guesser }: GuessRefusal,
  targetOf: () => Promise<string>,
): Promise<ApiError> {
  if (call.app.auth.refusalAudit.shouldRecord(guesser))
    await recordRefusal(call, { action: 'session.throttled', target: await targetOf() }, anonymousActor(call))
  return tooManyAttempts(waitMs)
}

function tooManyAttempts(waitMs: number): ApiError {
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1_000))
  const message = `Too many failed attempts; try again in ${retryAfterS} s.`
  return new ApiError('too_many_attempts', message, { retryAfterS })
}
