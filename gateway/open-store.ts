/** Gets to the database: an operator's own, waited for with patience, or the built-in one, started here. */
import { isAbsolute, resolve } from 'node:path'
import { parseSetting } from '../config/catalogue.ts'
import type { Environment } from '../config/settings.ts'
import type { Log } from '../runtime/log/log.ts'
import { systemRandom } from '../runtime/random.ts'
import { exponential } from '../runtime/time/backoff.ts'
import type { Clock } from '../runtime/time/clock.ts'
import { type RetryPolicy, retried } from '../runtime/time/retried.ts'
import { startEmbedded } from '../store/embedded/start.ts'
import { migrate } from '../store/migrate.ts'
import { addressOf, type DatabaseAddress } from '../store/postgres/address.ts'

const waitForDatabase: RetryPolicy = { backoff: exponential(200, 5_000) }

export interface OpenStore {
  address: DatabaseAddress
  /** Where the master key and the built-in database are. */
  dataDir: string
  close(): Promise<void>
}

export function dataDirOf(environment: Environment): { dataDir: string; isExplicit: boolean } {
  const given = environment['SERVICE_DATA_DIR'] ?? ''
  const folder = given === '' ? './data' : given
  return { dataDir: isAbsolute(folder) ? folder : resolve(folder), isExplicit: given !== '' }
}

/** @returns null where the built-in database serves. @throws SettingRefused, without the address, which holds a password */
export function externalAddressOf(environment: Environment): DatabaseAddress | null {
  const url = environment['SERVICE_DATABASE_URL'] ?? ''
  if (url === '') return null
  parseSetting('SERVICE_DATABASE_URL', url)
  return addressOf(url.trim())
}

/** @returns once the schema is what this version needs. @throws SettingRefused, MigrationRefused, DataDirInUse, the signal's reason */
export async function openStore(
  environment: Environment,
  world: { log: Log; clock: Clock; signal: AbortSignal },
): Promise<OpenStore> {
  const { dataDir, isExplicit } = dataDirOf(environment)
  const address = externalAddressOf(environment)
  if (address) {
    await migrateWithPatience(address, world)
    return { address, dataDir, async close() {} }
  }
  const server = await startEmbedded({ dataDir, isDataDirExplicit: isExplicit, log: world.log })
  try {
    await migrateWithPatience(server.address, world)
  } catch (error) {
    await server.stop()
    throw error
  }
  return { address: server.address, dataDir, close: () => server.stop() }
}

/** A database that is away may come: it is waited for as long as it takes, and the log says so. */
async function migrateWithPatience(
  address: DatabaseAddress,
  world: { log: Log; clock: Clock; signal: AbortSignal },
): Promise<void> {
  const { log, clock, signal } = world
  await retried(() => migrate(address, log), waitForDatabase, {
    clock,
    random: systemRandom,
    signal,
    onRetry(error, { attempt, waitMs }) {
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ reason, attempt, waitMs }, 'the database cannot be reached yet')
    },
  })
}
