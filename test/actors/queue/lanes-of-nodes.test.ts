/** The limits of a channel over three nodes: what runs and waits at all of them together. */
import { beforeEach, expect, test } from 'vitest'
import type { LaneKey } from '../../../actors/queue/lane.ts'
import { lanesOfNodes } from '../../../actors/queue/lanes-of-nodes.ts'
import { type TurnQueue, turnQueue } from '../../../actors/queue/turn-queue.ts'
import { newChannelId, newConversationId } from '../../../store/id.ts'
import { type BusBetween, busBetween } from '../../support/lossy-bus.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts'

interface Node {
  queue: TurnQueue
  /** Ends the oldest turn that runs. */
  ends: (() => void)[]
}

const lane: LaneKey = newChannelId()
let between: BusBetween
let clock: VirtualClock
let nodes: [Node, Node, Node]
let living: { epoch: number }[]
beforeEach(() => {
  between = busBetween()
  clock = virtualClock()
  living = [{ epoch: 1 }, { epoch: 2 }, { epoch: 3 }]
  nodes = [node(1), node(2), node(3)]
})

function node(number: number): Node {
  const ends: (() => void)[] = []
  const queue: TurnQueue = turnQueue({
    clock,
    turnsMax: () => 1_000,
    limits: (of) => lanes.limits(of, { turnsMax: 10, backlogMax: 30, isPaused: false }),
    run: () => new Promise((resolve) => ends.push(() => resolve({ status: 'done', turns: 1 }))),
    onEntered() {},
  })
  const around = {
    node: number,
    get nodes() {
      return living
    },
  }
  const lanes = lanesOfNodes({ bus: between.of(number), around, clock, log: recordingLog().log, queue: () => queue })
  return { queue, ends }
}

function add({ queue }: Node, count: number): void {
  for (let at = 0; at < count; at++) queue.found({ conversation: newConversationId(), lane, turns: 1 })
}
const running = () => nodes.map(({ queue }) => queue.running)
const all = () => running().reduce((sum, count) => sum + count, 0)

test('turns that come to all at once share what may run, and no more run than may', async () => {
  for (const one of nodes) add(one, 20)
  for (let tick = 0; tick < 20; tick++) {
    expect(all()).toBeLessThanOrEqual(10)
    await clock.advance(100)
  }
  expect(running()).toEqual([4, 3, 3])
})

test('one node runs all that may while the others have nothing, and gives back what they need', async () => {
  const [one, other] = nodes
  add(one, 100)
  await clock.advance(1_000)
  expect(running()).toEqual([10, 0, 0])
  add(other, 100)
  await clock.advance(1_000)
  // Its conversations go on at once.
  expect(running()).toEqual([10, 1, 0])
  for (let ended = 0; ended < 5; ended++) {
    one.ends.shift()?.()
    await clock.advance(500)
  }
  expect(running()).toEqual([5, 5, 0])
})

test('what waits at all nodes together is refused past the bound, at each', async () => {
  const [one, other, third] = nodes
  add(one, 20)
  add(other, 20)
  await clock.advance(1_000)
  expect(nodes.map(({ queue }) => queue.waiting)).toEqual([15, 15, 0])
  await expect(
    third.queue.enter(
      lane,
      async () => newConversationId(),
      (id) => id,
    ),
  ).rejects.toMatchObject({
    code: 'backlog_full',
  })
  one.ends.shift()?.()
  await clock.advance(1_000)
  await third.queue.enter(
    lane,
    async () => newConversationId(),
    (id) => id,
  )
})

test('a node that is lost or silent takes nothing from the others', async () => {
  for (const one of nodes) add(one, 20)
  await clock.advance(1_000)
  living = [{ epoch: 1 }]
  await clock.advance(1_000)
  expect(nodes[0].queue.running).toBe(10)
  living = [{ epoch: 1 }, { epoch: 2 }]
  between.loses = () => true
  await clock.advance(3_000)
  expect(nodes[0].queue.running).toBe(10)
})
