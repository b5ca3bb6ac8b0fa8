/** Ends open streams and sockets when the credential that opened them ends. */
import type { Principal } from '../access.ts'
import { type WebSocketReply, webSocket } from '../answer.ts'
import type { App } from '../app.ts'
import { credentialOf } from '../auth/credential.ts'
import type { LiveAnswer } from '../auth/live-credentials.ts'
import { revalidate } from '../auth/revalidate.ts'
import type { Route } from '../route.ts'
import type { Exchange } from '../server/exchange.ts'
import { isStillPermitted } from './admission.ts'
import { mayStillIssue } from './ticket-principal.ts'

export interface AdmittedRequest {
  app: App
  route: Route
  principal: Principal
  /** Of the live credentials, when this one was authenticated. */
  generation: number
}

/** RFC 6455, 7.4.1: the service's policy forbids it. */
const policyViolation = 1008

/**
 * The stream is ended by closing its connection, so that the client sees that it is incomplete.
 * @returns to be called when the exchange is over
 */
export function endStreamWithCredential(exchange: Exchange, admitted: AdmittedRequest): () => void {
  return watchCredential(admitted, () => exchange.cutStream())
}

/** @returns a socket that is closed when its credential ends */
export function endSocketWithCredential({ handlers }: WebSocketReply, admitted: AdmittedRequest): WebSocketReply {
  let stopWatching = () => {}
  return webSocket({
    open(connection) {
      stopWatching = watchCredential(admitted, () => connection.close(policyViolation, 'the credential has ended'))
      handlers.open(connection)
    },
    message: (text) => handlers.message(text),
    drained: () => handlers.drained(),
    closed() {
      stopWatching()
      handlers.closed()
    },
  })
}

function watchCredential({ app, route, principal, generation }: AdmittedRequest, end: () => void): () => void {
  const credential = credentialOf(principal)
  const answer: LiveAnswer = {
    path: route.path,
    credential: `${credential.kind} ${credential.digest}`,
    findPrincipal: () => revalidate(app, credential),
    isStillPermitted: (current) =>
      principal.kind === 'ticket'
        ? mayStillIssue(app, current, principal)
        : current.workspaceId === principal.workspaceId && isStillPermitted(app, route.access, current),
    end,
  }
  return app.auth.liveCredentials.watch(answer, generation)
}
