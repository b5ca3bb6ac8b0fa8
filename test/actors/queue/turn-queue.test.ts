/** Which conversation is answered next: bounds, fairness, one turn at a time in each, rest and pause. */
import { expect, test } from 'vitest'
import { BacklogFull } from '../../../actors/queue/backlog-full.ts'
import type { LaneKey } from '../../../actors/queue/lane.ts'
import type { RunResult } from '../../../actors/queue/run-result.ts'
import { type LaneLimits, type TurnQueue, turnQueue } from '../../../actors/queue/turn-queue.ts'
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
        conversation,
        lane,
        async end(result = { status: 'done', turns: 1 }) {
          resolve(result)
          await clock.settle()
        },
      })
      return promise
    },
    onEntered() {},
  })
  return { queue, clock, runs, limits, all }
}

/** A turn that is being stored: its place is reserved until one of the two is called. */
function entering(queue: TurnQueue, lane: LaneKey, conversation = newConversationId()) {
  const { promise, resolve } = Promise.withResolvers<ConversationId | null>()
  const entered = queue.enter(
    lane,
    () => promise,
    (stored) => stored,
  )
  const end = async (stored: ConversationId | null) => {
    resolve(stored)
    await entered
  }
  return { entered, store: () => end(conversation), giveUp: () => end(null) }
}

const enter = (queue: TurnQueue, lane: LaneKey, conversation = newConversationId()) =>
  entering(queue, lane, conversation).store()

const isFull = (queue: TurnQueue, lane: LaneKey) =>
  entering(queue, lane)
    .giveUp()
    .then(
      () => false,
      (error) => error instanceof BacklogFull,
    )

const [one, other] = [newChannelId(), newChannelId()]

/** One turn in each of so many new conversations. */
function addMany(queue: TurnQueue, lane: LaneKey, count: number): ConversationId[] {
  const conversations = Array.from({ length: count }, newConversationId)
  for (const conversation of conversations) queue.found({ conversation, lane: lane, turns: 1 })
  return conversations
}

test('conversations run side by side, each one turn at a time', async () => {
  const { queue, runs } = underTest()
  const [anna, bert] = [newConversationId(), newConversationId()]
  queue.found({ conversation: anna, lane: one, turns: 2 })
  queue.found({ conversation: bert, lane: one, turns: 1 })
  expect(runs.map(({ conversation }) => conversation)).toEqual([anna, bert])
  queue.found({ conversation: anna, lane: one, turns: 1 })
  expect(runs).toHaveLength(2)
  await runs[0]?.end()
  expect(runs.map(({ conversation }) => conversation)).toEqual([anna, bert, anna])
  expect(queue.isTracked(anna, one)).toBe(true)
  await runs[2]?.end({ status: 'done', turns: 2 })
  expect(queue.isTracked(anna, one)).toBe(false)
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
  queue.found({ conversation: busy, lane: one, turns: 10 })
  const [patient] = addMany(queue, one, 1)
  await runs[0]?.end()
  expect(runs[1]?.conversation).toBe(patient)
})

test('a turn that was given back is retried after its rest, and others run meanwhile', async () => {
  const { queue, runs, clock } = underTest(1)
  const [givenBack, next] = [newConversationId(), newConversationId()]
  queue.found({ conversation: givenBack, lane: one, turns: 1 })
  await runs[0]?.end({ status: 'retry', merged: 0, afterMs: 5_000 })
  expect(runs).toHaveLength(1)
  queue.found({ conversation: givenBack, lane: one, turns: 1 })
  expect(runs).toHaveLength(1)
  queue.found({ conversation: next, lane: one, turns: 1 })
  expect(runs[1]?.conversation).toBe(next)
  await runs[1]?.end()
  await clock.advance(4_999)
  expect(runs).toHaveLength(2)
  await clock.advance(1)
  expect(runs[2]?.conversation).toBe(givenBack)
  await runs[2]?.end({ status: 'done', turns: 2 })
  expect(queue.waiting).toBe(0)
})

test('a paused lane accepts turns and runs none; when it resumes they start', () => {
  const { queue, runs, limits } = underTest()
  limits.set(one, { isPaused: true })
  addMany(queue, one, 2)
  addMany(queue, other, 1)
  expect(runs.map(({ lane }) => lane)).toEqual([other])
  expect(queue.backlog(one)).toBe(2)
  limits.delete(one)
  expect(runs).toHaveLength(1)
  queue.limitsChanged()
  expect(runs).toHaveLength(3)
})

