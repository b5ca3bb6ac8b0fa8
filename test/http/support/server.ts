/** A gateway on a free port with routes of the test's own, and stand-ins for the rooms that the test is not about. */

import type { Principal } from '../../../http/access.ts'
import type { App } from '../../../http/app.ts'
import { bindCredential } from '../../../http/auth/credential.ts'
import type { KeyRing } from '../../../http/auth/key-ring.ts'
import { keyDigest } from '../../../http/auth/key-text.ts'
import { liveCredentials } from '../../../http/auth/live-credentials.ts'
import type { RateLimiter } from '../../../http/auth/rate-limiter.ts'
import type { Edge } from '../../../http/edge/edge.ts'
import { openLargeJson } from '../../../http/edge/large-json.ts'
import { type EdgePolicy, securityHeaders } from '../../../http/edge/policy.ts'
import { ApiError } from '../../../http/error.ts'
import type { FaceOfPrefix } from '../../../http/error-face.ts'
import { createHttpGateway } from '../../../http/gateway.ts'
import type { Route } from '../../../http/route.ts'
import type { HttpServer } from '../../../http/server/http-server.ts'
import { clientLogLimit } from '../../../http/system/client-log-limit.ts'
import { noTracer, type Tracer } from '../../../runtime/telemetry/trace.ts'
import { type Clock, systemClock } from '../../../runtime/time/clock.ts'
import { firstWorkspaceId, newApiKeyId } from '../../../store/id.ts'
import { ownerId } from '../../../store/owner-id.ts'
import type { Scope } from '../../../store/scopes.ts'
import { type RecordedLine, recordingLog } from '../../support/recording-log.ts'

export interface TestGateway {
  gateway: HttpServer
  edge: Edge
  port: number
  url: string
  lines: RecordedLine[]
  stop(): Promise<void>
}

export interface TestGatewayOptions {
  policy?: Partial<EdgePolicy>
  clock?: Clock
  tracer?: Tracer
  connectionsMax?: number
  streamBytesMax?: number
  bodiesBytesMax?: number
  faces?: readonly FaceOfPrefix[]
  logLevel?: string
  keys?: KeyRing
  limits?: RateLimiter
  app?: Partial<App>
}

export const calmPolicy: EdgePolicy = {
  origins: new Set(),
  isTrustedProxy: () => false,
  isSecureRequired: false,
  publicOrigin: undefined,
  uiPort: undefined,
  ownNames: new Set(),
  arePersonalKeysAllowed: true,
  securityHeaders: securityHeaders(''),
  deadlineMs: 30_000,
}

export function principal(...scopes: Scope[]): Principal {
  return {
    kind: 'service',
    keyId: newApiKeyId(),
    workspaceId: firstWorkspaceId,
    owner: ownerId('key', 'test'),
    scopes: new Set(scopes),
    rateLimitRpm: null,
    expiresAtMs: null,
  }
}

/** Knows the keys it is given, at once or later. */
export function fixedKeys(known: Record<string, Principal>, isLater = false): KeyRing {
  for (const [bearer, one] of Object.entries(known)) bindCredential({ kind: 'key', digest: keyDigest(bearer) }, one)
  const refused = new ApiError('unauthorized', 'Unknown key.')
  return {
    authenticate(bearer) {
      const found = known[bearer] ?? refused
      return isLater ? Promise.resolve(found) : found
    },
    currentPrincipal: async (digest) => Object.entries(known).find(([bearer]) => keyDigest(bearer) === digest)?.[1],
    forget() {},
    close() {},
  }
}

export async function testGateway(routes: readonly Route[], options: TestGatewayOptions = {}): Promise<TestGateway> {
  const { log, lines } = recordingLog(options.logLevel ?? 'debug')
  const clock = options.clock ?? systemClock
  const largeJson = openLargeJson({ clock, log })
  const open = liveCredentials({ clock, log, onChange: () => () => {} })
  const app = {
    log,
    clock,
    auth: { liveCredentials: open },
    tracer: options.tracer ?? noTracer,
    keys: options.keys ?? fixedKeys({}),
    limits: options.limits ?? { take: () => undefined },
    clientLogLimit: clientLogLimit(clock),
    largeJson,
    version: '0.0.0-test',
    ...options.app,
  } as unknown as App
  const policy = { ...calmPolicy, ...options.policy }
  const { server: gateway, edge } = createHttpGateway({
    app,
    routes,
    policy: () => policy,
    connectionsMax: options.connectionsMax ?? 10_000,
    streamBytesMax: options.streamBytesMax ?? 262_144,
    ...(options.faces && { faces: options.faces }),
    ...(options.bodiesBytesMax !== undefined && { bodiesBytesMax: options.bodiesBytesMax }),
  })
  const port = gateway.listen({ host: '127.0.0.1', port: 0 })
  async function stop(): Promise<void> {
    open.close()
    await gateway.close(0)
    await largeJson.close()
  }
  return { gateway, edge, port, url: `http://127.0.0.1:${port}`, lines, stop }
}
