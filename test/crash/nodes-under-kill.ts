/** Several processes of the service on one database, of which any, and what is between them, dies, stands still or is cut off. */
import { join } from 'node:path'
import { freePort } from '../../bench/process/free-port.ts'
import { createLog } from '../../runtime/log/log.ts'
import { openDatabase } from '../../store/database.ts'
import { startEmbedded } from '../../store/embedded/start.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { natsServer } from '../gateway/bus/support/nats-server.ts'
import { faultDeck } from './fault-deck.ts'
import { type Cluster, type Node, nodeFaults } from './node-faults.ts'
import { keepSlotHistory } from './slot-history.ts'
import { tcpProxy } from './tcp-proxy.ts'
import { type Place, ServiceProcess, type UnderKill } from './under-kill.ts'

/** @param options.hasNats messages go over a nats-server, else through the database */
export async function nodesUnderKill(place: Place, options: { count: number; hasNats: boolean }): Promise<UnderKill> {
  const { folder, faultsRandom, loadRandom } = place
  const log = createLog({ level: 'silent', destination: { write() {} } })
  const database = await startEmbedded({ dataDir: join(folder, 'data'), isDataDirExplicit: true, log })
  const nats = options.hasNats ? await natsServer() : undefined
  const nodes: Node[] = []
  for (let at = 0; at < options.count; at++) nodes.push(await makeNode(place, `node-${at}`, { database, nats }))
  const strike = faultDeck(nodeFaults({ nodes, database, nats }, faultsRandom), faultsRandom)
  const processes = nodes.map((node) => node.process)

  async function close(): Promise<void> {
    for (const node of nodes) await Promise.all([node.database.close(), node.nats?.close()])
    await nats?.kill()
    await database.stop()
  }

  return {
    url: () => (processes[Math.floor(loadRandom.next() * processes.length)] as ServiceProcess).url,
    wasKilled: (url, fromMs, toMs) => processes.some((each) => each.url === url && each.wasKilled(fromMs, toMs)),
    // The first one brings the schema.
    async start() {
      await processes[0]?.start()
      await Promise.all(processes.slice(1).map((each) => each.start()))
      await keepSlotHistory(database.address)
    },
    strike,
    openDatabase: async () => openDatabase(database.address),
    async stop() {
      await Promise.all(processes.map((each) => each.stop()))
      await close()
    },
    async kill() {
      await Promise.all(processes.map((each) => each.kill()))
      await close()
    },
  }
}

async function makeNode(place: Place, name: string, { database, nats }: Omit<Cluster, 'nodes'>): Promise<Node> {
  const { folder, environment } = place
  const { host = '', port } = database.address
  const toDatabase = await tcpProxy({ path: join(host, `.s.PGSQL.${port}`) })
  const toNats = nats && (await tcpProxy({ host: '127.0.0.1', port: nats.port }))
  const own = {
    // One folder: they have one master key.
    SERVICE_DATA_DIR: join(folder, 'shared'),
    SERVICE_DATABASE_URL: urlOf(database.address, toDatabase.port),
    ...(toNats && { SERVICE_NATS_URL: `nats://127.0.0.1:${toNats.port}` }),
  }
  const process = new ServiceProcess({ folder, name, port: await freePort(), environment: { ...environment, ...own } })
  return { process, database: toDatabase, nats: toNats }
}

function urlOf({ user = '', password = '', database = '' }: DatabaseAddress, port: number): string {
  return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`
}
