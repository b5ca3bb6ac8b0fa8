import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { DatabaseDown, TransactionLost, TransactionOver } from '../../store/errors.ts'
import type { Query } from '../../store/postgres/query.ts'
import { asOwner, type FreshDatabase, freshDatabase } from '../support/database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())
beforeEach(async () => {
  await fresh.db.system`delete from settings`
})

function insert(query: Query, key: string): Promise<object[]> {
  return query`insert into settings (key, value, is_sealed, updated_by) values (${key}, 'x', false, 'test')`
}

async function storedKeys(): Promise<string[]> {
  const rows = await fresh.db.system<{ key: string }>`select key from settings order by key`
  return rows.map((row) => row.key)
}

/** Ends the connection that `query` runs on, and waits until its process is gone. */
async function killConnectionOf(query: Query): Promise<void> {
  const [row] = await query<{ pid: number }>`select pg_backend_pid() as pid`
  await asOwner(`select pg_terminate_backend(${row?.pid ?? 0}, 5000)`)
}

test('a transaction commits all that it wrote', async () => {
  await fresh.db.transaction('system', async (query) => {
    await insert(query, 'a')
    await insert(query, 'b')
  })
  expect(await storedKeys()).toEqual(['a', 'b'])
})

test('an error of the work reaches the caller, and nothing is written', async () => {
  const work = fresh.db.transaction('system', async (query) => {
    await insert(query, 'a')
    throw new RangeError('mine')
  })
  await expect(work).rejects.toThrow(new RangeError('mine'))
  expect(await storedKeys()).toEqual([])
})

test('a failed statement fails the transaction also when work swallows its error', async () => {
  const work = fresh.db.transaction('system', async (query) => {
    await insert(query, 'a')
    await query`select 1 / 0`.catch(() => undefined)
    return 'all well'
  })
  await expect(work).rejects.toMatchObject({ code: '22012' })
  expect(await storedKeys()).toEqual([])
})

test('when the connection is killed during a transaction, its later queries are refused and nothing is written', async () => {
  const { db } = fresh
  const after: unknown[] = []
  const done = Promise.withResolvers<void>()
  const work = db.transaction('system', async (query) => {
    await insert(query, 'before')
    await killConnectionOf(query)
    // The pool has other work meanwhile, which brings up a new connection.
    await Promise.all(Array.from({ length: 8 }, () => db.transaction('system', (other) => other`select 1`)))
    for (const key of ['after1', 'after2']) after.push(await insert(query, key).catch((error: unknown) => error))
    done.resolve()
  })
  await expect(work).rejects.toBeInstanceOf(DatabaseDown)
  await done.promise
  expect(after).toEqual([expect.any(TransactionLost), expect.any(TransactionLost)])
  expect(await storedKeys()).toEqual([])
})

test('queries that wait behind a killed statement do not run on the next connection', async () => {
  const started = Promise.withResolvers<number>()
  const work = fresh.db.transaction('system', async (query) => {
    const [row] = await query<{ pid: number }>`select pg_backend_pid() as pid`
    const all = [query`select pg_sleep(20)`, ...Array.from({ length: 150 }, (_, at) => insert(query, `k${at}`))]
    started.resolve(row?.pid ?? 0)
    await Promise.all(all)
  })
  const outcome = expect(work).rejects.toBeInstanceOf(DatabaseDown)
  await asOwner(`select pg_terminate_backend(${await started.promise}, 5000)`)
  await outcome
  await fresh.db.transaction('system', (query) => query`select 1`)
  expect(await storedKeys()).toEqual([])
})

test('the pool works on after its connections were killed', async () => {
  const { db } = fresh
  for (let round = 0; round < 5; round++) {
    await db.transaction('system', (query) => killConnectionOf(query)).catch(() => undefined)
  }
  await db.transaction('system', (query) => insert(query, 'a'))
  expect(await storedKeys()).toEqual(['a'])
})

test('a query after the end of its transaction is refused', async () => {
  let escaped: Query | undefined
  await fresh.db.transaction('system', async (query) => {
    escaped = query
  })
  await expect(escaped && insert(escaped, 'late')).rejects.toBeInstanceOf(TransactionOver)
  expect(await storedKeys()).toEqual([])
})

test('parallel transactions are isolated, and those without a free connection wait', async () => {
  await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      fresh.db.transaction('system', async (query) => {
        await insert(query, `p${at}`)
        if (at % 2) throw new Error('odd')
      }),
    ).map((work) => work.catch(() => undefined)),
  )
  expect(await storedKeys()).toHaveLength(10)
})

test('an idle connection that is closed ends nobody else’s transaction', async () => {
  const { db, address } = fresh
  await Promise.all([1, 2].map(() => db.transaction('system', (query) => query`select pg_sleep(0.05)`)))
  await db.transaction('system', async (query) => {
    const [own] = await query<{ pid: number }>`select pg_backend_pid() as pid`
    await asOwner(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = '${address.database}' and pid <> ${own?.pid}`)
    await insert(query, 'kept')
  })
  expect(await storedKeys()).toEqual(['kept'])
})

test('errors do not quote the row that was refused', async () => {
  const secret = 'the-secret-value'
  await insert(fresh.db.system, secret)
  const error = await insert(fresh.db.system, secret).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: '23505' })
  expect(
    JSON.stringify(error, Object.getOwnPropertyNames(error)).replace(/"(parameters|args)":\[[^\]]*\]/g, ''),
  ).not.toContain(secret)
})
