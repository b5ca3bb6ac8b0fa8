/** Fresh databases for tests: copies of the migrated template, on the one server of the run. */
import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../store/database.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { openPool } from '../../store/postgres/pool.ts'

export const templateName = 'service_template'

export interface FreshDatabase {
  db: Database
  address: DatabaseAddress
  /** Closes the pools and drops the database. */
  drop(): Promise<void>
}

/** An open, migrated database that nobody else uses. */
export async function freshDatabase(): Promise<FreshDatabase> {
  const { address, drop } = await freshAddress()
  const db = openDatabase(address)
  return {
    db,
    address,
    async drop() {
      await db.close()
      await drop()
    },
  }
}

/** A migrated database (or an empty one) that nobody has opened. */
export async function freshAddress(
  options: { isEmpty?: boolean } = {},
): Promise<{ address: DatabaseAddress; drop(): Promise<void> }> {
  const name = `test_${randomBytes(8).toString('hex')}`
  await asOwner(`create database ${name} template ${options.isEmpty ? 'template0' : templateName}`)
  const address = { ...inject('postgres'), database: name }
  return { address, drop: () => asOwner(`drop database if exists ${name} with (force)`) }
}

/** A statement as the login itself, outside of any test's database. */
export async function asOwner(statement: string): Promise<void> {
  const driver = openPool(
    { ...inject('postgres'), database: 'postgres' },
    { name: 'tests', connectionsMax: 1, statementMs: 0 },
  )
  try {
    await driver.unsafe(statement)
  } finally {
    await driver.end({ timeout: 2 })
  }
}
