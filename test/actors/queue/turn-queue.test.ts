/** Which conversation is answered next: bounds, fairness, one turn at a time in each, rest and pause. */
import { expect, test } from 'vitest'
import {
  type LaneKey,
  type LaneLimits,
  nothingWaits,
  type RunResult,
  type TurnQueue,
  turnQueue,
} from '../../../actors/queue/turn-queue.ts'
import { type ConversationId, newChannelId, newConversationId } from '../../../store/id.ts'
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts'

interface Run {
  conversation: ConversationId
  lane: LaneKey
  /** Ends the run; by itself it does not. */
  end(result?: RunResult): Promise<void>
}

interface UnderTest {
  queue: TurnQueue
  clock: VirtualClock
  /** In the order in which they started. */
  runs: Run[]
  limits: Map<LaneKey, Partial<LaneLimits>>
  all: { turnsMax: number }
}

function underTest(turnsMax = 100): UnderTest {
  const clock = virtualClock()
  const runs: Run[] = []
  const limits = new Map<LaneKey, Partial<LaneLimits>>()
  const all = { turnsMax }
  const queue = turnQueue({
    clock,
    turnsMax: () => all.turnsMax,
    limits: (lane) => ({ turnsMax: 100, backlogMax: 100, isPaused: false, ...limits.get(lane) }),
    run(conversation, lane) {
      const { promise, resolve } = Promise.withResolvers<RunResult>()
      runs.push({
        ...{ conversation, lane },
        async end(result = { taken: 1 }) {
          resolve(result)
          await clock.settle()
        },
      })
      return promise
    },
  })
  return { queue, clock, runs, limits, all }
}

const [one, other] = [newChannelId(), newChannelId()]

function addMany(queue: TurnQueue, lane: LaneKey, count: number): ConversationId[] {
  const conversations = Array.from({ length: count }, newConversationId)
  for (const conversation of conversations) queue.add(conversation, lane)
  return conversations
}

test('conversations run side by side, each one turn at a time', async () => {
  const { queue, runs } = underTest()
  const [anna, bert] = [newConversationId(), newConversationId()]
  queue.add(anna, one, 2)
  queue.add(bert, one)
  expect(runs.map(({ conversation }) => conversation)).toEqual([anna, bert])
  queue.add(anna, one)
  expect(runs).toHaveLength(2)
  await runs[0]?.end()
  expect(runs.map(({ conversation }) => conversation)).toEqual([anna, bert, anna])
  expect(queue.knows(anna, one)).toBe(true)
  await runs[2]?.end({ taken: 2 })
  expect(queue.knows(anna, one)).toBe(false)
  expect(runs).toHaveLength(3)
})

test('no lane runs more turns than it may', async () => {
  const { queue, runs, limits } = underTest()
  limits.set(one, { turnsMax: 2 })
  const conversations = addMany(queue, one, 4)
  expect(runs).toHaveLength(2)
  await runs[0]?.end()
  expect(runs.map(({ conversation }) => conversation)).toEqual(conversations.slice(0, 3))
})

test('all lanes together run no more than the service may', async () => {
  const { queue, runs } = underTest(3)
  addMany(queue, one, 3)
  addMany(queue, other, 3)
  expect(runs).toHaveLength(3)
  expect(queue.running).toBe(3)
  expect([queue.runningIn(one), queue.runningIn(other), queue.runningIn('none')]).toEqual([3, 0, 0])
  await runs[0]?.end()
  expect(runs).toHaveLength(4)
  expect([queue.runningIn(one), queue.runningIn(other)]).toEqual([2, 1])
  expect(queue.running).toBe(3)
})

test('lanes take turns: a long one holds up no short one', async () => {
  const { queue, runs } = underTest(1)
  addMany(queue, one, 50)
  addMany(queue, other, 3)
  addMany(queue, 'none', 1)
  for (let at = 0; at < 8; at++) await runs[at]?.end()
  expect(runs.slice(0, 8).filter(({ lane }) => lane === other)).toHaveLength(3)
  expect(runs.slice(0, 8).filter(({ lane }) => lane === 'none')).toHaveLength(1)
})

