/** The connections to one endpoint, and a bound on the calls that use them at once. */
import { buildConnector, type Dispatcher, Pool } from 'undici'
import { addressKind } from '../../runtime/network/addresses.ts'
import { refusedAddress } from '../../runtime/network/judge.ts'
import { ModelError } from '../errors.ts'

/** One connection a call: a stream keeps its connection to the end. Turns are bounded elsewhere; this is the last limit. */
const callsMaxByDefault = 4_096

const connectTimeoutMs = 10_000

/** Below the 5 s after which common servers close an idle connection, so that a call rarely meets one on its way out. */
const keepAliveMs = 4_000

/** The most that a server's own Keep-Alive header can make of it. */
const keepAliveMsMax = 60_000

export interface Connections {
  readonly dispatcher: Dispatcher
  /** A call begins. @throws ModelError `calls_full`, `transport_closed` */
  enter(): void
  leave(): void
  /** Refuses new calls; resolves when those under way have ended and the connections are closed. */
  close(): Promise<void>
}

export function connectionsTo(origin: string, callsMax = callsMaxByDefault): Connections {
  const pool = new Pool(origin, {
    connections: callsMax,
    pipelining: 1,
    // Over HTTP/2 all streams would share one socket, and one slow reader would hold up the rest.
    allowH2: false,
    connect: refusingNever(buildConnector({ timeout: connectTimeoutMs, allowH2: false })),
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMsMax,
  })
  let calls = 0
  let isClosed = false
  const idle = Promise.withResolvers<void>()
  return {
    dispatcher: pool,
    enter() {
      if (isClosed) throw new ModelError('transport_closed', 'the service is stopping, or the endpoint was changed')
      if (calls >= callsMax)
        throw new ModelError('calls_full', `${callsMax} calls to the model endpoint are under way`, {
          retryAfterMs: 1_000,
        })
      calls++
    },
    leave() {
      calls--
      if (isClosed && calls === 0) idle.resolve()
    },
    async close() {
      isClosed = true
      if (calls > 0) await idle.promise
      if (!pool.closed && !pool.destroyed) await pool.close()
    },
  }
}

/**
 * Endpoints may be anywhere, but at addresses that nobody may call, such as a cloud's metadata service: seen on the socket,
 * before anything of a request is sent.
 */
export function refusingNever(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    connect(target, (...[error, socket]) => {
      if (error) callback(error, null)
      else if (addressKind(socket.remoteAddress ?? '') !== 'never') callback(null, socket)
      else {
        socket.destroy()
        callback(refusedAddress(target.hostname), null)
      }
    })
}
