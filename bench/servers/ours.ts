/** Starts the service as it is delivered: built-in database, authentication, rate limit, validation, actors, turn records. */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gatewayNodeOptions } from '../../runtime/supervise/node-options.ts'
import { forkProgram } from '../process/forked.ts'
import { freePort } from '../process/free-port.ts'
import { descendants } from '../process/proc.ts'
import { probeOptions, type Server } from './server.ts'

export interface OurServer extends Server {
  readonly dataDir: string
  /** With every scope. */
  readonly firstKey: string
  /** The number of this start. */
  readonly node: number
  /** What the service says of itself: actors, timers, sockets. */
  stats(): Promise<Record<string, number>>
}

/** Above what the machine can do: the limiter counts every request and refuses none. */
const rateLimitRpm = 1_000_000

/** Also gone when a measurement ends before its servers were stopped. */
const dataDirs = new Set<string>()
process.on('exit', () => {
  for (const folder of dataDirs) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

export async function startOurs(
  upstream: Server,
  options: { isProbed?: boolean; environment?: Record<string, string>; firstKey?: string; folder?: URL } = {},
): Promise<OurServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-'))
  dataDirs.add(dataDir)
  // Started as root, the service runs its database as another user, who has to pass through.
  await chmod(dataDir, 0o711)
  const port = await freePort()
  const { firstKey = `sk-${randomBytes(24).toString('hex')}` } = options
  // The checkout to start: this one, or a former one.
  const { folder = new URL('../../', import.meta.url) } = options
  const forked = forkProgram(new URL('gateway/main.ts', folder), {
    environment: {
      SERVICE_DATA_DIR: dataDir,
      SERVICE_GATEWAY_ADDR: `127.0.0.1:${port}`,
      SERVICE_WEBUI_ADDR: '127.0.0.1:0',
      SERVICE_OUTGOING_ALLOWLIST: '127.0.0.0/8',
      SERVICE_LLM_GATEWAY_URL: `http://127.0.0.1:${upstream.endpoint.port}/v1`,
      SERVICE_BOOTSTRAP_KEY: firstKey,
      SERVICE_LOG_LEVEL: 'warn',
      ...options.environment,
    },
    nodeOptions: [
      ...gatewayNodeOptions(),
      '--disable-warning=ExperimentalWarning',
      ...(options.isProbed === false ? [] : probeOptions),
    ],
  })
  const { node } = await forked.next<{ type: 'ready'; node: number }>('ready')
  const key = await limitedKey(port, firstKey)
  return {
    process: forked,
    dataDir,
    firstKey,
    node,
    endpoint: { host: '127.0.0.1', port, headers: { authorization: `Bearer ${key}` } },
    databasePids: () => descendants(forked.pid),
    async stats() {
      const answered = forked.next<{ type: 'stats' } & Record<string, number>>('stats')
      forked.send({ type: 'stats' })
      return answered
    },
    async stop() {
      await forked.stop(30_000)
      await rm(dataDir, { recursive: true, force: true })
      dataDirs.delete(dataDir)
    },
  }
}

export async function limitedKey(port: number, maker: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/admin/apikeys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${maker}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', scopes: ['chat', 'admin:read'], rate_limit_rpm: rateLimitRpm }),
  })
  if (answer.status !== 201) throw new Error(`no key for the benchmark: ${answer.status} ${await answer.text()}`)
  const { key } = (await answer.json()) as { key: string }
  return key
}
