/** A node whose start takes longer than the lease: the others lose no slot to it before it can use one, and none twice. */
import { expect, onTestFinished, test } from 'vitest'
import { leaseMs } from '../../../runtime/nodes/leases.ts'
import { readSlots } from '../../../store/nodes/slots.ts'
import { freshAddress } from '../../support/database.ts'
import { gatewayUnderTest } from '../../support/gateway.ts'
import { busBetween } from '../../support/lossy-bus.ts'

test('a node gets its slots once, when it has started, however long that takes', async () => {
  const { address, drop } = await freshAddress()
  onTestFinished(drop)
  const between = busBetween()
  const environment = { SERVICE_MASTER_KEY: Buffer.alloc(32, 'n').toString('base64') }
  const start = () => gatewayUnderTest(environment, { address, bus: (node) => between.of(node) })
  const one = await start()
  onTestFinished(() => one.stop())
  const leases = async () => (await readSlots(one.db)).map(({ lease }) => lease)
  const before = await leases()

  let coming: ReturnType<typeof start> | undefined
  await one.db.transaction('system', async (query) => {
    // Agents are read after the records have been opened.
    await query`lock table agents in access exclusive mode`
    coming = start()
    const [waits] = await query`select pg_sleep(${(leaseMs + 1_500) / 1_000}::float8)`
    expect(waits).toBeDefined()
  })
  expect(await leases()).toEqual(before)
  const other = await coming
  onTestFinished(() => other?.stop())
  await expect
    .poll(() => [one, other].map((node) => node?.gateway.stats().slots), { timeout: 10_000 })
    .toEqual([128, 128])
  expect(other?.lines).toContainEqual(expect.objectContaining({ msg: 'ready', node: other?.gateway.node }))
  const moves = (await leases()).map((lease, slot) => lease - (before[slot] ?? 0))
  expect(moves.filter((count) => count === 1)).toHaveLength(128)
  expect(moves.filter((count) => count === 0)).toHaveLength(128)
})
