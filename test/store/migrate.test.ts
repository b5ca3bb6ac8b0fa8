import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../store/database.ts'
import { type Migration, migrate, readMigrations, schemaState } from '../../store/migrate.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { freshAddress } from '../support/database.ts'

const silent = pino({ level: 'silent' })
let address: DatabaseAddress
let drop: () => Promise<void>
beforeEach(async () => {
  const fresh = await freshAddress({ isEmpty: true })
  address = fresh.address
  drop = fresh.drop
})
afterEach(() => drop())

const step = (number: number, text: string): Migration => ({
  number,
  name: `${String(number).padStart(4, '0')}_step.sql`,
  text,
  checksum: `of ${text}`,
})
const first = step(1, 'create table one (id integer primary key)')
const second = step(2, 'create table two (id integer primary key); insert into one values (1)')

async function query<Row extends object>(run: (db: ReturnType<typeof openDatabase>) => Promise<Row[]>): Promise<Row[]> {
  const db = openDatabase(address)
  try {
    return await run(db)
  } finally {
    await db.close()
  }
}

test('an empty database gets every migration in order; the next start has nothing to do', async () => {
  const names = (await readMigrations()).map(({ name }) => name)
  expect(await migrate(address, silent)).toEqual(names)
  expect(await migrate(address, silent)).toEqual([])
})

test('a database of an earlier version gets the new migrations, and keeps its data', async () => {
  const landed = await readMigrations()
  await migrate(address, silent, landed)
  const next = step(landed.length + 1, "insert into workspaces (id, name) values (gen_random_uuid(), 'later')")
  expect(await migrate(address, silent, [...landed, next])).toEqual([next.name])
})

test('starts at the same moment apply each migration once', async () => {
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(address, silent)))
  expect(applied.flat()).toEqual((await readMigrations()).map(({ name }) => name))
})

test('a migration that fails leaves no trace, and those before it stay', async () => {
  const broken = step(2, 'create table half (id integer); select 1 / 0')
  await expect(migrate(address, silent, [first, broken])).rejects.toMatchObject({ code: 'migration_refused' })
  const { rejects } = expect(migrate(address, silent, [first, broken]))
  await rejects.toThrow(/0002_step\.sql could not be applied: division by zero/)
  // Mended, it goes on where it stopped.
  expect(await migrate(address, silent, [first, second])).toEqual([second.name])
})

test('a landed file that was changed is refused, and so is a database that is newer than this version', async () => {
  await migrate(address, silent, [first, second])
  await expect(migrate(address, silent, [{ ...first, checksum: 'another' }, second])).rejects.toThrow(
    /differs from what/,
  )
  await expect(migrate(address, silent, [first])).rejects.toThrow(/does not know: start the newer version/)
})

test('one query tells whether the schema is the required one', async () => {
  await migrate(address, silent)
  const newest = (await readMigrations()).at(-1)?.number ?? 0
  const states = await query(async (db) => [
    { state: await schemaState(db.system, newest) },
    { state: await schemaState(db.system, newest + 1) },
    { state: await schemaState(db.system, newest - 1) },
  ])
  expect(states.map(({ state }) => state)).toEqual(['ready', 'pending', 'newer'])
})
