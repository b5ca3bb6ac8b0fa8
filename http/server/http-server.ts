/** The adapter around uWebSockets.js: listens, counts connections, fences every callback, drains and closes. */
import './header-limit.ts'
import {
  App,
  type HttpRequest,
  type HttpResponse,
  type us_listen_socket,
  us_listen_socket_close,
  us_socket_local_port,
} from 'uWebSockets.js'
import { type Deadlines, deadlines } from '../../runtime/actor/deadlines.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import type { BodyBudget } from './body.ts'
import { Exchange, type ExchangeHooks, type Outcome } from './exchange.ts'
import type { ListenAddress } from './listen-address.ts'
import { RequestHead } from './request-head.ts'
import { socketBehavior, type UpgradeOffer } from './web-socket.ts'

/** Reads headers that only some routes want; usable only while the request callback runs. */
export interface MoreHeaders {
  get(lowerCaseName: string): string
}

/** Who answers. None of these may be called again for an exchange that has finished. */
export interface RequestHandler {
  request(exchange: Exchange, more: MoreHeaders): void
  /** Something threw that nobody expected. Must not throw itself. */
  broke(exchange: Exchange, error: unknown): void
  expired(exchange: Exchange): void
  clientIp(remoteAddress: string, forwardedFor: string): string
  finished(exchange: Exchange, outcome: Outcome): void
  /** Something threw in a handler of a WebSocket, which ends with that. */
  socketBroke(error: unknown): void
}

export interface HttpServerOptions {
  clock: Clock
  connectionsMax: number
  /** Bytes of half-received bodies over all connections. */
  bodiesBytesMax: number
  /** Bytes that may wait for one slow reader of an event stream. */
  streamBytesMax: number
  handler: RequestHandler
}

export interface HttpServer {
  /** @returns the port that was bound. @throws PortTaken */
  listen(address: ListenAddress): number
  /** Calls `exchange.expire()` within a quarter of a second after `delayMs`, unless it finished before. */
  readonly deadlines: Deadlines
  readonly connections: number
  /** Connections closed at once because `connectionsMax` were open. */
  readonly refused: number
  /** Exchanges that are not finished. */
  readonly running: number
  readonly bodyBytes: number
  readonly isDraining: boolean
  /** No new connections; every answer from now on closes its connection. */
  drain(): void
  /** Drains, waits at most `graceMs` for running exchanges, then closes what is left. Idempotent. */
  close(graceMs: number): Promise<void>
}

class PortTaken extends Error {
  override readonly name = 'PortTaken'
  readonly code = 'port_taken'
  constructor(address: ListenAddress) {
    super(`cannot listen on ${address.host || '*'}:${address.port}; another process may hold the port`)
  }
}

const exclusivePort = 1 // LIBUS_LISTEN_EXCLUSIVE_PORT: some builds let two processes share a port and split its clients

/** In the library, but not in its types. */
interface ListensExclusively {
  listen(host: string, port: number, options: number, bound: (socket: us_listen_socket | false) => void): unknown
}

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { handler, clock } = options
  const bodies: BodyBudget = { bytesMax: options.bodiesBytesMax, bytes: 0 }
  const requestDeadlines = deadlines(clock, 250)
  const listening: us_listen_socket[] = []
  let connections = 0
  let refused = 0
  let running = 0
  let isDraining = false
  let idle: (() => void) | undefined
  let closing: Promise<void> | undefined

  const hooks: ExchangeHooks = {
    bodies,
    streamBytesMax: options.streamBytesMax,
    get isClosing() {
      return isDraining
    },
    broke: (exchange, error) => handler.broke(exchange, error),
    expired: (exchange) => handler.expired(exchange),
    clientIp: (remoteAddress, forwardedFor) => handler.clientIp(remoteAddress, forwardedFor),
    finished(exchange, outcome) {
      running--
      handler.finished(exchange, outcome)
      if (running === 0) idle?.()
    },
  }

  const app = App()
  app.filter(countConnection)
  app.ws('/*', {
    ...socketBehavior({ bytesWaitingMax: options.streamBytesMax, broke: (error) => handler.socketBroke(error) }),
    upgrade: (response, request, context) => accept(response, request, offerOf(request, context)),
  })
  app.any('/*', (response, request) => accept(response, request))

  function accept(response: HttpResponse, request: HttpRequest, offer?: UpgradeOffer): void {
    // The exchange attaches the abort handler before anything can throw: returning without one ends the process.
    const exchange = new Exchange(response, new RequestHead(request), hooks, offer)
    running++
    try {
      if (exchange.head.isAmbiguous) exchange.close()
      else handler.request(exchange, { get: (name) => request.getHeader(name) })
    } catch (error) {
      handler.broke(exchange, error)
    }
  }

  /** Without a cap the accept loop spins once the process is out of file descriptors. */
  function countConnection(response: HttpResponse, change: number): void {
    connections += change
    if (change < 0 || connections <= options.connectionsMax) return
    refused++
    response.close()
  }

  function drain(): void {
    isDraining = true
    for (const socket of listening.splice(0)) us_listen_socket_close(socket)
  }

  async function closeWithin(graceMs: number): Promise<void> {
    drain()
    if (running > 0) {
      await new Promise<void>((resolve) => {
        const timer = clock.after(graceMs, resolve)
        idle = () => {
          timer.cancel()
          // One turn later: the answer that made us idle is still on its way through the socket.
          setImmediate(resolve)
        }
      })
    }
    app.close()
  }

  return {
    deadlines: requestDeadlines,
    get connections() {
      return connections
    },
    get refused() {
      return refused
    },
    get running() {
      return running
    },
    get bodyBytes() {
      return bodies.bytes
    },
    get isDraining() {
      return isDraining
    },
    listen(address) {
      let socket: us_listen_socket | false = false
      const bound = (opened: us_listen_socket | false) => {
        socket = opened
      }
      if (address.host === '') app.listen(address.port, exclusivePort, bound)
      else (app as object as ListensExclusively).listen(address.host, address.port, exclusivePort, bound)
      if (!socket) throw new PortTaken(address)
      listening.push(socket)
      return us_socket_local_port(socket)
    },
    drain,
    close(graceMs) {
      closing ??= closeWithin(graceMs)
      return closing
    },
  }
}

function offerOf(request: HttpRequest, context: unknown): UpgradeOffer {
  return {
    key: request.getHeader('sec-websocket-key'),
    protocol: '',
    extensions: request.getHeader('sec-websocket-extensions'),
    context,
  }
}
