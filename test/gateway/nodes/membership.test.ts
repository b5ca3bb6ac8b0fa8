/** Nodes that come, are lost, and leave, on one database: whose the slots are, as each of them sees it. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { joinNodes, type Membership } from '../../../gateway/membership.ts'
import { createLog } from '../../../runtime/log/log.ts'
import { leaseMs } from '../../../runtime/nodes/leases.ts'
import { slotCount } from '../../../runtime/nodes/slot.ts'
import { type Clock, sleep, systemClock } from '../../../runtime/time/clock.ts'
import { openDatabase } from '../../../store/database.ts'
import { DatabaseHangs } from '../../../store/errors.ts'
import { loseNodes, newNodeNumber } from '../../../store/nodes/nodes.ts'
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

/** @param skewMs of its wall clock, as it is at the moment */
async function join(db = fresh.db, skewMs = () => 0, recover = async () => {}): Promise<Node> {
  let isDead = false
  const clock: Clock = {
    ...systemClock,
    now: () => systemClock.now() + skewMs(),
    after: (delayMs, fire) => systemClock.after(delayMs, () => void (isDead || fire())),
  }
  const started = { version: 'test', pid: process.pid }
  const node = await newNodeNumber(db, leaseMs)
  const membership = joinNodes({
    ...{ db, clock, log, node, process: started, isAlone: false },
    recover,
  })
  await membership.start(new AbortController().signal)
  return {
    membership,
    kill() {
      isDead = true
    },
  }
}

/** On a busy machine none may be. */
const asCurrentAsOthers = ({ membership }: Node) =>
  membership.isCurrent || nodes.slice(0, 3).some((other) => !other.membership.isCurrent)
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

test('a node that has stopped saying that it lives does nothing outside any more before others take it for dead', async () => {
  const [frozen, ...others] = nodes as [Node, Node, Node]
  const { promise: seen, resolve } = Promise.withResolvers<boolean>()
  for (const { membership } of others) membership.onGone(() => resolve(frozen.membership.isCurrent))
  expect(frozen.membership.isCurrent).toBe(true)
  frozen.kill()
  expect(await seen).toBe(false)
})

test('wall clocks that are an hour ahead or behind, or jump, change nothing', async () => {
  const gone: (readonly number[])[] = []
  for (const { membership } of nodes) membership.onGone((epochs) => void gone.push(epochs))
  let jumpMs = 3_600_000
  nodes.push(await join(fresh.db, () => 3_600_000), await join(fresh.db, () => -3_600_000))
  const jumping = await join(fresh.db, () => jumpMs)
  nodes.push(jumping)
  const slots = () => nodes.map(({ membership }) => membership.slots).sort()
  await expect.poll(slots, { timeout: 10_000 }).toEqual([42, 42, 43, 43, 43, 43])
  for (let jump = 0; jump < 20; jump++) {
    jumpMs = -jumpMs
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(asCurrentAsOthers(jumping)).toBe(true)
  }
  expect(gone).toEqual([])
  expect(slots()).toEqual([42, 42, 43, 43, 43, 43])
})

test('a node whose connections are all busy for long says all the same that it lives', async () => {
  const db = openDatabase(fresh.address)
  const busy = await join(db)
  nodes.push(busy)
  await expect.poll(() => busy.membership.slots, { timeout: 10_000 }).toBe(64)
  const gone: (readonly number[])[] = []
  for (const { membership } of nodes) membership.onGone((epochs) => void gone.push(epochs))
  let isOver = false
  const statements = Array.from({ length: 60 }, () => db.system`select pg_sleep(0.2)`)
  const all = Promise.all([...statements, db.hot`select pg_sleep(2)`]).then(() => {
    isOver = true
  })
  while (!isOver) {
    expect(asCurrentAsOthers(busy)).toBe(true)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await all
  expect(gone).toEqual([])
  await busy.membership.close()
  nodes.pop()
  await db.close()
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

test('a node that starts while the database is slow tries again until it has said that it lives', async () => {
  let failures = 2
  const heartbeat: typeof fresh.db.heartbeat = (...statement) =>
    failures-- > 0 ? Promise.reject(new DatabaseHangs('not sent within 1000 ms')) : fresh.db.heartbeat(...statement)
  const late = await join({ ...fresh.db, heartbeat })
  nodes.push(late)
  await expect.poll(() => late.membership.slots, { timeout: 10_000 }).toBe(64)
})

test('a node that is told to stop before it could say that it lives does not wait for the database', async () => {
  for (const way of [
    () => Promise.reject(new DatabaseHangs('not sent within 1000 ms')),
    () => new Promise<never>(() => {}),
  ]) {
    const process = { version: 'test', pid: 1 }
    const db = { ...fresh.db, heartbeat: way }
    const membership = joinNodes({
      db,
      clock: systemClock,
      log,
      node: 1_000,
      process,
      isAlone: false,
      recover: async () => {},
    })
    const told = new AbortController()
    const started = membership.start(told.signal)
    const reason = new Error('told to stop')
    setTimeout(() => told.abort(reason), 100)
    const beganMs = performance.now()
    await expect(started).rejects.toBe(reason)
    expect(performance.now() - beganMs).toBeLessThan(10_000)
    await membership.close()
  }
})

test('a node that leaves while the database is away does not wait for its slots to be taken', async () => {
  let isAway = false
  const query =
    (own: typeof fresh.db.system): typeof own =>
    (...statement) =>
      isAway ? Promise.reject(new DatabaseHangs('away')) : own(...statement)
  const leaving = await join({ ...fresh.db, heartbeat: query(fresh.db.heartbeat), system: query(fresh.db.system) })
  await expect.poll(() => leaving.membership.slots, { timeout: 10_000 }).toBe(64)
  isAway = true
  leaving.membership.leave()
  const beganMs = performance.now()
  await leaving.membership.handedOver(300_000)
  await leaving.membership.close()
  expect(performance.now() - beganMs).toBeLessThan(60_000)
})

test('a node that has much to recover when it comes is not taken for dead meanwhile', async () => {
  for (const { kill } of nodes) kill()
  await sleep(systemClock, leaseMs + 100)
  const lost: number[][] = []
  const recover = async () => {
    await sleep(systemClock, leaseMs + 500)
    lost.push(await loseNodes(fresh.db, 0, false))
  }
  nodes.push(await join(fresh.db, undefined, recover))
  expect(lost[0]).toEqual([])
})
