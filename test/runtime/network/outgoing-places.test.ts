/** Every place of the product that opens a connection asks the judge of outgoing addresses, or says here why it need not. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { connectingModules, type Place, placesIn, quietDependencies } from '../../support/outgoing-places.ts'

const root = new URL('../../../', import.meta.url)
const rooms = 'config runtime workers guard store models tools actors http web gateway cli bin'.split(' ')

/** Nobody but an owner says where these go, or they go nowhere: file, what, why. */
const exceptions: Record<string, Record<string, string>> = {
  // The judge itself.
  'runtime/network/resolver.ts': { 'lookup of dns/promises': 'the lookups that the judge asks for' },
  'runtime/network/pinned-connection.ts': {
    'connect of net': 'connects to what the judge has allowed, and to nothing else',
    'connect of tls': 'connects to what the judge has allowed, and to nothing else',
  },
  // Databases.
  'store/postgres/pool.ts': {
    'default of postgres': 'SERVICE_DATABASE_URL, of the environment, or the built-in server',
  },
  'store/postgres/socket.ts': {
    'Socket of net': 'to the servers of SERVICE_DATABASE_URL or SERVICE_DB_QUERY_DSN, or the built-in one',
    'connect of tls': 'over the same',
  },
  'store/untrusted/query.ts': { 'default of postgres': 'SERVICE_DB_QUERY_DSN, which only owners change' },
  // Addresses of settings that only owners change.
  'runtime/telemetry/otel.ts': Object.fromEntries(
    [
      'OTLPLogExporter of @opentelemetry/exporter-logs-otlp-http',
      'OTLPMetricExporter of @opentelemetry/exporter-metrics-otlp-http',
      'OTLPTraceExporter of @opentelemetry/exporter-trace-otlp-http',
      ...['logs', 'metrics', 'NodeSDK', 'resources', 'tracing'].map((name) => `${name} of @opentelemetry/sdk-node`),
    ].map((what) => [what, 'the collector of SERVICE_OTEL_ENDPOINT']),
  ),
  'gateway/bus/nats.ts': { 'connect of @nats-io/transport-node': 'SERVICE_NATS_URL, which only owners change' },
  'gateway/bus/nats-greeting.ts': { 'connect of net': 'SERVICE_NATS_URL, and what that server says of its cluster' },
  // The command line: whoever runs it has the machine.
  'cli/doctor/port.ts': {
    'fetch of the platform': 'the service itself, at its own port',
    'createServer of net': 'tries whether the port is free',
  },
  // Nothing is connected to.
  'actors/channel/adapters/email/notice.ts': {
    'default of nodemailer/lib/mail-composer': 'composes; disableUrlAccess keeps it from fetching',
  },
  'actors/channel/adapters/email/outgoing.ts': {
    'default of nodemailer/lib/mail-composer': 'composes; disableUrlAccess keeps it from fetching',
  },
  'http/auth/passkeys.ts': {
    'all of @simplewebauthn/server':
      'would fetch lists of revoked certificates; attestations with certificates are refused',
    'all of @simplewebauthn/server/helpers': 'decodes',
  },
  'runtime/telemetry/otel-metrics.ts': { 'metrics of @opentelemetry/sdk-node': 'makes what the collector gets' },
  // The browser: a page calls the service that it came from.
  'web/api/call.ts': { 'fetch of the platform': 'the admin API' },
  'web/api/feed-source.ts': { 'EventSource of the platform': 'the feed' },
  'web/pages/conversation/live-answer.ts': { 'EventSource of the platform': 'the feed' },
  'web/pages/log/follow.ts': { 'EventSource of the platform': 'the log' },
}

function sources(): string[] {
  return rooms.flatMap((room) =>
    readdirSync(new URL(`${room}/`, root), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|tsx|js|mjs|cjs)$/.test(entry.name))
      .map((entry) => `${entry.parentPath}/${entry.name}`.slice(root.pathname.length).replaceAll('//', '/'))
      .filter((path) => !/(^|\/)(dist|node_modules)\//.test(path)),
  )
}

const found = sources().flatMap((path) =>
  placesIn(path, readFileSync(new URL(path, root), 'utf8')).map((place) => ({ path, ...place })),
)

