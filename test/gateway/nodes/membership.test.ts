/** Nodes that come, are lost, and leave, on one database: whose the slots are, as each of them sees it. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { joinNodes, type Membership } from '../../../gateway/membership.ts'
import { createLog } from '../../../runtime/log/log.ts'
import { leaseMs } from '../../../runtime/nodes/leases.ts'
import { slotCount } from '../../../runtime/nodes/slot.ts'
import { type Clock, systemClock } from '../../../runtime/time/clock.ts'
import { registerNode } from '../../../store/nodes/nodes.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database.ts'

const log = createLog({ level: 'silent' })
/** One of each slot. */
const keys = Array.from({ length: slotCount }, (_, slot) => `conv_${slot.toString(16).padStart(32, '0')}`)

interface Node {
  membership: Membership
  /** It says nothing any more. */
  kill(): void
}

let fresh: FreshDatabase
let nodes: Node[]
beforeEach(async () => {
  fresh = await freshDatabase()
  nodes = []
  for (let count = 0; count < 3; count++) nodes.push(await join())
  await expect
    .poll(() => nodes.map(({ membership }) => membership.slots).sort(), { timeout: 10_000 })
    .toEqual([85, 85, 86])
})
afterEach(async () => {
  for (const { membership } of nodes) await membership.close()
  await fresh.drop()
})

async function join(): Promise<Node> {
  let isDead = false
  const clock: Clock = {
    ...systemClock,
    after: (delayMs, fire) => systemClock.after(delayMs, () => void (isDead || fire())),
  }
  const node = await registerNode(fresh.db, { version: 'test', pid: process.pid }, leaseMs)
  const membership = await joinNodes({ db: fresh.db, clock, log, node, isAlone: false, recover: async () => {} })
  membership.start()
  return {
    membership,
    kill() {
      isDead = true
    },
  }
}

const ownersSeenBy = ({ membership }: Node) => keys.map((key) => membership.ownerOf(key))

test('once a node is lost nothing is sent to it: what was its own is nobody’s until another has it', async () => {
  const [lost, ...others] = nodes as [Node, Node, Node]
  const seen = others.map((node) => {
    const { promise, resolve } = Promise.withResolvers<(number | undefined)[]>()
    node.membership.onGone(() => resolve(ownersSeenBy(node)))
    return promise
  })
  lost.kill()
  for (const owners of await Promise.all(seen)) expect(owners).not.toContain(lost.membership.node)
  await expect.poll(() => others.map(({ membership }) => membership.slots), { timeout: 5_000 }).toEqual([128, 128])
})

test('a node that leaves has handed over everything before it goes on', async () => {
  const [leaving, ...others] = nodes as [Node, Node, Node]
  leaving.membership.leave()
  await leaving.membership.handedOver(20_000)
  expect(leaving.membership.slots).toBe(0)
  const seen = () => others.flatMap(ownersSeenBy).filter((owner) => owner === leaving.membership.node || !owner)
  await expect.poll(seen).toEqual([])
  // It is given nothing meanwhile.
  expect(others.map(({ membership }) => membership.slots)).toEqual([128, 128])
})

test('what is in use is not handed over, and is waited for as long as may be', async () => {
  const [leaving] = nodes as [Node]
  const key = keys.find((each) => leaving.membership.of(each) !== undefined) ?? ''
  const hold = leaving.membership.hold(key)
  leaving.membership.leave()
  await expect.poll(() => leaving.membership.slots, { timeout: 10_000 }).toBe(1)
  await leaving.membership.handedOver(100)
  expect(leaving.membership.of(key)).toBeDefined()
  hold?.release()
  await leaving.membership.handedOver(20_000)
  expect(leaving.membership.slots).toBe(0)
})

test('nodes that leave at once do not wait for each other', async () => {
  const beganMs = performance.now()
  for (const { membership } of nodes) membership.leave()
  await Promise.all(nodes.map(({ membership }) => membership.handedOver(60_000)))
  expect(performance.now() - beganMs).toBeLessThan(30_000)
})
