/** How a command reaches the store, with the service running or not. */
import { type MasterKey, openMasterKey } from '../config/seal.ts'
import type { Environment } from '../config/settings.ts'
import { dataDirOf, externalAddressOf } from '../gateway/open-store.ts'
import { createLog, type Log } from '../runtime/log/log.ts'
import { systemClock } from '../runtime/time/clock.ts'
import { type Database, openDatabase } from '../store/database.ts'
import { findEmbedded } from '../store/embedded/find.ts'
import { startEmbedded } from '../store/embedded/start.ts'
import { newestInstance } from '../store/instances.ts'
import { migrate } from '../store/migrate.ts'
import type { DatabaseAddress } from '../store/postgres/address.ts'

export interface CommandStore {
  db: Database
  environment: Environment
  masterKey(): MasterKey
  /** When the running service started; null while none runs. */
  serviceStartedAt: Date | null
}

export interface Reached {
  address: DatabaseAddress
  isExternal: boolean
  /** Null: an external database, of which the store itself must tell. */
  isServiceRunning: boolean | null
  close(): Promise<void>
}

/** Runs `work` on the store, whose schema is made ready where nobody runs it. */
export async function withStore<Result>(work: (store: CommandStore) => Promise<Result>): Promise<Result> {
  const environment = process.env
  const log = createLog({ level: 'error' })
  const { dataDir } = dataDirOf(environment)
  const reached = await reach(environment, log)
  try {
    if (reached.isServiceRunning !== true) await migrate(reached.address, log)
    const db = openDatabase(reached.address, { clock: systemClock })
    try {
      const instance = reached.isServiceRunning === false ? null : await newestInstance(db)
      return await work({
        db,
        environment,
        masterKey: () => openMasterKey({ dataDir, environment }),
        serviceStartedAt: instance?.startedAt ?? null,
      })
    } finally {
      await db.close()
    }
  } finally {
    await reached.close()
  }
}

/** Finds the database that counts; the built-in one is started for the moment where nobody runs it. */
export async function reach(environment: Environment, log: Log): Promise<Reached> {
  const external = externalAddressOf(environment)
  if (external) return { address: external, isExternal: true, isServiceRunning: null, async close() {} }
  const { dataDir, isExplicit } = dataDirOf(environment)
  const folder = { dataDir, isDataDirExplicit: isExplicit }
  const running = await findEmbedded(folder)
  if (running) return { address: running.address, isExternal: false, isServiceRunning: true, async close() {} }
  const { address, stop } = await startEmbedded({ ...folder, purpose: 'command', log })
  return { address, isExternal: false, isServiceRunning: false, close: () => stop() }
}