test('a limit that is raised starts what it held back', () => {
  const { queue, runs, all } = underTest(1)
  addMany(queue, one, 3)
  expect(runs).toHaveLength(1)
  all.turnsMax = 2
  queue.limitsChanged()
  expect(runs).toHaveLength(2)
})

test('a place in the backlog is reserved while a turn is stored, and free again where none was stored', async () => {
  const { queue, limits } = underTest()
  limits.set(one, { backlogMax: 2, isPaused: true })
  const [first, second] = [entering(queue, one), entering(queue, one)]
  expect([await isFull(queue, one), await isFull(queue, other)]).toEqual([true, false])
  await first.giveUp()
  const third = entering(queue, one)
  expect(await isFull(queue, one)).toBe(true)
  await Promise.all([second.store(), third.store()])
  expect([queue.backlog(one), await isFull(queue, one)]).toEqual([2, true])
})

test('a store that fails frees the place, and whoever enters gets its error', async () => {
  const { queue, limits, runs } = underTest()
  limits.set(one, { backlogMax: 1 })
  const failing = queue.enter(
    one,
    () => Promise.reject(new Error('the database is away')),
    () => newConversationId(),
  )
  await expect(failing).rejects.toThrow('the database is away')
  expect([await isFull(queue, one), runs.length]).toEqual([false, 0])
})

test('a turn that is cancelled while it waits frees its place at once', async () => {
  const { queue, runs, limits } = underTest()
  limits.set(one, { backlogMax: 2 })
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  await runs[0]?.end({ status: 'paused', turns: 1 })
  await enter(queue, one, conversation)
  await enter(queue, one, conversation)
  queue.cancelled(conversation, one)
  expect([queue.backlog(one), await isFull(queue, one)]).toEqual([1, false])
})

test('a turn that is cancelled before its run sees it does not hide one that is entered meanwhile', async () => {
  const { queue, runs } = underTest()
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  await enter(queue, one, conversation)
  queue.cancelled(conversation, one)
  await runs[0]?.end({ status: 'empty' })
  expect(runs).toHaveLength(2)
  await runs[1]?.end()
  expect([runs.length, queue.waiting]).toEqual([2, 0])
})

test('turns that run hold no place in the backlog', async () => {
  const { queue, runs, limits } = underTest()
  limits.set(one, { backlogMax: 1, turnsMax: 2 })
  for (let at = 0; at < 3; at++) await enter(queue, one)
  expect([runs.length, queue.running, queue.waiting, queue.backlog(one)]).toEqual([2, 2, 1, 1])
  expect(await isFull(queue, one)).toBe(true)
  await runs[0]?.end()
  expect(await isFull(queue, one)).toBe(false)
})

test('a rest of before does not start a conversation a second time that has gone and come back since', async () => {
  const { queue, runs, clock } = underTest()
  const conversation = newConversationId()
  queue.found({ conversation, lane: one, turns: 1 })
  await runs[0]?.end({ status: 'retry', merged: 0, afterMs: 5_000 })
  queue.forget(() => true)
  queue.found({ conversation, lane: one, turns: 2 })
  expect(runs).toHaveLength(2)
  await clock.advance(5_000)
  expect([runs.length, queue.running]).toEqual([2, 1])
  await runs[1]?.end()
  expect(runs).toHaveLength(3)
})

test('a count that was too high is corrected by a run that finds nothing', async () => {
  const { queue, runs } = underTest()
  queue.found({ conversation: newConversationId(), lane: one, turns: 7 })
  await runs[0]?.end({ status: 'empty' })
  expect([queue.waiting, queue.running, queue.backlog(one)]).toEqual([0, 0, 0])
})

test('a queue that is closed starts nothing any more, whatever ends, rests or comes', async () => {
  const { queue, runs, clock } = underTest(2)
  const conversations = addMany(queue, one, 3)
  queue.close()
  await runs[0]?.end()
  await runs[1]?.end({ status: 'retry', merged: 0, afterMs: 10 })
  queue.found({ conversation: newConversationId(), lane: other, turns: 1 })
  queue.limitsChanged()
  await clock.advance(1_000)
  expect(runs.map(({ conversation }) => conversation)).toEqual(conversations.slice(0, 2))
})

test('a conversation that never entered is not tracked, and nothing waits', () => {
  const { queue } = underTest()
  expect(queue.isTracked(newConversationId(), one)).toBe(false)
  expect([queue.backlog(one), queue.waiting, queue.running]).toEqual([0, 0, 0])
})

