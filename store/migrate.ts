/** Brings the schema to what this version needs: numbered SQL files, each in its own transaction, forward only. */

import type { Sql as Driver } from 'postgres'
import { Failure } from '../runtime/failure.ts'
import type { Log } from '../runtime/log/log.ts'
import { version as ownVersion } from '../runtime/package.ts'
import { systemRandom } from '../runtime/random.ts'
import { exponential } from '../runtime/time/backoff.ts'
import { sleep, systemClock } from '../runtime/time/clock.ts'
import { minutes, ms, seconds } from '../runtime/time/duration.ts'
import { retried } from '../runtime/time/retried.ts'
import { sqlStateOf, storeError } from './errors.ts'
import { type Migration, readMigrations, statementsOf } from './migration-files.ts'
import type { DatabaseAddress } from './postgres/address.ts'
import { openPool } from './postgres/pool.ts'
import { appliedMigrations, type SchemaStanding, schemaStanding } from './schema-state.ts'

export class MigrationRefused extends Failure {
  readonly code = 'migration_refused'
}

/** Any number, the same in every version: two services that start at once take turns. */
const advisoryLock = 7_305_870_214

export interface MigrateOptions {
  migrations?: Migration[]
  version?: string
  /** How long another start may migrate. */
  turnMsMax?: number
  /** How long a migration waits for a lock on a table, each time that it asks for it. */
  lockMs?: number
  lockAttemptsMax?: number
}

/**
 * Applies what is missing.
 * @returns the names of the migrations it applied
 * @throws MigrationRefused when the database has migrations that are not safe for this version, a landed file was changed, or
 *   others keep their locks; DatabaseDown
 */
export async function migrate(address: DatabaseAddress, log: Log, options: MigrateOptions = {}): Promise<string[]> {
  const {
    migrations = await readMigrations(),
    version = ownVersion,
    lockMs = seconds(2),
    lockAttemptsMax = 10,
  } = options
  const driver = openPool(address, { name: 'migrations', connectionsMax: 1, statementMs: 0 })
  try {
    await requireServer(driver)
    await takeTurn(driver, options.turnMsMax ?? minutes(10))
    await driver`create table if not exists schema_migrations (
      number integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now(),
      phase text, safe_for text)`
    const standing = schemaStanding({ migrations, version }, await appliedMigrations(driver))
    refuse(standing)
    if (standing.missing.length > 0) {
      await driver`alter table schema_migrations add column if not exists phase text, add column if not exists safe_for text`
    }
    for (const migration of standing.missing) {
      await apply(driver, migration, { log, lockMs, lockAttemptsMax })
      log.info({ migration: migration.name }, 'schema migrated')
    }
    return standing.missing.map((migration) => migration.name)
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

/** Asked for again and again: a statement that waited for it would hold up every `create index concurrently`. */
async function takeTurn(driver: Driver, msMax: number): Promise<void> {
  const endsMs = systemClock.elapsed() + msMax
  for (;;) {
    const [row] = await driver<{ isOurs: boolean }[]>`select pg_try_advisory_lock(${advisoryLock}) as "isOurs"`
    if (row?.isOurs) return
    if (systemClock.elapsed() >= endsMs) {
      throw new MigrationRefused('another start of the service is migrating this database and does not end')
    }
    await sleep(systemClock, ms(50))
  }
}

/** @throws MigrationRefused */
function refuse({ unsafe: [unsafe], changed: [changed] }: SchemaStanding): void {
  if (unsafe) {
    throw new MigrationRefused(
      `the database has ${unsafe.name}, with which this version does not work: start the newer version`,
    )
  }
  if (changed) throw new MigrationRefused(`${changed.name} differs from what was applied to this database`)
}

interface ApplyOptions {
  log: Log
  lockMs: number
  lockAttemptsMax: number
}

/** SQLSTATE lock_not_available: lock_timeout has passed. */
const lockTimedOut = '55P03'

async function apply(
  driver: Driver,
  migration: Migration,
  { log, lockMs, lockAttemptsMax }: ApplyOptions,
): Promise<void> {
  try {
    await retried(
      () => (migration.isTransactional ? inTransaction(driver, migration, lockMs) : oneByOne(driver, migration)),
      {
        backoff: exponential(ms(200), seconds(2)),
        attemptsMax: lockAttemptsMax,
        isRetryable: (error) => sqlStateOf(error) === lockTimedOut,
      },
      {
        clock: systemClock,
        random: systemRandom,
        onRetry(_error, { attempt }) {
          log.warn({ migration: migration.name, attempt }, 'a migration waits for a lock on a table')
        },
      },
    )
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const advice =
      sqlStateOf(error) === lockTimedOut ? '; end the transactions that hold the table, and start again' : ''
    throw new MigrationRefused(`${migration.name} could not be applied: ${reason}${advice}`, { cause: error })
  }
}

/** A statement that waits for a lock holds up all that come after it, so it gives up soon and comes again. */
async function inTransaction(driver: Driver, migration: Migration, lockMs: number): Promise<void> {
  await driver.begin(async (tx) => {
    await tx`select set_config('lock_timeout', ${String(lockMs)}, true)`
    await tx.unsafe(migration.text)
    await record(tx, migration)
  })
}

/** `create index concurrently` holds nobody up, so it has no lock_timeout. A file that failed starts again from its top. */
async function oneByOne(driver: Driver, migration: Migration): Promise<void> {
  for (const statement of statementsOf(migration)) await driver.unsafe(statement)
  await record(driver, migration)
}

async function record(driver: Pick<Driver, 'unsafe'>, migration: Migration): Promise<void> {
  const { number, name, checksum, phase, safeFor } = migration
  await driver.unsafe(
    'insert into schema_migrations (number, name, checksum, phase, safe_for) values ($1, $2, $3, $4, $5)',
    [number, name, checksum, phase, safeFor],
  )
}
