/** Several processes of the service on one database, of which one or more die, stand still, or lose the database. */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createLog } from '../../runtime/log/log.ts'
import { openDatabase } from '../../store/database.ts'
import { startEmbedded } from '../../store/embedded/start.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { openPool } from '../../store/postgres/pool.ts'
import { freePort, type Place, ServiceProcess, type UnderKill } from './under-kill.ts'

/** Longer than a lease: the others take what was its own, and it wakes up and does not know. */
const frozenMs = 2_500

export async function nodesUnderKill(place: Place, count: number): Promise<UnderKill> {
  const { folder, random, environment } = place
  const log = createLog({ level: 'silent', destination: { write() {} } })
  const database = await startEmbedded({ dataDir: join(folder, 'data'), isDataDirExplicit: true, log })
  const nodes: ServiceProcess[] = []
  for (let at = 0; at < count; at++) {
    // One folder: they have one master key.
    const own = { SERVICE_DATA_DIR: join(folder, 'shared'), SERVICE_DATABASE_URL: urlOf(database.address) }
    const options = { folder, name: `node-${at}`, port: await freePort() }
    nodes.push(new ServiceProcess({ ...options, environment: { ...environment, ...own } }))
  }
  const any = (among: readonly ServiceProcess[]) => among[Math.floor(random.next() * among.length)] as ServiceProcess

  async function killAndStart(some: readonly ServiceProcess[]): Promise<void> {
    await Promise.all(some.map((node) => node.kill()))
    await Promise.all(some.map((node) => node.start()))
  }

  const faults: Record<string, () => Promise<void>> = {
    'node killed and back': () => killAndStart([any(nodes)]),
    'two nodes killed and back': () => {
      const first = any(nodes)
      return killAndStart([first, any(nodes.filter((node) => node !== first))])
    },
    'node frozen beyond its lease': async () => {
      const node = any(nodes)
      node.signal('SIGSTOP')
      await wait(frozenMs)
      node.signal('SIGCONT')
    },
    'node stopped in good order and back': async () => {
      const node = any(nodes)
      node.signal('SIGTERM')
      while (node.isRunning) await wait(10)
      await node.start()
    },
    'database killed and back': async () => {
      process.kill(database.pid, 'SIGKILL')
      await Promise.all(nodes.map((node) => node.ready()))
    },
    'connections ended': async () => {
      const driver = openPool(database.address, { name: 'crash test', connectionsMax: 1, statementMs: 5_000 })
      await driver`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`
      await driver.end({ timeout: 2 })
    },
  }

  return {
    url: () => any(nodes).url,
    // The first one brings the schema.
    async start() {
      for (const node of nodes) await node.start()
    },
    async strike() {
      const names = Object.keys(faults)
      const name = names[Math.floor(random.next() * names.length)] as string
      await faults[name]?.()
      return name
    },
    openDatabase: async () => openDatabase(database.address),
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()))
      await database.stop()
    },
    async kill() {
      await Promise.all(nodes.map((node) => node.kill()))
      await database.stop()
    },
  }
}

function urlOf({ host = '', port = 5_432, user = '', password = '', database = '' }: DatabaseAddress): string {
  return `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
}