test('turns behind a paused one count, do not run, and run when it is resumed', async () => {
  const { queue, runs, limits } = underTest()
  limits.set(one, { backlogMax: 3 })
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  await runs[0]?.end({ status: 'done', turns: 1 })
  await enter(queue, one, conversation)
  await runs[1]?.end({ status: 'blocked', behind: 1 })
  await enter(queue, one, conversation)
  await enter(queue, one, conversation)
  expect([runs.length, queue.backlog(one), queue.isTracked(conversation, one)]).toEqual([2, 3, false])
  expect(await isFull(queue, one)).toBe(true)
  queue.found({ conversation, lane: one, turns: 4 })
  expect(runs).toHaveLength(3)
  for (const at of [2, 3, 4, 5]) await runs[at]?.end()
  expect([runs.length, queue.backlog(one), queue.waiting, queue.isTracked(conversation, one)]).toEqual([6, 0, 0, false])
})

test('what a start finds behind a paused turn is counted whole', async () => {
  const { queue, runs } = underTest()
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  await runs[0]?.end({ status: 'blocked', behind: 7 })
  expect(queue.backlog(one)).toBe(7)
  queue.found({ conversation, lane: one, turns: 8, afterMs: 1_000 })
  expect(queue.backlog(one)).toBe(8)
})

test('a turn that is stored while a run finds nothing runs all the same', async () => {
  const { queue, runs } = underTest()
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  queue.found({ conversation, lane: one, turns: 1 })
  await runs[0]?.end({ status: 'empty' })
  expect(runs).toHaveLength(2)
  await runs[1]?.end({ status: 'empty' })
  expect([runs.length, queue.backlog(one)]).toEqual([2, 0])
})

test('a resume during a run that still sees the turn paused is not lost', async () => {
  const { queue, runs } = underTest()
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  queue.found({ conversation, lane: one, turns: 2 })
  await enter(queue, one, conversation)
  await runs[0]?.end({ status: 'blocked', behind: 1 })
  expect([runs.length, queue.backlog(one), queue.isTracked(conversation, one)]).toEqual([2, 2, true])
  // It counts for the run during which it came, and for no other run.
  await runs[1]?.end({ status: 'blocked', behind: 3 })
  expect([runs.length, queue.backlog(one), queue.isTracked(conversation, one)]).toEqual([2, 3, false])
})

test.each([
  ['after the run looked', 1],
  ['before the run looked', 2],
])('a turn that is entered while a run sees a paused one is counted once: %s', async (_, behind) => {
  const { queue, runs } = underTest()
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  await enter(queue, one, conversation)
  await runs[0]?.end({ status: 'blocked', behind })
  expect([runs.length, queue.backlog(one)]).toEqual([1, 2])
})

test('what a run sees behind a paused turn counts where fewer are left than were known', async () => {
  const { queue, runs } = underTest()
  queue.found({ conversation: newConversationId(), lane: one, turns: 3 })
  await runs[0]?.end({ status: 'blocked', behind: 1 })
  expect([runs.length, queue.backlog(one)]).toEqual([1, 1])
})

test('turns that are entered behind a paused one count in full at once, and run when it is resumed', async () => {
  const { queue, runs, limits } = underTest()
  limits.set(one, { backlogMax: 2 })
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  await runs[0]?.end({ status: 'paused', turns: 1 })
  for (let nth = 0; nth < 2; nth++) await enter(queue, one, conversation)
  expect([runs.length, queue.backlog(one), await isFull(queue, one)]).toEqual([1, 2, true])
  queue.found({ conversation, lane: one, turns: 3 })
  expect([runs.length, queue.backlog(one)]).toEqual([2, 2])
})

test('a paused turn that is cancelled with nothing behind it blocks nothing', async () => {
  const { queue, runs } = underTest()
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  await runs[0]?.end({ status: 'paused', turns: 1 })
  queue.found({ conversation, lane: one, turns: 0 })
  expect([runs.length, queue.backlog(one)]).toEqual([1, 0])
  await enter(queue, one, conversation)
  expect(runs).toHaveLength(2)
})

test('a resume while the turn is being paused is not lost', async () => {
  const { queue, runs } = underTest()
  const [conversation] = addMany(queue, one, 1) as [ConversationId]
  queue.found({ conversation, lane: one, turns: 1 })
  await runs[0]?.end({ status: 'paused', turns: 1 })
  expect([runs.length, queue.backlog(one), queue.runningIn(one)]).toEqual([2, 0, 1])
})
