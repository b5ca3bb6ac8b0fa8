/** Streams and sockets end with the credential that opened them: they are not only refused the next time. */
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
  /** Of the live credentials, when this one was judged. */
  generation: number
}

/** RFC 6455, 7.4.1: the service's policy forbids it. */
const policyViolation = 1008

/**
 * A stream whose credential ends is cut, so that nobody takes the part for the whole.
 * @returns to be called when the exchange is over
 */
export function endStreamWithCredential(exchange: Exchange, admitted: AdmittedRequest): () => void {
  return watchCredential(admitted, () => exchange.cutStream())
}

/** @returns a socket that its credential closes; it stops watching the credential by itself */
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
