/**
 * A line for callers who were refused: an unknown credential, a missing permission, too many requests. Of one caller the
 * first in a quarter of an hour for each route, and a few a minute in all, so that no flood fills the log.
 */
import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import type { Principal } from '../access.ts'
import { clientNetwork } from '../auth/client-network.ts'
import { refusalAudit } from '../auth/refusal-audit.ts'
import type { ApiError } from '../error.ts'
import type { Route } from '../route.ts'
import type { Exchange } from '../server/exchange.ts'

export interface RefusedCaller {
  exchange: Exchange
  route: Route
  error: ApiError
  /** Undefined: nobody knows who it was. */
  principal: Principal | undefined
}

export type RefusalLog = (refused: RefusedCaller) => void

export function refusalLog(log: Log, clock: Clock): RefusalLog {
  const { shouldRecord } = refusalAudit(clock)
  return ({ exchange, route, error, principal }) => {
    // A lack of room is no decision about the caller.
    if (error.status >= 500) return
    const { requestId, clientIp: ip } = exchange
    const caller = principal && (principal.operator?.login ?? principal.keyId ?? principal.kind)
    if (!shouldRecord(`${caller ?? clientNetwork(ip)} ${error.code} ${caller ? `${route.method} ${route.path}` : ''}`))
      return
    const line = { request_id: requestId, code: error.code, method: route.method, route: route.path, ip }
    log.info({ ...line, caller: caller ?? 'nobody' }, 'a caller was refused')
  }
}
