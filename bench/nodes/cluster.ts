/** Three gateways on one fresh database, each a process of its own; over NATS where SERVICE_NATS_URL is set, else through the database. */
import { randomBytes } from 'node:crypto'
import { type Database, openDatabase } from '../../store/database.ts'
import { readSlots } from '../../store/nodes/slots.ts'
import { urlOf, withDatabase } from '../ours/database.ts'
import { type Forked, forkProgram } from '../process/forked.ts'
import { freePort } from '../process/free-port.ts'
import { until } from '../process/until.ts'

export interface Gateway {
  url: string
  program: Forked
  /** The number of this start. */
  node: number
}

export interface Cluster {
  db: Database
  /** Those that run: whoever ends one takes it out, and puts in what `start` made in its place. */
  gateways: Gateway[]
  /** The first key. */
  key: string
  /** How nodes talk. */
  way: string
  start(): Promise<Gateway>
  /** Resolves when each has its share of the slots. */
  areEven(): Promise<void>
}

/** @param environment of each, besides what makes them one service */
export async function withCluster(
  environment: Record<string, string>,
  work: (cluster: Cluster) => Promise<void>,
): Promise<void> {
  await withDatabase(async (address) => {
    const db = openDatabase(address)
    const key = `sk-${randomBytes(24).toString('hex')}`
    const nats = process.env['SERVICE_NATS_URL']
    const shared = {
      // The setting wants a host before the path; the one of the socket counts.
      SERVICE_DATABASE_URL: urlOf(address).replace('@/', '@localhost/'),
      SERVICE_MASTER_KEY: randomBytes(32).toString('base64'),
      SERVICE_BOOTSTRAP_KEY: key,
      SERVICE_WEBUI_ENABLED: 'false',
      SERVICE_LOG_LEVEL: 'fatal',
      ...(nats && { SERVICE_NATS_URL: nats }),
      ...environment,
    }
    const start = () => startGateway(shared)
    const gateways = [await start(), await start(), await start()]
    const areEven = () => eachHasItsShare(db, gateways)
    await areEven()
    await work({ db, gateways, key, way: nats ? 'over NATS' : 'through the database', start, areEven })
    for (const { program } of gateways) await program.stop(30_000)
    await db.close()
  })
}

async function startGateway(environment: Record<string, string>): Promise<Gateway> {
  const port = await freePort()
  const program = forkProgram(new URL('../../gateway/main.ts', import.meta.url), {
    environment: { ...environment, SERVICE_GATEWAY_ADDR: `127.0.0.1:${port}` },
  })
  const { node } = await program.next<{ type: 'ready'; node: number }>('ready')
  return { url: `http://127.0.0.1:${port}`, program, node }
}

async function eachHasItsShare(db: Database, gateways: readonly Gateway[]): Promise<void> {
  await until('each node has its share', 20_000, async () => {
    const slots = await readSlots(db)
    const counts = gateways.map(({ node }) => slots.filter((slot) => slot.node === node).length)
    return counts.every((count) => count >= Math.floor(slots.length / gateways.length))
  })
}