test('a conversation with many turns takes its place behind the others of its lane', async () => {
  const { queue, runs } = underTest(1)
  const busy = newConversationId()
  queue.add(busy, one, 10)
  const [patient] = addMany(queue, one, 1)
  await runs[0]?.end()
  expect(runs[1]?.conversation).toBe(patient)
})

test('a turn that was given back is tried after its rest, and others run meanwhile', async () => {
  const { queue, runs, clock } = underTest(1)
  const [given, next] = [newConversationId(), newConversationId()]
  queue.add(given, one)
  await runs[0]?.end({ taken: 0, againAfterMs: 5_000 })
  expect(runs).toHaveLength(1)
  queue.add(given, one)
  expect(runs).toHaveLength(1)
  queue.add(next, one)
  expect(runs[1]?.conversation).toBe(next)
  await runs[1]?.end()
  await clock.advance(4_999)
  expect(runs).toHaveLength(2)
  await clock.advance(1)
  expect(runs[2]?.conversation).toBe(given)
  await runs[2]?.end({ taken: 2 })
  expect(queue.waiting).toBe(0)
})

test('a lane that is paused takes turns and runs none; word that it goes on starts them', () => {
  const { queue, runs, limits } = underTest()
  limits.set(one, { isPaused: true })
  addMany(queue, one, 2)
  addMany(queue, other, 1)
  expect(runs.map(({ lane }) => lane)).toEqual([other])
  expect(queue.backlog(one)).toBe(2)
  limits.delete(one)
  expect(runs).toHaveLength(1)
  queue.reconsider()
  expect(runs).toHaveLength(3)
})

test('a bound that is raised starts what it held back', () => {
  const { queue, runs, all } = underTest(1)
  addMany(queue, one, 3)
  expect(runs).toHaveLength(1)
  all.turnsMax = 2
  queue.reconsider()
  expect(runs).toHaveLength(2)
})

test('places in the backlog are reserved before a turn is stored, and given back where it was not', () => {
  const { queue, limits } = underTest()
  limits.set(one, { backlogMax: 2, isPaused: true })
  expect([queue.reserve(one), queue.reserve(one), queue.reserve(one)]).toEqual([true, true, false])
  expect(queue.reserve(other)).toBe(true)
  queue.release(one)
  expect(queue.reserve(one)).toBe(true)
  queue.add(newConversationId(), one, 1, true)
  queue.add(newConversationId(), one, 1, true)
  expect([queue.backlog(one), queue.reserve(one)]).toEqual([2, false])
})

test('turns that run no longer wait: the backlog is free for as many as it holds', async () => {
  const { queue, runs, limits } = underTest()
  limits.set(one, { backlogMax: 1, turnsMax: 2 })
  for (let at = 0; at < 3; at++) {
    expect(queue.reserve(one)).toBe(true)
    queue.add(newConversationId(), one, 1, true)
  }
  expect([runs.length, queue.running, queue.waiting, queue.backlog(one)]).toEqual([2, 2, 1, 1])
  expect(queue.reserve(one)).toBe(false)
  await runs[0]?.end()
  expect(queue.reserve(one)).toBe(true)
})

test('a count that was too high is put right by a run that finds nothing', async () => {
  const { queue, runs } = underTest()
  queue.add(newConversationId(), one, 7)
  await runs[0]?.end({ taken: Number.MAX_SAFE_INTEGER })
  expect([queue.waiting, queue.running, queue.backlog(one)]).toEqual([0, 0, 0])
})

test('a queue that is closed starts nothing any more, whatever ends, rests or comes', async () => {
  const { queue, runs, clock } = underTest(2)
  const conversations = addMany(queue, one, 3)
  queue.close()
  await runs[0]?.end()
  await runs[1]?.end({ taken: 0, againAfterMs: 10 })
  queue.add(newConversationId(), other)
  queue.reconsider()
  await clock.advance(1_000)
  expect(runs.map(({ conversation }) => conversation)).toEqual(conversations.slice(0, 2))
})

test('what was never added is neither known nor waits', () => {
  const { queue } = underTest()
  expect([queue.knows(newConversationId(), one), queue.backlog(one), queue.waiting, queue.running]).toEqual([
    ...[false, 0, 0, 0],
  ])
})

