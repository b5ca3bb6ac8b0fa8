/** The bus of this node: over NATS where an address is set, else through the database. */
import { derivedKey, type MasterKey } from '../../config/seal.ts'
import type { Settings } from '../../config/settings.ts'
import type { Log } from '../../runtime/log/log.ts'
import type { Bus } from '../../runtime/nodes/bus.ts'
import type { Database } from '../../store/database.ts'
import { nodesPrefix } from '../../store/nodes/installation.ts'
import type { NatsOptions } from './nats.ts'
import { busOverWire } from './over-wire.ts'
import { postgresWire } from './postgres.ts'
import type { OpenWire } from './wire.ts'

const keyLabel = 'messages between nodes'

export function natsOptions(settings: Settings): NatsOptions {
  return {
    url: settings.get('SERVICE_NATS_URL'),
    user: settings.get('SERVICE_NATS_USER'),
    password: settings.get('SERVICE_NATS_PASSWORD'),
    token: settings.get('SERVICE_NATS_TOKEN'),
    caFile: settings.get('SERVICE_NATS_CA_FILE'),
  }
}

/** Resolves after the first try to reach the others, successful or not. @param nats a blank address: through the database */
export async function openBus(
  parts: { db: Database; masterKey: MasterKey; epoch: number; log: Log },
  nats: NatsOptions,
): Promise<Bus> {
  const { db, masterKey, epoch, log } = parts
  const prefix = await nodesPrefix(db)
  const key = derivedKey(masterKey, { label: keyLabel, salt: prefix })
  return await busOverWire(await wireOf(), { epoch, key, log })

  /** The client of NATS is loaded where it is used. */
  async function wireOf(): Promise<OpenWire> {
    if (nats.url === '') return postgresWire({ db, epoch, log })
    const { natsWire } = await import('./nats.ts')
    return natsWire({ ...nats, prefix, epoch, log })
  }
}
