/** The HTTP side of the process: one server, one edge, one route table. */
import type { App } from './app.ts'
import { Edge, type EdgeCounts } from './edge/edge.ts'
import type { EdgePolicy } from './edge/policy.ts'
import type { Route } from './route.ts'
import { createHttpServer, type HttpServer } from './server/http-server.ts'

/** Half-received bodies of all connections together. */
const bodiesBytesMaxByDefault = 128 * 1_048_576

export interface GatewayOptions {
  app: App
  routes: readonly Route[]
  policy: () => EdgePolicy
  connectionsMax: number
  streamBytesMax: number
  bodiesBytesMax?: number
}

/** A server whose edge judges every request; `listen` opens it. */
export interface Gateway extends HttpServer {
  readonly counts: EdgeCounts
}

export function createGateway(options: GatewayOptions): Gateway {
  const { app, routes, policy } = options
  const edge: Edge = new Edge({ app, routes, policy, server: () => server })
  const server = createHttpServer({
    clock: app.clock,
    connectionsMax: options.connectionsMax,
    bodiesBytesMax: options.bodiesBytesMax ?? bodiesBytesMaxByDefault,
    streamBytesMax: options.streamBytesMax,
    handler: edge,
  })
  return Object.defineProperty(server, 'counts', { get: () => edge.counts }) as Gateway
}
