/** What stands before every attempt to sign in: a page of ours, and no more guesses than are allowed. Failed ones are written down. */
import { type AuditActor, writeAudit } from '../../../store/audit.ts'
import type { OperatorId } from '../../../store/id.ts'
import type { Call } from '../../call.ts'
import { ApiError } from '../../error.ts'
import { defaultWorkspace } from './default-workspace.ts'

/** @param account what is guessed at @throws ApiError 403, 429 */
export function refuseGuessing(call: Call, account: string): void {
  if (call.isFromStrangePage)
    throw new ApiError(403, 'permission_error', 'origin_refused', 'Nobody signs in from pages of this origin.')
  refuseFor(call.app.auth.limit.waitMs(call.clientIp, account))
}

/** As `refuseGuessing`, and the attempt counts while it is under way. @throws ApiError 403, 429, and what `attempt` throws */
export async function guessing<Result>(call: Call, account: string, attempt: () => Promise<Result>): Promise<Result> {
  refuseGuessing(call, account)
  const decided = call.app.auth.limit.enter(call.clientIp, account)
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
export function refuseGuessingCodes(call: Call, operator: OperatorId): void {
  const codes = codesOf(operator)
  refuseFor(call.app.auth.limit.waitMs(codes, codes))
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
  actor: AuditActor = nobody(call),
): Promise<void> {
  call.app.auth.limit.failed(call.clientIp, failure.account)
  await writeDown(call, failure, actor)
}

/** In a transaction of its own: what it is about was refused, and nothing was changed. */
export async function writeDown(
  { app }: Call,
  { action, target }: { action: string; target: string },
  actor: AuditActor,
): Promise<void> {
  await app.db.transaction(actor.workspaceId, (query) => writeAudit(query, { actor, action, target }))
}

/** Whoever is not signed in, in the audit log. */
export function nobody({ app, clientIp, requestId }: Call): AuditActor {
  return { workspaceId: defaultWorkspace(app), name: 'nobody', ip: clientIp, requestId }
}

/** In capitals: no login has any, so nobody can guess at a login of this name. */
const codesOf = (operator: OperatorId): string => `CODES OF ${operator}`

function refuseFor(waitMs: number): void {
  if (waitMs === 0) return
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1_000))
  const message = `Too many failed attempts; try again in ${retryAfterS} s.`
  throw new ApiError(429, 'rate_limit_error', 'too_many_attempts', message, {
    headers: { 'retry-after': String(retryAfterS) },
  })
}
