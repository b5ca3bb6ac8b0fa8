/** What stands before every attempt to sign in: a page of ours, and no more guesses than are allowed. */
import type { Call } from '../../call.ts'
import { ApiError } from '../../error.ts'

/** @param account what is guessed at @throws ApiError 403, 429 */
export function refuseGuessing(call: Call, account: string): void {
  if (call.isFromStrangePage)
    throw new ApiError(403, 'permission_error', 'origin_refused', 'Nobody signs in from pages of this origin.')
  const waitMs = call.app.auth.limit.waitMs(call.clientIp, account)
  if (waitMs === 0) return
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1_000))
  const message = `Too many failed attempts; try again in ${retryAfterS} s.`
  throw new ApiError(429, 'rate_limit_error', 'too_many_attempts', message, {
    headers: { 'retry-after': String(retryAfterS) },
  })
}
