import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../runtime/time/clock.ts'
import { newWorkspaceId, uuidOf } from '../../../store/id.ts'
import { checkQueryRole, dbQuery } from '../../../tools/db-query.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import { call, toolContext, toolDependencies } from '../files/support/call.ts'
import { mine, type Orders, openOrders, password, theirs } from './support/orders.ts'

let orders: Orders
beforeAll(async () => {
  orders = await openOrders()
})
afterAll(() => orders.close())

const failure = (sql: string) => orders.query(sql).catch((error: unknown) => error)

describe('what comes back', () => {
  test('rows come as JSON, in the order of the query, with the names of their columns', async () => {
    expect(await orders.query('select item, price from orders order by price desc;')).toBe(
      '2 rows.\n\n{"item":"pears","price":2.25}\n{"item":"apples","price":1.50}',
    )
    expect(await orders.query('select id from orders', { workspaceId: theirs })).toContain('{"id":3}')
    expect(await orders.query('select * from orders', { workspaceId: newWorkspaceId() })).toBe('No rows.')
  })

  test('numbers keep all of their digits, and columns of one name are all there', async () => {
    expect(await orders.query('select 9007199254740993 as a, 1.10 as a -- end')).toBe(
      '1 row.\n\n{"a":9007199254740993,"a":1.10}',
    )
  })

  test('200 rows come back and no more, and it is said', async () => {
    const all = await orders.query('select n from generate_series(1, 200) n')
    expect(all).toMatch(/^200 rows\.\n\n/)
    const more = await orders.query('select n from generate_series(1, 1000000) n')
    expect(more).toMatch(/^The first 200 rows; there are more\.\n\n/)
    expect(more.split('\n').slice(2)).toHaveLength(200)
  })

  test('64 KiB come back and no more, however long a row is, and the server keeps the rest', async () => {
    const some = await orders.query("select repeat('x', 10000) as x from generate_series(1, 100)")
    expect(some).toMatch(/^The first 6 rows; the next does not fit/)
    expect(Buffer.byteLength(some)).toBeLessThan(66_000)
    const before = process.memoryUsage().rss
    expect(await orders.query("select repeat('x', 80000000) as x")).toMatch(/^The first 0 rows; the next does not fit/)
    expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000)
  })
})

describe('what fails', () => {
  test('a mistake is told in PostgreSQL’s words, with its place in the text', async () => {
    expect(await failure('select itm from orders')).toMatchObject({
      code: 'query_failed',
      message: 'The query failed: column "itm" does not exist, at character 8 (42703).',
    })
    expect(await failure('selec 1')).toMatchObject({ message: 'syntax error at or near "selec", at character 1.' })
    expect(await failure('select 1 / 0')).toMatchObject({ message: 'The query failed: division by zero (22012).' })
    expect(await failure('select * from canary')).toMatchObject({
      message: expect.stringContaining('permission denied'),
    })
  })

  test('after a failure the connection serves the next call', async () => {
    for (let round = 0; round < 6; round++) await failure('select 1 / 0')
    expect(await orders.query('select 1 as one')).toBe('1 row.\n\n{"one":1}')
  })

  test('a turn that is cancelled does not wait for the database', async () => {
    const cancel = new AbortController()
    const many = Array.from({ length: 6 }, (_, at) => `generate_series(1, 100) as n${at}`).join(', ')
    const slow = orders.query(`select count(*) from ${many}`, { signal: cancel.signal })
    const startedMs = performance.now()
    setImmediate(() => cancel.abort(new Error('cancelled')))
    await expect(slow).rejects.toThrow('cancelled')
    // The database would work on it until the ten seconds of a statement are over.
    expect(performance.now() - startedMs).toBeLessThan(8_000)
    const ended = AbortSignal.abort(new Error('over'))
    await expect(orders.query('select 1', { signal: ended })).rejects.toThrow('over')
  })

  test('connections that are killed are made anew', async () => {
    await orders.query('select 1')
    await orders.owner`select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename = ${orders.role}`
    const later = await orders.query('select 1 as one').catch(() => orders.query('select 1 as one'))
    expect(later).toContain('{"one":1}')
  })

  test('it holds two connections at most, whatever is asked at once', async () => {
    const asked = Array.from({ length: 12 }, () => orders.query('select count(*) from generate_series(1, 100000)'))
    const [most] =
      await orders.owner`select count(*)::int as count from pg_stat_activity where usename = ${orders.role}`
    await Promise.all(asked)
    expect(most?.['count']).toBeLessThanOrEqual(2)
  })
})

