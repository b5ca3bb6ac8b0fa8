/** Starts the service with several processes behind one port, as `service start` does, with the built-in database. */
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Endpoint } from '../load/job.ts'
import { forkProgram } from '../process/forked.ts'
import { freePort } from '../process/free-port.ts'
import { descendants } from '../process/proc.ts'
import { until } from '../process/until.ts'
import { limitedKey } from './ours.ts'
import type { Server } from './server.ts'

export interface ServerProcesses {
  readonly endpoint: Endpoint
  /** Those that answer requests. */
  pids(): Promise<number[]>
  databasePids(): Promise<number[]>
  stop(): Promise<void>
}

/** With intake open to all who know the channel. */
export interface OurProcesses extends ServerProcesses {
  readonly firstKey: string
}

const entry = 'gateway/main.ts'

export async function startOurProcesses(upstream: Server, count: number): Promise<OurProcesses> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-'))
  // Started as root, the service runs its database as another user, who has to pass through.
  await chmod(dataDir, 0o711)
  const port = await freePort()
  const firstKey = `sk-${randomBytes(24).toString('hex')}`
  const parent = forkProgram(new URL('../../cli/service.ts', import.meta.url), {
    arguments: ['start'],
    environment: {
      SERVICE_DATA_DIR: dataDir,
      SERVICE_GATEWAY_PROCESSES: String(count),
      SERVICE_GATEWAY_ADDR: `127.0.0.1:${port}`,
      SERVICE_WEBUI_ENABLED: 'false',
      SERVICE_OUTGOING_ALLOWLIST: '127.0.0.0/8',
      SERVICE_LLM_GATEWAY_URL: `http://127.0.0.1:${upstream.endpoint.port}/v1`,
      SERVICE_BOOTSTRAP_KEY: firstKey,
      SERVICE_INBOUND_REQUIRE_BINDING: 'false',
      SERVICE_LOG_LEVEL: 'warn',
    },
  })
  const ours = async (isGateway: boolean) => {
    const pids = await descendants(parent.pid)
    const are = await Promise.all(pids.map(async (pid) => (await commandOf(pid)).includes(entry)))
    return pids.filter((_pid, at) => are[at] === isGateway)
  }
  await until(`${count} processes have their share`, 180_000, () => haveShare(port, firstKey, count))
  const key = await limitedKey(port, firstKey)
  return {
    firstKey,
    endpoint: { host: '127.0.0.1', port, headers: { authorization: `Bearer ${key}` } },
    pids: () => ours(true),
    databasePids: () => ours(false),
    async stop() {
      await parent.stop(30_000)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The floor: as many pass-through gateways behind one port. */
export async function startFloorProcesses(upstream: Server, count: number): Promise<ServerProcesses> {
  const port = await freePort()
  const all = Array.from({ length: count }, () =>
    forkProgram(new URL('../floors/pass-through.ts', import.meta.url), {
      arguments: [`http://127.0.0.1:${upstream.endpoint.port}`, String(port)],
    }),
  )
  await Promise.all(all.map((each) => each.next('ready')))
  return {
    endpoint: { host: '127.0.0.1', port, headers: { authorization: 'Bearer nobody-looks' } },
    pids: async () => all.map(({ pid }) => pid),
    databasePids: async () => [],
    async stop() {
      for (const each of all) await each.stop()
    },
  }
}

async function haveShare(port: number, key: string, count: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/admin/nodes`, {
      headers: { authorization: `Bearer ${key}` },
    })
    const { items } = (await answer.json()) as { items: { state: string; slots: number }[] }
    return items.filter(({ state, slots }) => state === 'running' && slots >= Math.floor(256 / count)).length === count
  } catch {
    return false
  }
}

async function commandOf(pid: number): Promise<string> {
  return await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') // it may have just ended
}
