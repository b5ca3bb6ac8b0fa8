/** The bus of this node: over NATS where an address is set, else through the database. */
import { derivedKey, type MasterKey } from '../../config/seal.ts'
import type { Log } from '../../runtime/log/log.ts'
import type { Bus } from '../../runtime/nodes/bus.ts'
import type { Database } from '../../store/database.ts'
import { nodesPrefix } from '../../store/nodes/installation.ts'
import { type NatsOptions, natsWire } from './nats.ts'
import { busOverWire } from './over-wire.ts'
import { postgresWire } from './postgres.ts'

const keyLabel = 'messages between nodes'

/** Resolves after the first try to reach the others, successful or not. @param nats a blank address: through the database */
export async function openBus(
  parts: { db: Database; masterKey: MasterKey; epoch: number; log: Log },
  nats: NatsOptions,
): Promise<Bus> {
  const { db, masterKey, epoch, log } = parts
  const prefix = await nodesPrefix(db)
  const key = derivedKey(masterKey, { label: keyLabel, salt: prefix })
  const wire = nats.url === '' ? postgresWire({ db, epoch, log }) : natsWire({ ...nats, prefix, epoch, log })
  return await busOverWire(wire, { epoch, key, log })
}
