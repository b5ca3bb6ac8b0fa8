/** Starts several gateways on one database, and says which conversations are whose. */
import { randomBytes } from 'node:crypto'
import { openDatabase } from '../../store/database.ts'
import { readSlots } from '../../store/nodes/slots.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { urlOf } from '../ours/database.ts'
import { until } from '../process/until.ts'
import { type OurServer, startOurs } from './ours.ts'
import type { Server } from './server.ts'

export interface NodesOptions {
  address: DatabaseAddress
  count: number
  environment?: Record<string, string>
}

/** Resolves when each has its share of the slots. */
export async function startNodes(upstream: Server, options: NodesOptions): Promise<OurServer[]> {
  const { address, count } = options
  const environment = {
    // The setting wants a host before the path; the one of the socket counts.
    SERVICE_DATABASE_URL: urlOf(address).replace('@/', '@localhost/'),
    SERVICE_MASTER_KEY: randomBytes(32).toString('base64'),
    ...options.environment,
  }
  const firstKey = `sk-${randomBytes(24).toString('hex')}`
  const nodes: OurServer[] = []
  while (nodes.length < count) nodes.push(await startOurs(upstream, { environment, firstKey }))
  const share = Math.floor(256 / count)
  await until('each node has its share', 20_000, async () => {
    const owned = await Promise.all(nodes.map((node) => slotsOf(address, node)))
    return owned.every(({ length }) => length >= share)
  })
  return nodes
}

export async function slotsOf(address: DatabaseAddress, { node }: OurServer): Promise<number[]> {
  const db = openDatabase(address)
  try {
    return (await readSlots(db)).filter((slot) => slot.node === node).map(({ slot }) => slot)
  } finally {
    await db.close()
  }
}