describe('what holds whatever the text says, shown by views that do what a text may not', () => {
  async function view(definition: string): Promise<string> {
    const { owner, role } = orders
    await owner.unsafe(`create view sly as ${definition}; grant select on sly to ${role}`)
    const outcome = await orders.query('select * from sly').catch((error: Error) => error.message)
    await owner.unsafe('drop view sly')
    return outcome
  }

  test('the transaction is read only, and what takes long or waits for a lock ends', async () => {
    expect(await view("select touch('x')")).toContain('read-only transaction (25006)')
    const names = ['statement_timeout', 'lock_timeout', 'transaction_read_only', 'standard_conforming_strings']
    const settings = names.map((name) => `current_setting('${name}') as ${name}`).join(', ')
    expect(await view(`select ${settings}`)).toContain(
      '{"statement_timeout":"10s","lock_timeout":"2s","transaction_read_only":"on","standard_conforming_strings":"on"}',
    )
  })

  test('a lock and a setting of the session are gone with the call', async () => {
    expect(await view("select pg_try_advisory_lock(5), set_config('service.workspace_id', 'x', false)")).toContain(
      '1 row.',
    )
    expect(await orders.query('select count(*) from orders')).toContain('{"count":2}')
    expect(await orders.query('select count(*) from orders')).toContain('{"count":2}')
    const here = orders.owner`(select oid from pg_database where datname = current_database())`
    expect(await orders.owner`select * from pg_locks where locktype = 'advisory' and database = ${here}`).toEqual([])
    expect(await view("select current_setting('service.workspace_id') as workspace")).toContain(uuidOf(mine))
  })
})

describe('the address', () => {
  test('without one the tool is off', () => {
    expect(dbQuery(toolDependencies({}).dependencies)).toBeUndefined()
  })

  test('one that is none is refused without being quoted', () => {
    const dsn = `mysql://u:${password}@h/d`
    const make = () => dbQuery(toolDependencies({ SERVICE_DB_QUERY_DSN: dsn }).dependencies)
    expect(make).toThrow('SERVICE_DB_QUERY_DSN must be an address such as')
    expect(make).not.toThrow(password)
  })

  test.each(['a password that is wrong', 'a server that is away', 'a server that hangs up'])(
    '%s is told to the model in general words, and to the log without the password',
    async (trouble) => {
      const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1')
      await new Promise((ready) => server.once('listening', ready))
      const { port } = server.address() as { port: number }
      const dsn = {
        'a password that is wrong': orders.dsn.replace(password, `${password}-not`),
        'a server that is away': `postgres://u:${password}@127.0.0.1:1/d`,
      }[trouble]
      const clock = virtualClock()
      const { dependencies: real, lines } = toolDependencies({
        SERVICE_DB_QUERY_DSN: dsn ?? `postgres://u:${password}@127.0.0.1:${port}/d`,
      })
      const dependencies = { ...real, clock }
      const tool = dbQuery(dependencies)
      if (!tool) throw new Error('the tool is off')
      let error: unknown
      const asked = call(tool, toolContext(dependencies), { sql: 'select 1' }).catch((thrown: unknown) => {
        error = thrown
      })
      while (error === undefined) await clock.advance(100)
      await asked
      await tool.close?.()
      server.close()
      expect(error).toMatchObject({ name: 'ToolFailed', code: 'database_down' })
      expect(`${error}${JSON.stringify(lines)}`).not.toContain(password)
      expect(lines).toContainEqual(expect.objectContaining({ msg: 'the database of db_query cannot be used' }))
    },
  )
})

test.each(['superuser', 'bypassrls'])(
  'a role that is %s is refused at the call, and named by the check',
  async (power) => {
    const { owner, role, dsn } = orders
    await owner.unsafe(`alter role ${role} ${power}`)
    try {
      await expect(orders.query('select 1')).rejects.toMatchObject({ code: 'refused_role' })
      expect(await checkQueryRole(dsn, systemClock)).toContainEqual(expect.stringContaining('db_query refuses it'))
    } finally {
      await owner.unsafe(`alter role ${role} no${power}`)
    }
  },
)

test('the check says in sentences what the role may do, and nothing of one that may do nothing more', async () => {
  const { owner, role, dsn } = orders
  await owner.unsafe('revoke execute on function set_config(text, text, boolean) from public')
  expect(await checkQueryRole(dsn, systemClock)).toEqual([])
  await owner.unsafe(`
    grant execute on function set_config(text, text, boolean) to public;
    create table loose (a int); grant select, delete on loose to ${role};
    create view orders_view as select * from orders; grant select on orders_view to ${role};
    create table owned (a int); alter table owned enable row level security; alter table owned owner to ${role};
    grant pg_monitor to ${role}`)
  const warnings = (await checkQueryRole(dsn, systemClock)).join('\n')
  expect(warnings.split('\n')).toHaveLength(6)
  for (const words of [
    'pg_monitor',
    'owns public.owned',
    'write to public.loose',
    'set_config',
    'reads all rows of public.loose',
    'public.orders_view with the rights',
  ]) {
    expect(warnings).toContain(words)
  }
  expect(warnings).not.toContain(password)
})

test('a role that cannot execute set_config is served all the same', async () => {
  await orders.owner.unsafe('revoke execute on function set_config(text, text, boolean) from public')
  expect(await orders.query('select count(*) from orders')).toBe('1 row.\n\n{"count":2}')
})