test('turns behind one that was put aside count, are not run, and run when it is taken up again', async () => {
  const { queue, runs, limits } = underTest()
  limits.set(one, { backlogMax: 3 })
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  await runs[0]?.end({ taken: 1 })
  const say = () => {
    expect(queue.reserve(one)).toBe(true)
    queue.add(conversation, one, 1, true)
  }
  say()
  await runs[1]?.end({ taken: 0, behind: 1 })
  say()
  say()
  expect([runs.length, queue.backlog(one), queue.knows(conversation, one)]).toEqual([2, 3, false])
  expect(queue.reserve(one)).toBe(false)
  queue.add(conversation, one, 4)
  expect(runs).toHaveLength(3)
  for (const at of [2, 3, 4, 5]) await runs[at]?.end()
  expect([runs.length, queue.backlog(one), queue.waiting, queue.knows(conversation, one)]).toEqual([6, 0, 0, false])
})

test('what a start finds behind such a turn is counted whole', async () => {
  const { queue, runs } = underTest()
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  await runs[0]?.end({ taken: 0, behind: 7 })
  expect(queue.backlog(one)).toBe(7)
  queue.addLater(conversation, one, 8, 1_000)
  expect(queue.backlog(one)).toBe(8)
})

test('what is stored while a run finds nothing is run all the same', async () => {
  const { queue, runs } = underTest()
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  queue.add(conversation, one)
  await runs[0]?.end({ taken: nothingWaits })
  expect(runs).toHaveLength(2)
  await runs[1]?.end({ taken: nothingWaits })
  expect([runs.length, queue.backlog(one)]).toEqual([2, 0])
})

test('word that a turn is aside no more, given while a run sees it aside, is not lost', async () => {
  const { queue, runs } = underTest()
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  queue.add(conversation, one, 2)
  expect(queue.reserve(one)).toBe(true)
  queue.add(conversation, one, 1, true)
  await runs[0]?.end({ taken: 0, behind: 1 })
  expect([runs.length, queue.backlog(one), queue.knows(conversation, one)]).toEqual([2, 2, true])
  // It counts for the run during which it came, and for no other.
  await runs[1]?.end({ taken: 0, behind: 3 })
  expect([runs.length, queue.backlog(one), queue.knows(conversation, one)]).toEqual([2, 3, false])
})

test.each([
  ['behind what the run saw', 1],
  ['in what it saw', 2],
])('what comes while a run sees its turn aside is counted once: %s', async (_, behind) => {
  const { queue, runs } = underTest()
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  expect(queue.reserve(one)).toBe(true)
  queue.add(conversation, one, 1, true)
  await runs[0]?.end({ taken: 0, behind })
  expect([runs.length, queue.backlog(one)]).toEqual([1, 2])
})

test('what a run sees aside counts where fewer are left than were known', async () => {
  const { queue, runs } = underTest()
  queue.add(newConversationId(), one, 3)
  await runs[0]?.end({ taken: 0, behind: 1 })
  expect([runs.length, queue.backlog(one)]).toEqual([1, 1])
})

test('what comes behind a turn that was put aside counts in full at once, and runs when word comes of it', async () => {
  const { queue, runs, limits } = underTest()
  limits.set(one, { backlogMax: 2 })
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  await runs[0]?.end({ taken: 1, isAside: true })
  for (let nth = 0; nth < 2; nth++) {
    expect(queue.reserve(one)).toBe(true)
    queue.add(conversation, one, 1, true)
  }
  expect([runs.length, queue.backlog(one), queue.reserve(one)]).toEqual([1, 2, false])
  queue.add(conversation, one, 3)
  expect([runs.length, queue.backlog(one)]).toEqual([2, 2])
})

test('a turn that was put aside and cancelled with nothing behind it holds up nothing', async () => {
  const { queue, runs } = underTest()
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  await runs[0]?.end({ taken: 1, isAside: true })
  queue.add(conversation, one, 0)
  expect([runs.length, queue.backlog(one)]).toEqual([1, 0])
  queue.reserve(one)
  queue.add(conversation, one, 1, true)
  expect(runs).toHaveLength(2)
})

test('word of a turn that comes while it is put aside is kept', async () => {
  const { queue, runs } = underTest()
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  queue.add(conversation, one, 1)
  await runs[0]?.end({ taken: 1, isAside: true })
  expect([runs.length, queue.backlog(one), queue.runningIn(one)]).toEqual([2, 0, 1])
})
