/** Streams and sockets under the credential that opened them: ended with it, and not only refused the next time. */
import { isPermitted, type Principal } from '../access.ts'
import { EventStreamReply, RawStreamReply, WebSocketReply } from '../answer.ts'
import type { App } from '../app.ts'
import type { Route } from '../route.ts'
import type { Exchange } from '../server/exchange.ts'
import type { SocketHandlers } from '../server/web-socket.ts'
import { bearerOf } from './credential.ts'
import { isSecure } from './own-origin.ts'
import type { EdgePolicy } from './policy.ts'

export interface Admitted {
  app: App
  route: Route
  principal: Principal
  policy: EdgePolicy
  /** Of `standing`, when the credential was judged. */
  since: number
}

/** RFC 6455, 7.4.1: the service's policy says no. */
const policyViolation = 1008

/**
 * @param letGoWith takes what lets go of a stream; to be called when the exchange is over
 * @returns the answer to send: a socket lets go of itself
 */
export function whileAdmitted(
  exchange: Exchange,
  admitted: Admitted,
  answer: unknown,
  letGoWith: (letGo: () => void) => void,
): unknown {
  // A ticket is no credential that could be taken back: it ends by itself, within the hour, and what it opened stays open.
  if (admitted.principal.kind === 'ticket') return answer
  const { standing } = admitted.app.auth
  const isStill = () => isStillAdmitted(exchange, admitted)
  if (answer instanceof WebSocketReply) {
    const hold = (end: () => void) => standing.hold({ isStill, end }, admitted.since)
    return new WebSocketReply(heldSocket(answer.handlers, hold))
  }
  const isStream = answer instanceof EventStreamReply || answer instanceof RawStreamReply
  // Cut, so that nobody takes the part for the whole.
  if (isStream && exchange.isOpen)
    letGoWith(standing.hold({ isStill, end: () => exchange.cutStream() }, admitted.since))
  return answer
}

function heldSocket(handlers: SocketHandlers, hold: (end: () => void) => () => void): SocketHandlers {
  let letGo = () => {}
  return {
    open(connection) {
      letGo = hold(() => connection.close(policyViolation, 'the credential has ended'))
      handlers.open(connection)
    },
    message: (text) => handlers.message(text),
    drained: () => handlers.drained(),
    closed() {
      letGo()
      handlers.closed()
    },
  }
}

async function isStillAdmitted(exchange: Exchange, { app, route, principal, policy }: Admitted): Promise<boolean> {
  const { access } = route
  if (access.kind === 'open' || access.kind === 'inbound') return true
  const { head } = exchange
  const bearer = bearerOf(head.authorization)
  const token = bearer === undefined ? app.auth.cookie.read(head.cookie, isSecure(exchange, policy)) : undefined
  const now =
    bearer === undefined ? token !== undefined && (await app.auth.sessions.look(token)) : await app.keys.look(bearer)
  return now ? now.workspaceId === principal.workspaceId && isPermitted(now, access) : false
}
