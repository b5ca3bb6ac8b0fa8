/** What stands before every attempt to sign in: a page of ours, and no more guesses than are allowed. Failed ones are written down, refused ones now and then. */
import { type AuditActor, writeAudit } from '../../../store/audit/audit.ts'
import { defaultWorkspace } from '../../../store/default-workspace.ts'
import type { OperatorId } from '../../../store/id.ts'
import { findCredentials } from '../../../store/operators/operators.ts'
import { clientNetwork } from '../../auth/client-network.ts'
import type { Call } from '../../call.ts'
import { ApiError } from '../../error.ts'

/**
 * @param account what is guessed at
 * @param target what the audit log calls it
 * @throws ApiError 403, 429
 */
export async function refuseGuessing(call: Call, account: string, target: string): Promise<void> {
  const refusal = guessRefusal(call, account)
  if (refusal) throw await recordOccasionally(call, refusal, async () => target)
}

/** As `refuseGuessing` for a login, and the attempt counts while it is under way. @throws ApiError 403, 429, and what `attempt` throws */
export async function limitGuesses<Result>(call: Call, login: string, attempt: () => Promise<Result>): Promise<Result> {
  const refusal = guessRefusal(call, login)
  // A login that nobody has may be a password in the wrong field: it is not written down.
  if (refusal)
    throw await recordOccasionally(
      call,
      refusal,
      async () => (await findCredentials(call.app.db, login))?.login ?? 'unknown',
    )
  // In the same turn: of many at once none is let in before the others are counted.
  const decided = call.app.auth.limit.begin(call.clientIp, login)
  try {
    return await attempt()
  } finally {
    decided()
  }
}

/**
 * Whoever guesses at codes has the password already, or a session: that is no stranger, so the long waits of an address
 * hold for the operator's codes, from wherever they are tried.
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

/** Counts the failure, and writes down who was guessed at, and from where. */
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

/** In a transaction of its own: what it is about was refused, and nothing was changed. */
export async function recordRefusal(
  { app }: Call,
  { action, target }: { action: string; target: string },
  actor: AuditActor,
): Promise<void> {
  await app.db.transaction(actor.workspaceId, (query) => writeAudit(query, { actor, action, target }))
}

/** Whoever is not signed in, in the audit log. */
export function anonymousActor({ app, clientIp, requestId }: Call): AuditActor {
  return { workspaceId: defaultWorkspace(app), name: 'nobody', ip: clientIp, requestId }
}

/** In capitals: no login has any, so nobody can guess at a login of this name. */
const codesOf = (operator: OperatorId): string => `CODES OF ${operator}`

interface GuessRefusal {
  waitMs: number
  network: string
}

/** @throws ApiError 403 */
function guessRefusal(call: Call, account: string): GuessRefusal | undefined {
  if (call.isFromForeignPage) throw new ApiError('origin_refused', 'Nobody signs in from pages of this origin.')
  const waitMs = call.app.auth.limit.retryAfterMs(call.clientIp, account)
  return waitMs > 0 ? { waitMs, network: clientNetwork(call.clientIp) } : undefined
}

/** Written down where it is the guesser's first in a while; refused in any case. @returns what to throw */
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
  return new ApiError('too_many_attempts', message, {
    retryAfterS,
  })
}
