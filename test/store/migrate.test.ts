import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../store/database.ts'
import { migrate } from '../../store/migrate.ts'
import { type Migration, migrationOf, readMigrations } from '../../store/migration-files.ts'
import type { DatabaseAddress } from '../../store/postgres/address.ts'
import { openPool } from '../../store/postgres/pool.ts'
import { type SchemaState, schemaState } from '../../store/schema-state.ts'
import { freshAddress } from '../support/database.ts'
import { recordingLog } from '../support/recording-log.ts'
import { problemsOf } from './support/migration-lint.ts'

const silent = pino({ level: 'silent' })
let address: DatabaseAddress
let drop: () => Promise<void>
beforeEach(async () => {
  const fresh = await freshAddress({ isEmpty: true })
  address = fresh.address
  drop = fresh.drop
})
afterEach(() => drop())

const step = (number: number, text: string): Migration =>
  migrationOf(`${String(number).padStart(4, '0')}_step.sql`, text)
const head = (lines: { phase: string; safeFor: string }): string =>
  `-- phase: ${lines.phase}\n-- safe-for: ${lines.safeFor}\n\n`
const first = step(1, 'create table one (id integer primary key); grant select on schema_migrations to service_system')
const second = step(2, 'create table two (id integer primary key); insert into one values (1)')

async function query<Answer>(run: (db: ReturnType<typeof openDatabase>) => Promise<Answer>): Promise<Answer> {
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

test('the migrations are numbered from 1, without gaps and without a number twice', async () => {
  const numbers = (await readMigrations()).map(({ number }) => number)
  expect(numbers).toEqual(numbers.map((_, at) => at + 1))
})

test('a database of an earlier version gets the new migrations, and keeps its data', async () => {
  const landed = await readMigrations()
  await migrate(address, silent, { migrations: landed })
  const next = step(landed.length + 1, "insert into workspaces (id, name) values (gen_random_uuid(), 'later')")
  expect(await migrate(address, silent, { migrations: [...landed, next] })).toEqual([next.name])
})

test('starts at the same moment apply each migration once', async () => {
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(address, silent)))
  expect(applied.flat()).toEqual((await readMigrations()).map(({ name }) => name))
})

test('a migration that fails leaves no trace, and those before it stay', async () => {
  const broken = step(2, 'create table half (id integer); select 1 / 0')
  await expect(migrate(address, silent, { migrations: [first, broken] })).rejects.toMatchObject({
    code: 'migration_refused',
  })
  const { rejects } = expect(migrate(address, silent, { migrations: [first, broken] }))
  await rejects.toThrow(/0002_step\.sql could not be applied: division by zero/)
  // Mended, it goes on where it stopped.
  expect(await migrate(address, silent, { migrations: [first, second] })).toEqual([second.name])
})

test('a landed file that was changed is refused', async () => {
  await migrate(address, silent, { migrations: [first, second] })
  const { rejects } = expect(migrate(address, silent, { migrations: [{ ...first, checksum: 'another' }, second] }))
  await rejects.toThrow(/differs from what/)
})

describe('a database with a migration that this version does not know', () => {
  const own = { migrations: [first], version: '1.4.0' }
  const state = (): Promise<SchemaState> => query((db) => schemaState(db.system, own))
  const ofNewerVersion = (text: string): Promise<string[]> =>
    migrate(address, silent, { migrations: [first, step(2, text)], version: '1.5.0' })
  beforeEach(async () => {
    await migrate(address, silent, { migrations: [first] })
  })

  test.each(['1.4.0', '1.3.9', '1.4.0-rc.1', '0.9.12'])(
    'is ready, and opened, when it is safe for %s',
    async (safeFor) => {
      await ofNewerVersion(`${head({ phase: 'expand', safeFor })}create table two (id integer)`)
      expect(await state()).toBe('ready')
      expect(await migrate(address, silent, own)).toEqual([])
    },
  )

  test.each(['1.4.1', '1.10.0', '2.0.0', 'soon'])(
    'is not ready, and refused, when it is safe for %s',
    async (safeFor) => {
      await ofNewerVersion(`${head({ phase: 'contract', safeFor })}drop table one`)
      expect(await state()).toBe('newer')
      await expect(migrate(address, silent, own)).rejects.toThrow(
        /0002_step\.sql, with which this version does not work/,
      )
    },
  )

  test('is not ready when the migration says nothing', async () => {
    await ofNewerVersion('create table two (id integer)')
    expect(await state()).toBe('newer')
  })

  test('is pending when one of its own is missing, whatever newer ones there are', async () => {
    await ofNewerVersion(`${head({ phase: 'expand', safeFor: '1.0.0' })}create table two (id integer)`)
    const migrations = [first, step(3, 'create table three (id integer)')]
    expect(await query((db) => schemaState(db.system, { migrations, version: '1.4.0' }))).toBe('pending')
    expect(await migrate(address, silent, { migrations, version: '1.4.0' })).toEqual(['0003_step.sql'])
    expect(await query((db) => schemaState(db.system, { migrations, version: '1.4.0' }))).toBe('ready')
  })

  test('stays readable while a start gives its table the new columns', async () => {
    const driver = openPool(address, { name: 'test', connectionsMax: 1, statementMs: 0 })
    await driver`alter table schema_migrations drop column phase, drop column safe_for`
    const db = openDatabase(address)
    try {
      expect(await schemaState(db.system, own)).toBe('ready')
      await ofNewerVersion(`${head({ phase: 'expand', safeFor: '1.4.0' })}create table two (id integer)`)
      for (let asked = 0; asked < 20; asked++) expect(await schemaState(db.system, own)).toBe('ready')
    } finally {
      await db.close()
      await driver.end()
    }
  })
})

