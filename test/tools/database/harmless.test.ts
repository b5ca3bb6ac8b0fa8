import { afterAll, beforeAll, expect, test } from 'vitest'
import { harmlessCatalogs, harmlessFunctions, harmlessInformation } from '../../../tools/database/harmless.ts'
import { type Orders, openOrders } from './support/orders.ts'

let orders: Orders
beforeAll(async () => {
  orders = await openOrders()
})
afterAll(() => orders.close())

/** Of those that count as volatile: they give another value each time, and that is all they do. */
const volatileAndHarmless = [
  ...['array_sample', 'array_shuffle', 'clock_timestamp', 'gen_random_uuid', 'random', 'random_normal', 'timeofday'],
  ...['uuidv4', 'uuidv7'],
]

test('of PostgreSQL’s volatile functions the list has only those that have no effect', async () => {
  const rows = await orders.owner<{ name: string }[]>`
    select distinct proname::text as name from pg_proc
    where provolatile = 'v' and pronamespace = 'pg_catalog'::regnamespace order by 1`
  expect(rows.length).toBeGreaterThan(200)
  expect(rows.map(({ name }) => name).filter((name) => harmlessFunctions.has(name))).toEqual(volatileAndHarmless)
})

test('every function on the list exists, and none is of another schema', async () => {
  const rows = await orders.owner<{ name: string }[]>`
    select distinct proname::text as name from pg_proc where pronamespace = 'pg_catalog'::regnamespace`
  const names = new Set(rows.map(({ name }) => name))
  expect([...harmlessFunctions].filter((name) => !names.has(name))).toEqual([])
})

test('no operator and no cast of PostgreSQL’s own has an effect, so that they need no list', async () => {
  const rows = await orders.owner`
    select oid::regprocedure from pg_proc where provolatile = 'v' and pronamespace = 'pg_catalog'::regnamespace
      and (oid in (select oprcode from pg_operator) or oid in (select castfunc from pg_cast))`
  expect(rows).toEqual([])
})

test('every function with one argument that is not on the list and may do something is refused behind a dot', async () => {
  const rows = await orders.owner<{ name: string }[]>`
    select distinct proname::text as name from pg_proc
    where pronamespace = 'pg_catalog'::regnamespace and pronargs >= 1 and pronargs - pronargdefaults <= 1
      and (provolatile = 'v' or proname like 'pg\_%')`
  const names = rows.map(({ name }) => name).filter((name) => !harmlessFunctions.has(name))
  expect(names.length).toBeGreaterThan(100)
  const columns = names.map((name) => `x.${name}`).join(',')
  const error = await orders.query(`select ${columns} from generate_series(1, 0) x`).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'refused_query' })
  const refused = new Set(/database: ([^;]*);/.exec(String(error))?.[1]?.split(', '))
  expect(names.filter((name) => !refused.has(name))).toEqual([])
})

test('every system relation that is not on the list is refused, whether its schema is named or not', async () => {
  const rows = await orders.owner<{ name: string; schema: string }[]>`
    select relname::text as name, nspname::text as schema from pg_class join pg_namespace n on n.oid = relnamespace
    where nspname in ('pg_catalog', 'information_schema') and relkind in ('r', 'v')`
  const isListed = ({ schema, name }: (typeof rows)[number]) =>
    (schema === 'pg_catalog' ? harmlessCatalogs : harmlessInformation).has(name)
  for (const row of rows.filter((candidate) => !isListed(candidate))) {
    const names = row.schema === 'pg_catalog' ? [row.name, `pg_catalog.${row.name}`] : [`${row.schema}.${row.name}`]
    for (const name of names) {
      await expect(orders.query(`select 1 from ${name}`), name).rejects.toMatchObject({ code: 'refused_query' })
    }
  }
})

test('those on the list can be read', async () => {
  const names = [...[...harmlessInformation].map((name) => `information_schema.${name}`), ...harmlessCatalogs]
  for (const name of names) expect(await orders.query(`select count(*) from ${name}`), name).toContain('1 row.')
})

test.each([
  `select extract(year from date '2020-02-03'), position('b' in 'abc'), substring('abc' from 2), trim('x' from 'xax'),
    overlay('abc' placing 'x' from 2), timestamp '2020-01-01' at time zone 'utc', 'a' similar to 'a|b',
    (date '2020-01-01', date '2020-02-01') overlaps (date '2020-01-15', date '2020-03-01'), normalize('a'), 'a' is normalized`,
  `select coalesce(null, 1), greatest(1, 2), nullif(1, 2), current_date, current_user, collation for ('a' collate "C"),
    json_object('a': 1), json_array(1, 2), '{}' is json, 'a' like 'a!%' escape '!', 5 between 1 and 9`,
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5)
    select i, sum(i) over w, rank() over w from n window w as (order by i rows between 1 preceding and current row)`,
  `select item, count(*), grouping(item), percentile_cont(0.5) within group (order by price), array_agg(id order by id desc)
    from orders group by rollup(item) having count(*) > 0 order by item nulls last`,
  `select o.item, x.n, a.b, (array[1, 2])[1:1], (row(1, 2)).f1 from orders o cross join lateral generate_series(1, 2) x(n)
    left join (values (1, 'x')) as a(id, b) using (id) where exists (select 1) and o.id = any(array[1, 2])`,
  `select * from json_to_recordset('[{"a": 1}]') as t(a int), jsonb_each('{"k": 2}') e`,
  `select to_char(now(), 'YYYY'), upper(item) || '!', item ~ '^a', price::int, 'orders'::regclass from orders`,
  `(select id from orders order by 1 limit 1 offset 0) union all (values (7)) except select 9 intersect select 9`,
])('an ordinary query is not refused: %s', async (sql) => {
  expect(await orders.query(sql)).toMatch(/^\d+ rows?\./)
})
