/** Actors that live where their socket is, on two nodes of one database: one place at a time, asked from either, gone with its node. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { joinNodes, type Membership } from '../../../gateway/membership.ts'
import { msgpack } from '../../../runtime/actor/codec.ts'
import { actorDefiner } from '../../../runtime/actor/define.ts'
import { ActorGone, ActorPinned } from '../../../runtime/actor/errors.ts'
import { createSystem, type System } from '../../../runtime/actor/system.ts'
import { leaseMs } from '../../../runtime/nodes/leases.ts'
import { openLinks } from '../../../runtime/nodes/links.ts'
import { type Clock, systemClock } from '../../../runtime/time/clock.ts'
import { newNodeNumber } from '../../../store/nodes/nodes.ts'
import { claimPin, findPin, isPinned, releasePin, sweepPins } from '../../../store/nodes/pins.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database.ts'
import { type BusBetween, busBetween } from '../../support/lossy-bus.ts'
import { recordingLog } from '../../support/recording-log.ts'

const socket = actorDefiner<{ node: number }>()({
  kind: 'socket',
  key: z.string(),
  placement: 'pinned',
  mailbox: { capacity: 100 },
  supervision: 'temporary',
  start: () => ({ heard: [] as number[] }),
  receive: {
    where: ({ services }, _message: object) => services.node,
    hear({ state }, { n }: { n: number }) {
      state.heard.push(n)
    },
    heard: ({ state }, _message: object) => state.heard,
    wait: (context, _message: object) => context.beside(() => new Promise<void>(() => {})),
  },
})

interface Node {
  node: number
  system: System
  membership: Membership
  /** Its timers stand still. */
  freeze(): void
  thaw(): void
}

let fresh: FreshDatabase
let between: BusBetween
let nodes: Node[]
beforeEach(async () => {
  fresh = await freshDatabase()
  between = busBetween()
  nodes = [await join(), await join()]
  const seen = () => nodes.map(({ membership }) => membership.nodes.length)
  await expect.poll(seen, { timeout: 10_000 }).toEqual([2, 2])
})
afterEach(async () => {
  for (const { thaw, membership, system } of nodes) {
    thaw()
    await system.stop(0)
    await membership.close()
  }
  await fresh.drop()
})

async function join(): Promise<Node> {
  const { db } = fresh
  const { log } = recordingLog()
  let isFrozen = false
  const late: (() => void)[] = []
  const clock: Clock = {
    ...systemClock,
    after: (delayMs, fire) => systemClock.after(delayMs, () => (isFrozen ? void late.push(fire) : fire())),
  }
  const started = { version: 'test', pid: process.pid }
  const node = await newNodeNumber(db, leaseMs)
  const membership = joinNodes({
    db,
    clock,
    log,
    node,
    process: started,
    isAlone: false,
    recover: () => sweepPins(db),
  })
  const links = openLinks({ bus: between.of(node), codec: msgpack, clock, log })
  const system = createSystem({
    services: { node },
    log,
    clock,
    codec: msgpack,
    nodes: { around: membership, links },
    definitions: [socket],
    pins: {
      node,
      claim: (kind, key) => claimPin(db, { kind, key, node }),
      find: (kind, key) => findPin(db, { kind, key }),
      release: (kind, key) => releasePin(db, { kind, key, node }),
    },
  })
  membership.onGone((gone) => {
    for (const each of gone) links.forget(each)
  })
  membership.onRevived(() => system.checkPins())
  await membership.start(new AbortController().signal)
  return {
    ...{ node, system, membership },
    freeze() {
      isFrozen = true
    },
    thaw() {
      isFrozen = false
      for (const fire of late.splice(0)) fire()
    },
  }
}

const pair = () => nodes as [Node, Node]
const where = ({ system }: Node) => system.actor(socket, 'a').ask('where', {})
const rows = () => fresh.db.system<{ key: string }>`select key from pinned_actors`

test('it is asked from each node, and lives where it was pinned', async () => {
  const [one, other] = pair()
  const release = await other.system.pin(socket, 'a')
  expect(await Promise.all(nodes.map(where))).toEqual([other.node, other.node])
  await release()
  for (const node of nodes) await expect(where(node)).rejects.toThrow(ActorGone)
  expect(await rows()).toEqual([])
  // A ref that was made before finds the new place.
  const ref = one.system.actor(socket, 'a')
  await expect(ref.ask('where', {})).rejects.toThrow(ActorGone)
  await one.system.pin(socket, 'a')
  expect(await ref.ask('where', {})).toBe(one.node)
})

test('of many that pin it at once, at both nodes, one does', async () => {
  const tries = await Promise.allSettled(
    Array.from({ length: 20 }, (_, at) => (nodes[at % 2] as Node).system.pin(socket, 'a')),
  )
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const each of tries) if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(ActorPinned)
})

test('messages from another node arrive in their order', async () => {
  const [one, other] = pair()
  await other.system.pin(socket, 'a')
  const ref = one.system.actor(socket, 'a')
  const numbers = Array.from({ length: 50 }, (_, n) => n)
  for (const n of numbers) ref.tell('hear', { n })
  expect(await ref.ask('heard', {})).toEqual(numbers)
})

test('when its node is lost, who waits learns so, its row is swept, and the key can be pinned elsewhere', async () => {
  const [one, other] = pair()
  await other.system.pin(socket, 'a')
  expect(await where(one)).toBe(other.node)
  const waiting = expect(
    one.system.actor(socket, 'a').ask('wait', {}, { deadlineMs: Number.POSITIVE_INFINITY }),
  ).rejects.toMatchObject({ code: 'node_lost' })
  await where(one)
  other.freeze()
  await waiting
  await expect.poll(rows, { timeout: 10_000 }).toEqual([])
  await expect(where(one)).rejects.toThrow(ActorGone)
  await one.system.pin(socket, 'a')
  expect(await where(one)).toBe(one.node)
})

test('a node that was taken for dead and wakes up no longer has it, and what it writes changes nothing', async () => {
  const [one, other] = pair()
  await other.system.pin(socket, 'a')
  const pinnedAt = async ({ node }: Node) => {
    const [row] = await fresh.db.system<{ is_pinned: boolean }>`
      select ${isPinned({ kind: 'socket', key: 'a', node })} as is_pinned`
    return row?.is_pinned
  }
  expect(await Promise.all(nodes.map(pinnedAt))).toEqual([false, true])
  other.freeze()
  await expect.poll(rows, { timeout: 10_000 }).toEqual([])
  await one.system.pin(socket, 'a')
  expect(await Promise.all(nodes.map(pinnedAt))).toEqual([true, false])
  other.thaw()
  // Until it has looked it still believes that it has it: the fence above is for what it writes meanwhile.
  await expect.poll(() => where(other), { timeout: 10_000 }).toBe(one.node)
  expect(other.system.kinds().find(({ kind }) => kind === 'socket')?.actors ?? 0).toBe(0)
})
