/** A turn's failure as the client gets it. */
import { TurnFailed } from '../../actors/turn/turn-failed.ts'
import { ApiError, type ErrorType, knownError } from '../error.ts'

/** What is unexpected is returned as it is: the edge answers it with 500. */
export function chatError(thrown: unknown): unknown {
  if (!(thrown instanceof TurnFailed)) return knownError(thrown) ?? thrown
  const retryAfterS =
    thrown.retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(thrown.retryAfterMs / 1_000))
  return new ApiError({ code: thrown.code, status: thrown.status, type: typeOf(thrown.status) }, thrown.message, {
    param: thrown.param,
    named: thrown.named,
    retryAfterS,
    cause: thrown,
  })
}

function typeOf(status: number): ErrorType {
  if (status === 404) return 'not_found_error'
  if (status === 429) return 'rate_limit_error'
  if (status === 503) return 'overloaded_error'
  if (status === 504) return 'timeout_error'
  return status < 500 ? 'invalid_request_error' : 'api_error'
}