const named = ({ path, what, line }: Place & { path: string }) => `${path}:${line} ${what}`

it('no place opens a connection without the judge, except for a reason that is given here', () => {
  const unjudged = found.filter(({ path, what, isJudged }) => !isJudged && exceptions[path]?.[what] === undefined)
  expect(unjudged.map(named)).toEqual([])
})

it('no reason is given for a place that is gone, or that asks the judge', () => {
  const needed = new Set(found.filter(({ isJudged }) => !isJudged).map(({ path, what }) => `${path} ${what}`))
  const given = Object.entries(exceptions).flatMap(([path, whats]) =>
    Object.keys(whats).map((what) => `${path} ${what}`),
  )
  expect(given.filter((each) => !needed.has(each))).toEqual([])
})

it('finds what asks the judge too: channels, mail servers, tools, MCP servers', () => {
  const paths = new Set(found.filter(({ isJudged }) => isJudged).map(({ path }) => path))
  expect([...paths].sort()).toEqual([
    'actors/channel/adapters/chatapp/api.ts',
    'actors/channel/adapters/email/mailbox.ts',
    'actors/channel/adapters/email/submission.ts',
    // Anywhere, the air gap included, but where nobody may call.
    'actors/outbox/signed-post.ts',
    'http/media/scan.ts',
    'models/http/connections.ts',
    'tools/mcp/bounded-fetch.ts',
    'tools/mcp/http-link.ts',
    'tools/net/requester.ts',
  ])
})

it('each dependency is said to connect or not', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const isConnecting = (name: string) =>
    [...connectingModules].some((module) => module === name || module.startsWith(`${name}/`))
  const unsaid = Object.keys(dependencies).filter((name) => !isConnecting(name) && !quietDependencies.includes(name))
  expect(unsaid).toEqual([])
  expect(quietDependencies.filter((name) => dependencies[name] === undefined || isConnecting(name))).toEqual([])
})

it.each([
  ["import { connect } from 'node:net'\nconnect(1, 'x')", 'connect of net'],
  ["import { connect as dial } from 'net'\ndial(1, 'x')", 'connect of net'],
  ["import * as tls from 'node:tls'", 'all of tls'],
  ["import http, { request as ask } from 'node:http'\nask('x')", 'request of http'],
  ["import http from 'node:http'\nhttp.get('x')", 'default of http'],
  ["const { lookup } = await import('node:dns')", 'all of dns'],
  ["createRequire(import.meta.url)('undici')", 'all of undici'],
  ["process.getBuiltinModule('node:dgram')", 'all of dgram'],
  ["export { request } from 'undici'", 'all of undici'],
  ["import { request } from 'undici'\nawait request('x', { method: 'POST' })", 'request of undici'],
  ["import { Agent } from 'undici'\nnew Agent({ connections: 1 })", 'Agent of undici'],
  ["import { Pool } from 'undici'\nnew Pool('x', { connect: { timeout: 1 } })\noutgoing.connector", 'Pool of undici'],
  ["import { Agent } from 'undici'\nnew Agent({ connect: mine })", 'Agent of undici'],
  ["import { request } from 'undici'\nconst ask = request", 'request of undici'],
  ["await fetch('x')", 'fetch of the platform'],
  ['new StreamableHTTPClientTransport(url, { fetch: fetch })', 'fetch of the platform'],
  ["await globalThis.fetch('x')", 'fetch of the platform'],
  ["new WebSocket('x')", 'WebSocket of the platform'],
  ["import { ImapFlow } from 'imapflow'\nnew ImapFlow({ host })", 'ImapFlow of imapflow'],
])('would find %j', (text, what) => {
  expect(placesIn('actors/new.ts', text)).toContainEqual(expect.objectContaining({ what, isJudged: false }))
})

it.each([
  "import { isIP, BlockList } from 'node:net'\nisIP('x')",
  "import type { Socket } from 'node:net'\nlet socket: Socket",
  "import { type Socket, isIP } from 'node:net'",
  'const fetch = () => 1\nfetch()',
  "// await fetch('x')\nconst text = 'fetch(x)'",
  'const one = { fetch: 1 }\none.fetch',
])('lets %j pass', (text) => {
  expect(placesIn('actors/new.ts', text)).toEqual([])
})
