import { afterEach, beforeEach, expect, test } from 'vitest'
import { heartBeat, loseNodes, registerNode } from '../../../store/nodes/nodes.ts'
import { followPrimary } from '../../../store/nodes/primary.ts'
import { giveSlots, readSlots, takeSlots } from '../../../store/nodes/slots.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database.ts'
import { registeredNode } from '../../support/registered-node.ts'

let fresh: FreshDatabase

beforeEach(async () => {
  fresh = await freshDatabase()
})
afterEach(() => fresh.drop())

const leaseMs = 60_000
const register = () => registeredNode(fresh.db)
const beat = (epoch: number) => heartBeat(fresh.db, { epoch, leaseMs })

/** As after a promotion: what the database says of its primary is of an earlier timeline than the server's. */
const promote = () => fresh.db.system`update primaries set timeline = timeline - 1`

test('after a promotion nobody lives, takes or gives before the leases are new', async () => {
  const [first, second] = [await register(), await register()]
  await takeSlots(fresh.db, first, (await readSlots(fresh.db)).slice(0, 10))
  await promote()
  expect(await beat(first)).toMatchObject({ isKnownPrimary: false, isThere: true, wasKept: false })
  const free = (await readSlots(fresh.db)).slice(10)
  expect(await takeSlots(fresh.db, second, free)).toEqual([])
  expect(await giveSlots(fresh.db, { from: first, to: second }, [1])).toEqual([])
  await followPrimary(fresh.db, leaseMs)
  expect(await beat(first)).toMatchObject({ isKnownPrimary: true, wasKept: true, generation: 1 })
  expect(await giveSlots(fresh.db, { from: first, to: second }, [1])).toEqual([1])
})

test('no lease of the new primary equals one of the old, whatever of it was not copied', async () => {
  const node = await register()
  await takeSlots(fresh.db, node, await readSlots(fresh.db))
  const before = await readSlots(fresh.db)
  await promote()
  await Promise.all([followPrimary(fresh.db, leaseMs), followPrimary(fresh.db, leaseMs)])
  const after = await readSlots(fresh.db)
  expect(after.map(({ slot, node: owner }) => [slot, owner])).toEqual(before.map((slot) => [slot.slot, node]))
  // Once, though two noticed it; and above whatever the old primary went on to count up to.
  for (const { lease } of after) expect(lease).toBe(2 ** 32 + 2)
})

test('a node whose registration was not copied registers again under its number, and that number is nobody else’s', async () => {
  const known = await register()
  const lost = await register()
  await fresh.db.system`delete from instances where epoch = ${lost}`
  await promote()
  await followPrimary(fresh.db, leaseMs)
  expect(await register()).toBeGreaterThan(lost + 900)
  expect(await beat(lost)).toMatchObject({ isThere: false, wasKept: false })
  await registerNode(fresh.db, { epoch: lost, version: '1', pid: 1 }, leaseMs)
  expect(await beat(lost)).toMatchObject({ isThere: true, wasKept: true })
  expect(await beat(known)).toMatchObject({ wasKept: true })
})

test('who lived at the promotion is not taken for dead because of the time in which there was no primary', async () => {
  const node = await register()
  const other = await register()
  await fresh.db.system`update instances set expires_at = clock_timestamp() - interval '3 s'`
  await promote()
  await followPrimary(fresh.db, leaseMs)
  expect(await loseNodes(fresh.db, node, false)).toEqual([])
  expect(await beat(other)).toMatchObject({ wasKept: true })
})
