/** A connection that is lost fails what was asked over it, and nothing that is asked meanwhile gets the answer to something else. */
import { Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DatabaseAddress, Servers } from '../../store/postgres/address.ts'
import { openPool } from '../../store/postgres/pool.ts'
import { freshAddress } from '../support/database.ts'

let address: DatabaseAddress
let drop: () => Promise<void>
beforeAll(async () => {
  ;({ address, drop } = await freshAddress())
})
afterAll(() => drop())

/** Of one server, whose connections the test has in its hand. */
function serversWith(sockets: Socket[]): Servers {
  return {
    states: [],
    chosen: undefined,
    look: async () => [],
    notePromotion() {},
    onLook() {},
    async connect() {
      const socket = new Socket()
      sockets.push(socket)
      return socket.connect(`${address.host}/.s.PGSQL.${address.port}`)
    },
  }
}

test.each(['idle', 'busy'] as const)(
  'a query on an %s connection that is being lost fails, and those after it have their own answers',
  async (state) => {
    const sockets: Socket[] = []
    const driver = openPool(
      { ...address, servers: serversWith(sockets) },
      { name: 'test', connectionsMax: 1, statementMs: 0 },
    )
    const value = async (n: number) => (await driver<{ n: number }[]>`select ${n}::int as n`)[0]?.n
    expect(await value(1)).toBe(1)
    const [socket] = sockets
    const before = socket?.bytesWritten ?? 0
    const under = state === 'busy' ? driver`select pg_sleep(10)`.catch(() => 'lost') : undefined
    if (under) await expect.poll(() => socket?.bytesWritten).toBeGreaterThan(before)

    socket?.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
    // Node tells the error with the next tick, and that the connection is closed at the end of the turn of the loop.
    const between = new Promise<(number | string | undefined)[]>((resolve) => {
      setImmediate(() => resolve(Promise.all([value(2).catch(() => 'lost'), value(3).catch(() => 'lost')])))
    })
    expect(await between).toEqual([expect.toBeOneOf([2, 'lost']), expect.toBeOneOf([3, 'lost'])])
    if (under) expect(await under).toBe('lost')
    for (const n of [4, 5, 6]) expect(await value(n)).toBe(n)
    await driver.end({ timeout: 1 })
  },
  10_000,
)
