/** How a command reaches the store, whether the service runs or not. */
import { type MasterKey, openMasterKey } from '../config/seal.ts'
import type { Environment } from '../config/settings.ts'
import { dataDirOf, externalAddressOf } from '../gateway/open-store.ts'
import { createLog, type Log } from '../runtime/log/log.ts'
import { systemClock } from '../runtime/time/clock.ts'
import { type Database, openDatabase } from '../store/database.ts'
import { findEmbedded } from '../store/embedded/find.ts'
import { startEmbedded } from '../store/embedded/start.ts'
import { migrate } from '../store/migrate.ts'
import { newestNode } from '../store/nodes/nodes.ts'
import type { DatabaseAddress } from '../store/postgres/address.ts'

export interface CommandStore {
  db: Database
  environment: Environment
  masterKey(): MasterKey
  /** When the running service started; null: none runs. */
  serviceStartedAt: Date | null
}

export interface DatabaseAccess {
  address: DatabaseAddress
  isExternal: boolean
  /** Null: an external database; its newest instance may tell. */
  isServiceRunning: boolean | null
  close(): Promise<void>
}

/** Runs `work` on the store. Unless a service runs the built-in database, the schema is migrated first. */
export async function withStore<Result>(work: (store: CommandStore) => Promise<Result>): Promise<Result> {
  const environment = process.env
  const log = createLog({ level: 'error' })
  const { dataDir } = dataDirOf(environment)
  const access = await reach(environment, log)
  try {
    if (access.isServiceRunning !== true) await migrate(access.address, log)
    const db = openDatabase(access.address, { clock: systemClock })
    try {
      const instance = access.isServiceRunning === false ? null : await newestNode(db)
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
    await access.close()
  }
}

/** Finds the database of the service. The built-in one is started for the command where no service runs it. */
export async function reach(environment: Environment, log: Log): Promise<DatabaseAccess> {
  const external = externalAddressOf(environment)
  if (external) return { address: external, isExternal: true, isServiceRunning: null, async close() {} }
  const { dataDir, isExplicit } = dataDirOf(environment)
  const folder = { dataDir, isDataDirExplicit: isExplicit }
  const running = await findEmbedded(folder)
  if (running) return { address: running.address, isExternal: false, isServiceRunning: true, async close() {} }
  const { address, stop } = await startEmbedded({ ...folder, purpose: 'command', log })
  return { address, isExternal: false, isServiceRunning: false, close: () => stop() }
}
