/** The whole gateway in this process, on a database and a port of its own, with a scripted model behind it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GatewayOptions, type RunningGateway, startGateway } from '../../gateway/gateway.ts'
import { msgpack } from '../../runtime/actor/codec.ts'
import type { Log } from '../../runtime/log/log.ts'
import { createMetrics } from '../../runtime/telemetry/metrics.ts'
import { type Database, openDatabase } from '../../store/database.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { freshAddress } from './database.ts'
import { type ModelEndpoint, modelEndpoint } from './model-endpoint.ts'
import { loopbackNetworks } from './outgoing.ts'
import { type RecordedLine, recordingLog } from './recording-log.ts'

export const testKey = 'sk-test-key-of-the-first-start'

export interface GatewayUnderTest {
  gateway: RunningGateway
  url: string
  endpoint: ModelEndpoint
  /** A second way into the gateway's database. */
  db: Database
  address: DatabaseAddress
  lines: RecordedLine[]
  /** What the service logs to. */
  log: Log
  /** POST with the test's key. */
  post(path: string, body: unknown, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>
  get(path: string, headers?: Record<string, string>): Promise<Response>
  stop(): Promise<void>
}

export interface GatewayUnderTestOptions {
  /** A database of the test's own; none: a fresh one. */
  address?: DatabaseAddress
  replaced?: GatewayOptions['replaced']
  /** The node of a start that counts as killed. */
  replaces?: number
  bus?: GatewayOptions['bus']
  onDrainAsked?: () => void
}

export async function gatewayUnderTest(
  environment: Record<string, string> = {},
  options: GatewayUnderTestOptions = {},
): Promise<GatewayUnderTest> {
  const endpoint = await modelEndpoint()
  const fresh = options.address ? { address: options.address, async drop() {} } : await freshAddress()
  const dataDir = await mkdtemp(join(tmpdir(), 'gateway-'))
  const { log, lines, tail } = recordingLog()
  const metrics = createMetrics()
  const gateway = await startGateway({
    environment: {
      SERVICE_DATA_DIR: dataDir,
      SERVICE_DATABASE_URL: urlOf(fresh.address),
      SERVICE_GATEWAY_ADDR: '127.0.0.1:0',
      SERVICE_WEBUI_ADDR: '127.0.0.1:0',
      SERVICE_BOOTSTRAP_KEY: testKey,
      SERVICE_LLM_GATEWAY_URL: endpoint.url,
      SERVICE_LLM_RETRIES: '0',
      SERVICE_OUTGOING_ALLOWLIST: loopbackNetworks,
      SERVICE_DRAIN_TIMEOUT_S: '5',
      SERVICE_LOG_LEVEL: 'debug',
      ...environment,
    },
    log,
    tail,
    metrics,
    codec: msgpack,
    ...(options.replaced && { replaced: options.replaced }),
    replaces: options.replaces,
    bus: options.bus,
    onDrainAsked: options.onDrainAsked,
    version: '0.0.0-test',
  })
  const url = `http://127.0.0.1:${gateway.port}`
  const db = openDatabase(fresh.address)
  const authorization = `Bearer ${testKey}`
  let stopped: Promise<void> | undefined

  async function stop(): Promise<void> {
    await gateway.stop()
    // An observer of the collector's work keeps them as long as the process lives, and they would keep the gateway.
    metrics.public.clear()
    metrics.internal.clear()
    await endpoint.close()
    await db.close()
    await fresh.drop()
    await rm(dataDir, { recursive: true, force: true })
  }

  return {
    gateway,
    url,
    endpoint,
    db,
    address: fresh.address,
    lines,
    log,
    post: (path, body, headers = {}, signal) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        ...(signal && { signal }),
      }),
    get: (path, headers = {}) => fetch(`${url}${path}`, { headers: { authorization, ...headers } }),
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

export function urlOf(address: DatabaseAddress): string {
  const { host = '', port = 5_432, user = '', password = '', database = '' } = address
  return `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
}

/** The events of a whole stream: the text behind each `data: `. */
export function eventsOf(text: string): string[] {
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice(6))
}

/** Looks again at every turn of the loop until `condition` holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5))
}
