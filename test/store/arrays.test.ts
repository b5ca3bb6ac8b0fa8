/** Arrays as they come from PostgreSQL and go to it, and a pool that is lost while it connects. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool } from '../../store/postgres/pool.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

test('arrays come back as they were sent', async () => {
  const texts = ['plain', '', ' ', 'a,b', '{x}', 'NULL', '"q" \\ \\"', 'строка\n\t', null]
  const sent = {
    texts,
    numbers: [1, -2, 3.5],
    flags: [true, false, null],
    times: [null, new Date('2026-01-02T03:04:05.678Z')],
    objects: [{ a: ['"', '\\'] }, null],
    none: [],
  }
  const [row] = await fresh.db.system`
    select ${sent.texts}::text[] as texts, ${sent.numbers}::float8[] as numbers, ${sent.flags}::boolean[] as flags,
      ${sent.times}::timestamptz[] as times,
      ${sent.objects.map((object) => JSON.stringify(object))}::text[]::jsonb[] as objects, ${sent.none}::int[] as none`
  expect(row).toEqual({ ...sent, objects: [sent.objects[0], null] })
})

test('arrays of arrays, and those with bounds of their own, are read', async () => {
  const [row] = await fresh.db.system`
    select array[['a', 'b'], ['c"', null]] as nested, '[2:3]={7,8}'::int[] as bounded, array_agg(x order by x) as bigints
    from unnest(array[1, 2]::bigint[]) as x`
  expect(row).toEqual({
    nested: [
      ['a', 'b'],
      ['c"', null],
    ],
    bounded: [7, 8],
    bigints: ['1', '2'],
  })
})

test('a connection that is lost as soon as it is open leaves no rejection behind', async () => {
  const rejections: unknown[] = []
  const onRejection = (reason: unknown) => rejections.push(reason)
  process.on('unhandledRejection', onRejection)
  let connections = 0
  // Lets everybody in, and hangs up at the first statement.
  const server = createServer((socket) => {
    connections++
    socket.once('data', () => {
      socket.write(Buffer.from([...'R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I'].map((character) => character.charCodeAt(0))))
      socket.once('data', () => socket.destroy())
    })
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const pool = openPool(
    { url: `postgres://service@127.0.0.1:${port}/service` },
    { name: 'test', connectionsMax: 1, statementMs: 0 },
  )
  await expect(pool.unsafe('select 1')).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
  expect(connections).toBe(1)
  await pool.end({ timeout: 0 })
  server.close()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', onRejection)
  expect(rejections).toEqual([])
})
