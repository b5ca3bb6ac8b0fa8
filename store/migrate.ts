/** Brings the schema to what this version needs: numbered SQL files, each in its own transaction, forward only. */

import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { Sql as Driver } from 'postgres'
import { Failure } from '../runtime/failure.ts'
import type { Log } from '../runtime/log/log.ts'
import { storeError } from './errors.ts'
import type { DatabaseAddress } from './postgres/address.ts'
import { openPool } from './postgres/pool.ts'
import type { Query } from './postgres/query.ts'

export interface Migration {
  number: number
  name: string
  text: string
  checksum: string
}

export class MigrationRefused extends Failure {
  readonly code = 'migration_refused'
}

const folder = new URL('./migrations/', import.meta.url)

/** Any number, the same in every version: two services that start at once take turns. */
const advisoryLock = 7_305_870_214

/** The migrations of this version, in order. */
export async function readMigrations(from: URL = folder): Promise<Migration[]> {
  const names = (await readdir(from)).filter((name) => /^\d{4}_.+\.sql$/.test(name)).sort()
  return await Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, from), 'utf8')
      return { number: Number(name.slice(0, 4)), name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

/**
 * Applies what is missing.
 * @returns the names of the migrations it applied
 * @throws MigrationRefused when the database is newer than this version, or a landed file was changed; DatabaseDown
 */
export async function migrate(address: DatabaseAddress, log: Log, migrations?: Migration[]): Promise<string[]> {
  const wanted = migrations ?? (await readMigrations())
  const driver = openPool(address, { name: 'migrations', connectionsMax: 1, statementMs: 0 })
  try {
    await requireServer(driver)
    await driver`select pg_advisory_lock(${advisoryLock})`
    await driver`create table if not exists schema_migrations (
      number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`
    const applied = await driver<{ number: number; name: string; checksum: string }[]>`
      select number, name, checksum from schema_migrations order by number`
    const missing = checked(wanted, applied)
    for (const migration of missing) {
      await apply(driver, migration)
      log.info({ migration: migration.name }, 'schema migrated')
    }
    return missing.map((migration) => migration.name)
  } catch (error) {
    throw storeError(error)
  } finally {
    await driver.end({ timeout: 5 })
  }
}

async function requireServer(driver: Driver): Promise<void> {
  const [row] = await driver<{ version: number }[]>`select current_setting('server_version_num')::int as version`
  if ((row?.version ?? 0) < 140_000) throw new MigrationRefused('the database server is older than PostgreSQL 14')
}

/** What is still to apply. @throws MigrationRefused */
function checked(wanted: Migration[], applied: { number: number; name: string; checksum: string }[]): Migration[] {
  const known = new Map(wanted.map((migration) => [migration.number, migration]))
  for (const row of applied) {
    const migration = known.get(row.number)
    if (!migration) {
      throw new MigrationRefused(
        `the database holds ${row.name}, which this version does not know: start the newer version`,
      )
    }
    if (migration.checksum !== row.checksum) {
      throw new MigrationRefused(`${migration.name} differs from what was applied to this database`)
    }
  }
  const done = new Set(applied.map((row) => row.number))
  return wanted.filter((migration) => !done.has(migration.number))
}

async function apply(driver: Driver, migration: Migration): Promise<void> {
  try {
    await driver.begin(async (tx) => {
      await tx`set local lock_timeout = '10s'`
      await tx.unsafe(migration.text)
      await tx`insert into schema_migrations (number, name, checksum)
        values (${migration.number}, ${migration.name}, ${migration.checksum})`
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new MigrationRefused(`${migration.name} could not be applied: ${reason}`, { cause: error })
  }
}

export type SchemaState = 'ready' | 'pending' | 'newer'

/** Whether the schema is the one this version needs. One query. */
export async function schemaState(system: Query, newestNumber: number): Promise<SchemaState> {
  const [row] = await system<{ newest: number | null }>`select max(number) as newest from schema_migrations`
  const newest = row?.newest ?? 0
  if (newest === newestNumber) return 'ready'
  return newest < newestNumber ? 'pending' : 'newer'
}