test('a migration gives up its place behind a lock, comes again, and refuses the start in the end', async () => {
  await migrate(address, silent, { migrations: [first] })
  const others = openPool(address, { name: 'test', connectionsMax: 2, statementMs: 0 })
  const { log, lines } = recordingLog()
  const migrations = [first, step(2, 'alter table one add column more text')]
  try {
    await others.begin(async (reader) => {
      await reader`select from one`
      const refused = migrate(address, log, { migrations, lockMs: 50, lockAttemptsMax: 2 })
      await expect(refused).rejects.toThrow(/lock timeout; end the transactions that hold the table/)
      // Whoever comes after it does not wait.
      await others`select from one`
    })
  } finally {
    await others.end()
  }
  expect(lines.filter(({ msg }) => msg === 'a migration waits for a lock on a table')).toHaveLength(1)
  expect(await migrate(address, silent, { migrations })).toEqual(['0002_step.sql'])
})

test('a start that waits for another start ends in time', async () => {
  const other = openPool(address, { name: 'test', connectionsMax: 1, statementMs: 0 })
  await other`select pg_advisory_lock(7305870214)`
  const { rejects } = expect(migrate(address, silent, { migrations: [first], turnMsMax: 100 }))
  await rejects.toThrow(/another start of the service is migrating/)
  await other.end()
})

test('an index is made without a lock, while another start waits, and a file that failed starts again', async () => {
  const text = `${head({ phase: 'expand', safeFor: '0.2.0' })}-- transaction: none
`.replace('\n\n--', '\n--')
  const index = step(
    2,
    `${text}
drop index concurrently if exists one_by_id;
create unique index concurrently one_by_id on one (id);
`,
  )
  await migrate(address, silent, { migrations: [first] })
  const driver = openPool(address, { name: 'test', connectionsMax: 1, statementMs: 0 })
  try {
    await driver.unsafe('alter table one drop constraint one_pkey; insert into one values (1), (1)')
    await expect(migrate(address, silent, { migrations: [first, index] })).rejects.toThrow(
      /could not create unique index/,
    )
    await driver.unsafe('truncate one')
    const starts = [1, 2, 3].map(() => migrate(address, silent, { migrations: [first, index] }))
    expect((await Promise.all(starts)).flat()).toEqual([index.name])
    const [found] = await driver`select indisvalid from pg_index where indexrelid = 'one_by_id'::regclass`
    expect(found).toEqual({ indisvalid: true })
  } finally {
    await driver.end()
  }
})

describe('the lint of migrations', () => {
  test('finds nothing in those of this version', async () => {
    expect((await readMigrations()).flatMap(problemsOf)).toEqual([])
  })

  const expand = head({ phase: 'expand', safeFor: '0.2.0' })
  test.each([
    ['create table x (id uuid primary key); create index x_by_id on x (id)', []],
    ['alter table turns add column note text', []],
    ['alter table turns add column isGood boolean not null default false, add column more text', []],
    ['alter table turns drop constraint c; alter table turns add constraint c check (a > 0) not valid', []],
    ['create function f() returns void language sql as $$ drop table turns $$', []],
    ['-- drop table turns;', []],
    ['drop table turns', [/drops/]],
    ['alter table turns drop column model', [/drops/]],
    ['alter table turns add column a text, drop model', [/drops/]],
    ['alter table turns drop constraint c', [/drops/]],
    ['alter table turns rename column a to b', [/renames/]],
    ['ALTER TABLE turns\n  ALTER COLUMN a TYPE text', [/type/]],
    ['alter table turns alter a set not null', [/not null/]],
    ['alter table turns add column a text not null', [/not null without a default/]],
    ['alter table turns add constraint c check (a > 0)', [/not valid/]],
    ['alter table turns add constraint c unique (a)', [/under a lock/]],
    ['create index turns_by_a on turns (a)', [/without concurrently/]],
    ['create unique index if not exists turns_by_a on turns using btree (a)', [/without concurrently/]],
    ['truncate turns', [/drops/]],
  ])('reads %s', (text, problems) => {
    const found = problemsOf(step(99, expand + text))
    expect(found).toEqual(problems.map((problem) => expect.stringMatching(problem)))
  })

  test('wants a head, and lets a contract migration take away', () => {
    expect(problemsOf(step(99, 'select 1'))).toEqual([
      expect.stringContaining('-- phase: expand'),
      expect.stringContaining('-- safe-for: 1.2.3'),
    ])
    expect(problemsOf(step(99, `${head({ phase: 'contract', safeFor: '0.3.0' })}drop table turns`))).toEqual([])
  })

  test('wants files without a transaction to be repeatable', () => {
    const none = expand.replace(/\n\n$/, '\n-- transaction: none\n\n')
    const made = 'create index concurrently i on turns (a)'
    expect(problemsOf(step(99, `${none}drop index concurrently if exists i;\n${made};`))).toEqual([])
    expect(problemsOf(step(99, `${none}${made};`))).toEqual([expect.stringContaining('cannot be started again')])
    expect(problemsOf(step(99, `${none}insert into turns values (1);`))).toHaveLength(1)
  })
})
