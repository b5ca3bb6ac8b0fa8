/** Opens the database: an external one, which is waited for, or the built-in one, which is started here. */
import { resolve, sep } from 'node:path'
import { parseSetting } from '../config/catalogue.ts'
import type { Environment } from '../config/settings.ts'
import type { Log } from '../runtime/log/log.ts'
import { systemRandom } from '../runtime/random.ts'
import { exponential } from '../runtime/time/backoff.ts'
import type { Clock } from '../runtime/time/clock.ts'
import { type RetryPolicy, retried } from '../runtime/time/retried.ts'
import { untilAborted } from '../runtime/time/until-aborted.ts'
import { findEmbedded } from '../store/embedded/find.ts'
import type { DataFolder } from '../store/embedded/place.ts'
import { EmbeddedRefused } from '../store/embedded/refused.ts'
import { type EmbeddedServer, startEmbedded } from '../store/embedded/start.ts'
import { migrate } from '../store/migrate.ts'
import type { DatabaseAddress } from '../store/postgres/address.ts'
import { addressOf } from '../store/postgres/parse-address.ts'

const waitForDatabase: RetryPolicy = { backoff: exponential(200, 5_000) }

export interface OpenStore {
  address: DatabaseAddress
  /** Where the master key and the built-in database are. */
  dataDir: string
  /** No other process can be on it: it is the built-in one. */
  isOurs: boolean
  close(): Promise<void>
}

export function dataDirOf(environment: Environment): { dataDir: string; isExplicit: boolean } {
  const folder = environment['SERVICE_DATA_DIR'] ?? ''
  return { dataDir: resolve(folder === '' ? './data' : folder), isExplicit: folder !== '' }
}

/** @returns null: the built-in database is used. @throws SettingRefused, without the address, which contains a password */
export function externalAddressOf(environment: Environment): DatabaseAddress | null {
  const url = environment['SERVICE_DATABASE_URL'] ?? ''
  if (url === '') return null
  parseSetting('SERVICE_DATABASE_URL', url, 'environment')
  return addressOf(url.trim(), 'read-write')
}

interface StoreDependencies {
  log: Log
  clock: Clock
  signal: AbortSignal
  /** The parent keeps the built-in database, for all of its gateways. */
  isOfParent?: boolean
  /** Nothing is left but to wait for the database: the moment to do what holds the thread. May be called again. */
  onWaiting?: () => void
}

/** Resolves once the schema is the one this version needs. @throws SettingRefused, MigrationRefused, EmbeddedRefused, DataFolderInUse, the signal's reason */
export async function openStore(environment: Environment, dependencies: StoreDependencies): Promise<OpenStore> {
  const { dataDir, isExplicit } = dataDirOf(environment)
  const external = externalAddressOf(environment)
  if (external || dependencies.isOfParent) {
    dependencies.onWaiting?.()
    const address = external ?? (await addressOfRunning({ dataDir, isDataDirExplicit: isExplicit }, dependencies))
    await migrateWhenReachable(address, dependencies)
    return { address, dataDir, isOurs: false, async close() {} }
  }
  const server = await startBuiltIn(environment, dependencies)
  try {
    await migrateWhenReachable(server.address, dependencies)
  } catch (error) {
    await server.stop()
    throw error
  }
  return { address: server.address, dataDir, isOurs: true, close: () => server.stop() }
}

/** @throws EmbeddedRefused, DataFolderInUse */
export async function startBuiltIn(
  environment: Environment,
  { log, onWaiting }: Pick<StoreDependencies, 'log' | 'onWaiting'>,
): Promise<EmbeddedServer> {
  const { dataDir, isExplicit } = dataDirOf(environment)
  try {
    return await startEmbedded({ dataDir, isDataDirExplicit: isExplicit, log, onSpawned: onWaiting })
  } catch (error) {
    throw isOfFolder(error, dataDir) ? dataDirRefused(dataDir, error) : error
  }
}

async function addressOfRunning(
  folder: DataFolder,
  { signal, clock, log }: StoreDependencies,
): Promise<DatabaseAddress> {
  const look = async (): Promise<DatabaseAddress> => {
    const running = await findEmbedded(folder)
    if (running) return running.address
    throw new Error(`no built-in database runs in ${folder.dataDir}`)
  }
  return await retried(look, waitForDatabase, {
    clock,
    random: systemRandom,
    signal,
    onRetry: (error, { attempt, waitMs }) =>
      log.warn({ err: error, attempt, waitMs }, 'the parent has no database yet'),
  })
}

/** The system refused a path in the folder: it cannot be made, or not by this user. */
function isOfFolder(error: unknown, folder: string): error is NodeJS.ErrnoException {
  const { syscall, path } = error instanceof Error ? (error as NodeJS.ErrnoException) : {}
  return syscall !== undefined && path !== undefined && (path === folder || path.startsWith(folder + sep))
}

function dataDirRefused(dataDir: string, cause: NodeJS.ErrnoException): EmbeddedRefused {
  return new EmbeddedRefused(
    `${dataDir} cannot hold the built-in database (${cause.message}): set SERVICE_DATA_DIR to a folder that this user may write to`,
    { cause },
  )
}

/** Retried without end while the database is down; each attempt is logged. */
async function migrateWhenReachable(
  address: DatabaseAddress,
  { log, clock, signal }: StoreDependencies,
): Promise<void> {
  const migrated = retried(() => migrate(address, log), waitForDatabase, {
    clock,
    random: systemRandom,
    signal,
    onRetry(error, { attempt, waitMs }) {
      const reason = error instanceof Error ? error.message : String(error)
      log.warn({ reason, attempt, waitMs }, 'the database cannot be reached yet')
    },
  })
  // A migration that is under way is rolled back with its connection, at the end of the process.
  await untilAborted(migrated, signal)
}
