/** Streams and sockets under the credential that opened them: ended with it, and not only refused the next time. */
import type { Principal } from '../access.ts'
import { EventStreamReply, RawStreamReply, WebSocketReply } from '../answer.ts'
import type { App } from '../app.ts'
import { credentialOf, revalidate } from '../auth/credential.ts'
import type { LiveAnswer } from '../auth/live-credentials.ts'
import type { Route } from '../route.ts'
import type { Exchange } from '../server/exchange.ts'
import type { SocketHandlers } from '../server/web-socket.ts'
import { isStillPermitted } from './admission.ts'
import { mayStillIssue } from './ticket-principal.ts'

export interface AdmittedRequest {
  app: App
  route: Route
  principal: Principal
  /** Of `standing`, when the credential was judged. */
  since: number
}

/** RFC 6455, 7.4.1: the service's policy says no. */
const policyViolation = 1008

/**
 * @param letGoWith takes what lets go of a stream; to be called when the exchange is over
 * @returns the answer to send: a socket lets go of itself
 */
export function endWithCredential(
  exchange: Exchange,
  admitted: AdmittedRequest,
  answer: unknown,
  letGoWith: (letGo: () => void) => void,
): unknown {
  const { liveCredentials: standing } = admitted.app.auth
  if (answer instanceof WebSocketReply) {
    const held = heldBy(admitted)
    const hold = (end: () => void) => standing.hold({ ...held, end }, admitted.since)
    return new WebSocketReply(heldSocket(answer.handlers, hold))
  }
  const isStream = answer instanceof EventStreamReply || answer instanceof RawStreamReply
  // Cut, so that nobody takes the part for the whole.
  if (isStream && exchange.isOpen)
    letGoWith(standing.hold({ ...heldBy(admitted), end: () => exchange.cutStream() }, admitted.since))
  return answer
}

function heldBy({ app, route, principal }: AdmittedRequest): Omit<LiveAnswer, 'end'> {
  const credential = credentialOf(principal)
  return {
    path: route.path,
    credential: `${credential.kind} ${credential.digest}`,
    findPrincipal: () => revalidate(app, credential),
    isStillPermitted: (now) =>
      principal.kind === 'ticket'
        ? mayStillIssue(app, now, principal)
        : now.workspaceId === principal.workspaceId && isStillPermitted(app, route.access, now),
  }
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
