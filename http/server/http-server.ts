/** The adapter around uWebSockets.js: listens, counts connections, catches every throw of a callback, drains and closes. */
import './header-limit.ts'
import * as library from 'uWebSockets.js'
import {
  App,
  type HttpRequest,
  type HttpResponse,
  type TemplatedApp,
  type us_listen_socket,
  us_listen_socket_close,
  us_socket_local_port,
} from 'uWebSockets.js'
import { deadlines } from '../../runtime/actor/deadlines.ts'
import { Failure } from '../../runtime/failure.ts'
import { alone, type ProcessPlace } from '../../runtime/supervise/messages.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { clientNetwork } from '../auth/client-network.ts'
import { BodyRoom } from './body.ts'
import { connectionShares, openByKernel } from './connection-shares.ts'
import { Exchange, type ExchangeServer, type RequestHandler } from './exchange.ts'
import type { ListenAddress } from './listen-address.ts'
import { RequestHead } from './request-head.ts'
import { socketBehavior, type UpgradeOffer } from './web-socket.ts'

export interface HttpServerOptions<Note> {
  clock: Clock
  connectionsMax: number
  /** Where many clients come from one address, as from a proxy: half of the connections is not its bound. */
  isSharedAddress?(address: string): boolean
  /** Bytes of half-received bodies over all connections. */
  bodiesBytesMax: number
  /** Bytes that may wait for one slow reader of an event stream. */
  streamBytesMax: number
  handler: RequestHandler<Note>
  /** One of several processes that share the ports; `connectionsMax` is its own. */
  place?: ProcessPlace | undefined
}

export interface HttpServer {
  /** @returns the port that was bound. @throws PortTaken */
  listen(address: ListenAddress): number
  readonly connections: number
  /** Connections closed at once because `connectionsMax` were open, or half of them from one network. */
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

class PortTaken extends Failure {
  readonly code = 'port_taken'
  constructor(address: ListenAddress) {
    super(`cannot listen on ${address.host || '*'}:${address.port}; another process may hold the port`)
  }
}
/** In the library, but not in its types: answers no longer name it in a header. */
;(library as object as { _cfg(name: 'silent'): void })._cfg('silent')

/** The ports of several processes are known before they start. */
class PortMissing extends Failure {
  readonly code = 'port_taken'
  constructor() {
    super('port 0 would be another one in each process: several need a port of their own choice')
  }
}

const exclusivePort = 1 // LIBUS_LISTEN_EXCLUSIVE_PORT
const sharedPort = 0 // SO_REUSEPORT: the kernel gives each connection to one of those that listen

/** In the library, but not in its types. */
interface ListensWithOptions {
  listen(host: string, port: number, options: number, bound: (socket: us_listen_socket | false) => void): unknown
}

export function createHttpServer<Note>(options: HttpServerOptions<Note>): HttpServer {
  const { handler, clock, streamBytesMax, place = alone } = options
  const listening: us_listen_socket[] = []
  const ports = new Set<number>()
  const shares = connectionShares({
    clock,
    connectionsMax: options.connectionsMax,
    // The kernel counts those of all.
    shareMax: (options.connectionsMax * place.of) / 2,
    networkOf: clientNetwork,
    isExempt: (address) => options.isSharedAddress?.(address) ?? false,
    open: () => openByKernel(ports, clientNetwork),
  })
  let connections = 0
  let refused = 0
  let running = 0
  let idle: (() => void) | undefined
  let closing: Promise<void> | undefined

  const shared: ExchangeServer<Note> & { isDraining: boolean } = {
    handler,
    bodies: new BodyRoom(options.bodiesBytesMax),
    streamBytesMax,
    deadlines: deadlines(clock, 250),
    isDraining: false,
    exchangeEnded() {
      running--
      if (running === 0) idle?.()
    },
  }

  const held: Held = {
    callbacks: { accept, countConnection, socketBroke: (error) => handler.socketBroke(error) },
  }
  const app = appThatCalls(held, streamBytesMax)

  function accept(response: HttpResponse, request: HttpRequest, offer?: UpgradeOffer): void {
    // The exchange attaches the abort handler first: returning without one ends the process.
    const exchange = new Exchange(response, new RequestHead(request), shared, offer)
    running++
    try {
      if (exchange.head.isAmbiguous) exchange.close()
      else handler.request(exchange, request)
    } catch (error) {
      handler.broke(exchange, error)
    }
  }

  /** Without a cap the accept loop spins once the process is out of file descriptors. */
  function countConnection(response: HttpResponse, change: number): void {
    connections += change
    if (change < 0) return
    const address = Buffer.from(response.getRemoteAddressAsText()).toString('latin1')
    if (connections <= options.connectionsMax && shares.admits(address, connections)) return
    refused++
    response.close()
  }

  function drain(): void {
    shared.isDraining = true
    for (const socket of listening.splice(0)) us_listen_socket_close(socket)
  }

  function bind(address: ListenAddress, options: number): us_listen_socket {
    let socket: us_listen_socket | false = false
    const bound = (opened: us_listen_socket | false) => {
      socket = opened
    }
    if (address.host === '') app.listen(address.port, options, bound)
    else (app as object as ListensWithOptions).listen(address.host, address.port, options, bound)
    if (!socket) throw new PortTaken(address)
    return socket
  }

  async function closeWithin(graceMs: number): Promise<void> {
    drain()
    if (running > 0) {
      await new Promise<void>((resolve) => {
        const timer = clock.after(graceMs, resolve)
        idle = () => {
          timer.cancel()
          // One turn later: the last answer is still being written to the socket.
          setImmediate(resolve)
        }
      })
    }
    app.close()
    held.callbacks = undefined
  }

  return {
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
      return shared.bodies.bytes
    },
    get isDraining() {
      return shared.isDraining
    },
    listen(address) {
      if (place.of > 1 && address.port === 0) throw new PortMissing()
      // Another service of the same user could have shared the port unseen.
      if (place.of > 1 && place.isFirst) us_listen_socket_close(bind(address, exclusivePort))
      const socket = bind(address, place.of > 1 ? sharedPort : exclusivePort)
      listening.push(socket)
      const port = us_socket_local_port(socket)
      ports.add(port)
      return port
    },
    drain,
    close(graceMs) {
      closing ??= closeWithin(graceMs)
      return closing
    },
  }
}

/** The library keeps what it was given for as long as the process lives: with these taken out, the server's memory is free. */
interface Held {
  callbacks: Callbacks | undefined
}

interface Callbacks {
  accept(response: HttpResponse, request: HttpRequest, offer?: UpgradeOffer): void
  countConnection(response: HttpResponse, change: number): void
  socketBroke(error: unknown): void
}

function appThatCalls(held: Held, bytesWaitingMax: number): TemplatedApp {
  const app = App()
  app.filter((response, change) => held.callbacks?.countConnection(response, change))
  app.ws('/*', {
    ...socketBehavior({ bytesWaitingMax, broke: (error) => held.callbacks?.socketBroke(error) }),
    upgrade: (response, request, context) => held.callbacks?.accept(response, request, offerOf(request, context)),
  })
  app.any('/*', (response, request) => held.callbacks?.accept(response, request))
  return app
}

function offerOf(request: HttpRequest, context: unknown): UpgradeOffer {
  return {
    key: request.getHeader('sec-websocket-key'),
    protocol: '',
    extensions: request.getHeader('sec-websocket-extensions'),
    context,
  }
}
