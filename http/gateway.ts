/** The HTTP side of the gateway: one server, one edge, one route table. */
import { alone, type ProcessPlace, shareOf } from '../runtime/supervise/messages.ts'
import type { App } from './app.ts'
import { Edge } from './edge/edge.ts'
import type { EdgePolicy } from './edge/policy.ts'
import type { FaceOfPrefix } from './error-face.ts'
import type { Route } from './route.ts'
import { createHttpServer, type HttpServer } from './server/http-server.ts'

/** Half-received bodies of all connections together. */
const bodiesBytesMaxByDefault = 128 * 1_048_576

export interface HttpGatewayOptions {
  app: App
  routes: readonly Route[]
  policy: () => EdgePolicy
  connectionsMax: number
  streamBytesMax: number
  bodiesBytesMax?: number
  /** One of several processes that share the port and these bounds. */
  place?: ProcessPlace | undefined
  /** How failures below some paths look; by default as the envelope. */
  faces?: readonly FaceOfPrefix[]
}

export interface HttpGateway {
  /** `listen` opens it. */
  readonly server: HttpServer
  /** What every request goes through before and after its handler. */
  readonly edge: Edge
}

export function createHttpGateway(options: HttpGatewayOptions): HttpGateway {
  const { app, routes, policy, place = alone } = options
  const edge = new Edge({ app, routes, policy, faces: options.faces })
  const server = createHttpServer({
    clock: app.clock,
    connectionsMax: shareOf(options.connectionsMax, place),
    isSharedAddress: (address) => policy().isTrustedProxy(address),
    bodiesBytesMax: shareOf(options.bodiesBytesMax ?? bodiesBytesMaxByDefault, place),
    streamBytesMax: options.streamBytesMax,
    handler: edge,
    place,
  })
  return { server, edge }
}
