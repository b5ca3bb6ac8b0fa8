/**
 * The queue against a model of the database behind it: turns are rows, a run claims the oldest ones, operators pause, approve
 * and cancel. Whatever the order, each row must end once, and the backlog must count what waits.
 */
import { expect } from 'vitest'
import { BacklogFull } from '../../../../actors/queue/backlog-full.ts'
import type { LaneKey } from '../../../../actors/queue/lane.ts'
import type { RunResult } from '../../../../actors/queue/run-result.ts'
import { turnQueue } from '../../../../actors/queue/turn-queue.ts'
import { type ConversationId, newChannelId, newConversationId } from '../../../../store/id.ts'
import { virtualClock } from '../../../support/virtual-clock.ts'

interface Row {
  conversation: ConversationId
  status: 'queued' | 'running' | 'paused' | 'ended' | 'cancelled'
  /** Whether the queue knows it: it was told of it, or a run has seen it. */
  isEntered: boolean
  /**
   * How often it may be counted too much until its conversation runs: before the queue was told that it came, after it left,
   * and when it was found during a run that may have claimed it.
   */
  overcounted: number
}

interface Entering {
  lane: LaneKey
  row: Row
  isCommitted: boolean
  resolve(conversation: ConversationId | null): void
  reject(error: Error): void
}

interface Run {
  conversation: ConversationId
  lane: LaneKey
  /** Undefined until it has looked at the database. */
  seen?: Row[] | RunResult
  /** What it saw behind a paused turn. */
  blocked?: Row[]
  end(result: RunResult): void
}

const lanesCount = 2
const conversationsOfLane = 2

/** How a run that claimed turns ends. `approved`: paused, and approved before the queue is told. */
export type Ending = 'done' | 'retry' | 'paused' | 'approved'

export function modelledQueue(options: {
  turnsMax: number
  laneTurnsMax: number
  backlogMax: number
  isMerged: boolean
  /** What an earlier start left in each conversation: turns, of which the first is paused. */
  left: readonly number[]
}) {
  const clock = virtualClock()
  const lanes = Array.from({ length: lanesCount }, newChannelId)
  const conversations = lanes.flatMap((lane) =>
    Array.from({ length: conversationsOfLane }, () => ({ id: newConversationId(), lane: lane as LaneKey })),
  )
  const rows: Row[] = []
  const runs: Run[] = []
  const entering: Entering[] = []
  const pausedLanes = new Set<LaneKey>()
  let refused = 0
  let wronglyRefused = 0
  let wronglyStored = 0
  /** Answers of the database were lost: turns may wait of which the queue does not know, until they are found. */
  let hasLost = false

  for (const [nth, count] of options.left.entries()) {
    const conversation = conversations[nth]?.id
    if (!conversation || count === 0) continue
    for (let at = 0; at < count; at++) {
      const status = at === 0 ? 'paused' : 'queued'
      rows.push({ conversation, status, isEntered: false, overcounted: 0 })
    }
  }

  const queue = turnQueue({
    clock,
    turnsMax: () => options.turnsMax,
    limits: (lane) => ({
      turnsMax: options.laneTurnsMax,
      backlogMax: options.backlogMax,
      isPaused: pausedLanes.has(lane),
    }),
    onEntered() {},
    run(conversation, lane) {
      expect(runs.some((run) => run.conversation === conversation)).toBe(false)
      expect(pausedLanes.has(lane)).toBe(false)
      const { promise, resolve } = Promise.withResolvers<RunResult>()
      const run: Run = {
        conversation,
        lane,
        end(result) {
          runs.splice(runs.indexOf(run), 1)
          resolve(result)
        },
      }
      runs.push(run)
      expect(runs.length).toBeLessThanOrEqual(options.turnsMax)
      expect(runs.filter((other) => other.lane === lane).length).toBeLessThanOrEqual(options.laneTurnsMax)
      return promise
    },
  })

  const of = (conversation: ConversationId, status: Row['status']) =>
    rows.filter((row) => row.conversation === conversation && row.status === status)
  const laneOf = (conversation: ConversationId) =>
    conversations.find(({ id }) => id === conversation)?.lane ?? ('none' as const)
  const pick = <Item>(items: readonly Item[], at: number): Item | undefined => items[at % Math.max(1, items.length)]

  /** Turns of the conversation that wait, as a statement finds them. */
  function waitingRows(conversation: ConversationId): Row[] {
    const found = of(conversation, 'queued')
    for (const row of found) if (entering.some((one) => one.row === row)) row.overcounted = Math.max(1, row.overcounted)
    return found
  }

  /** As a claim does: nothing overtakes a paused turn. */
  function checkRun(run: Run): void {
    const waiting = waitingRows(run.conversation)
    if (of(run.conversation, 'paused').length > 0) {
      run.seen = waiting.length > 0 ? { status: 'blocked', behind: waiting.length } : { status: 'empty' }
      run.blocked = waiting
    } else if (waiting.length === 0) run.seen = { status: 'empty' }
    else {
      run.seen = options.isMerged ? waiting : waiting.slice(0, 1)
      for (const row of run.seen) row.status = 'running'
    }
  }

  function find(conversation: ConversationId): void {
    const found = waitingRows(conversation)
    // Whether the run that is under way claims one of them nobody can say: the queue counts it twice.
    if (runs.some((run) => run.conversation === conversation)) for (const row of found) row.overcounted++
    queue.found({ conversation, lane: laneOf(conversation), turns: found.length })
  }

  function resume(conversation: ConversationId): void {
    for (const row of of(conversation, 'paused')) row.status = 'queued'
    find(conversation)
  }

  function resultOf(run: Run, ending: Ending): RunResult {
    if (!run.seen) checkRun(run)
    for (const row of run.blocked ?? []) row.isEntered ||= !entering.some((one) => one.row === row)
    if (!Array.isArray(run.seen)) return run.seen as RunResult
    // Those that it covers are part of the oldest, which may have been cancelled meanwhile.
    const [first, ...merged] = run.seen as [Row, ...Row[]]
    for (const row of merged) row.status = 'ended'
    const turns = run.seen.length
    if (first.status === 'cancelled') return { status: 'done', turns }
    switch (ending) {
      case 'done':
        first.status = 'ended'
        return { status: 'done', turns }
      case 'retry':
        first.status = 'queued'
        return { status: 'retry', merged: turns - 1, afterMs: 1_000 }
      case 'paused':
        first.status = 'paused'
        return { status: 'paused', turns }
      case 'approved':
        first.status = 'paused'
        resume(run.conversation)
        return { status: 'paused', turns }
      default:
        return ending satisfies never
    }
  }

  /**
   * A run has looked, and saw turns behind a paused one that the queue does not know: whether what is entered now was among
   * them nobody can say, and the queue counts it once.
   */
  function isInDoubt(conversation: ConversationId): boolean {
    const isLeftBehind = (options.left[conversations.findIndex(({ id }) => id === conversation)] ?? 0) > 1
    return isLeftBehind && runs.some((run) => run.conversation === conversation && run.blocked)
  }

  /** Turns that wait as the queue has to see them: those that were entered, less the place of a run that has claimed none. */
  function waitingIn(lane: LaneKey): number {
    let waiting = 0
    for (const { id } of conversations.filter((conversation) => conversation.lane === lane)) {
      const queued = of(id, 'queued').filter(({ isEntered }) => isEntered).length
      const hasRunWithoutTurn = runs.some((run) => run.conversation === id && !Array.isArray(run.seen))
      waiting += hasRunWithoutTurn ? Math.max(0, queued - 1) : queued
    }
    return waiting
  }

  const model = {
    queue,
    settle: () => clock.settle(),
    enter(at: number): void {
      const { id: conversation, lane } = conversations[at % conversations.length] as (typeof conversations)[number]
      const row: Row = { conversation, status: 'queued', isEntered: false, overcounted: 0 }
      const waitingBefore = queue.backlog(lane) + entering.filter((other) => other.lane === lane).length
      const store = () =>
        new Promise<ConversationId | null>((resolve, reject) => {
          if (waitingBefore >= options.backlogMax) wronglyStored++
          entering.push({ lane, row, isCommitted: false, resolve, reject })
        })
      queue
        .enter(lane, store, (stored) => stored)
        .catch((error: unknown) => {
          if (error instanceof BacklogFull) {
            refused++
            if (waitingBefore < options.backlogMax) wronglyRefused++
          }
        })
    },
    commit(at: number): void {
      const one = pick(
        entering.filter(({ isCommitted }) => !isCommitted),
        at,
      )
      if (!one) return
      one.isCommitted = true
      rows.push(one.row)
    },
    /** @param how `lost`: it may be stored, and nobody is told */
    answer(at: number, how: 'stored' | 'nothing' | 'failed' | 'lost'): void {
      const one = pick(entering, at)
      if (!one) return
      entering.splice(entering.indexOf(one), 1)
      if (how === 'lost') hasLost ||= one.isCommitted
      if (how === 'lost' || (how === 'failed' && !one.isCommitted)) one.reject(new Error('the database is away'))
      else if (how === 'nothing' && !one.isCommitted) one.resolve(null)
      else {
        if (!one.isCommitted) rows.push(one.row)
        one.row.isEntered = !isInDoubt(one.row.conversation)
        one.resolve(one.row.conversation)
      }
    },
    look(at: number): void {
      const run = pick(
        runs.filter(({ seen }) => !seen),
        at,
      )
      if (run) checkRun(run)
    },
    end(at: number, ending: Ending): void {
      const run = pick(runs, at)
      if (run) run.end(resultOf(run, ending))
    },
    approve(at: number): void {
      const row = pick(
        rows.filter(({ status }) => status === 'paused'),
        at,
      )
      if (row) resume(row.conversation)
    },
    cancel(at: number): void {
      const row = pick(
        rows.filter(({ status, isEntered }) => isEntered && (status === 'queued' || status === 'paused')),
        at,
      )
      if (!row) return
      const { conversation, status } = row
      row.status = 'cancelled'
      // The run that has looked says that it waits.
      if (runs.some((run) => run.blocked?.includes(row))) row.overcounted++
      if (status === 'queued') queue.cancelled(conversation, laneOf(conversation))
      else find(conversation)
    },
    /** By another process: this one is not told. */
    cancelElsewhere(at: number): void {
      const row = pick(
        rows.filter(({ status, isEntered }) => isEntered && status === 'queued'),
        at,
      )
      if (!row) return
      row.status = 'cancelled'
      row.overcounted++
    },
    cancelRunning(at: number): void {
      const heads = runs.flatMap(({ seen }) => (Array.isArray(seen) ? seen.slice(0, 1) : []))
      const row = pick(heads, at)
      if (row) row.status = 'cancelled'
    },
    setPaused(at: number, isPaused: boolean): void {
      const lane = lanes[at % lanes.length] as LaneKey
      if (isPaused) pausedLanes.add(lane)
      else pausedLanes.delete(lane)
      queue.limitsChanged()
    },
    advance: (byMs: number) => clock.advance(byMs),
    /** As `find-waiting.ts` does. */
    find(): void {
      for (const { id, lane } of conversations) {
        if (of(id, 'queued').length === 0 || of(id, 'paused').length > 0 || queue.isTracked(id, lane)) continue
        find(id)
      }
    },

    /** What holds at every moment. */
    check(): void {
      expect([wronglyRefused, wronglyStored]).toEqual([0, 0])
      expect(queue.running).toBe(runs.length)
      for (const lane of lanes) {
        expect(queue.runningIn(lane)).toBe(runs.filter((run) => run.lane === lane).length)
        expect(queue.backlog(lane)).toBeGreaterThanOrEqual(0)
        // Too low, and more turns would be stored than may wait.
        if (!hasLost) {
          const beingEntered = entering.filter((one) => one.lane === lane).length
          expect(queue.backlog(lane) + beingEntered).toBeGreaterThanOrEqual(waitingIn(lane))
        }
      }
      expect(queue.waiting).toBe(lanes.reduce((sum, lane) => sum + queue.backlog(lane), 0))
    },

    /** Everything that is under way ends, and what waits for nobody runs. */
    async comeToRest(): Promise<void> {
      while (entering.length > 0) model.answer(0, 'stored')
      for (const at of lanes.keys()) model.setPaused(at, false)
      for (let round = 0; round < 200; round++) {
        await clock.advance(2_000)
        if (hasLost) model.find()
        if (runs.length === 0) break
        for (const run of [...runs]) run.end(resultOf(run, 'done'))
      }
      expect(runs).toEqual([])
    },
    /** At rest: only what is behind a paused turn waits, and it is counted. */
    checkAtRest(): void {
      for (const { id, lane } of conversations) {
        const isBlocked = of(id, 'paused').length > 0
        expect(of(id, 'running')).toEqual([])
        if (!isBlocked) expect(of(id, 'queued')).toEqual([])
        expect(queue.isTracked(id, lane)).toBe(false)
      }
      for (const lane of lanes) {
        if (hasLost) continue
        const paused = conversations.filter(({ id, lane: its }) => its === lane && of(id, 'paused').length > 0)
        const behind = paused.flatMap(({ id }) => of(id, 'queued'))
        const enteredBehind = behind.filter(({ isEntered }) => isEntered)
        const overcounted = rows
          .filter(({ conversation }) => paused.some(({ id }) => id === conversation))
          .reduce((sum, row) => sum + row.overcounted, 0)
        expect(queue.backlog(lane)).toBeGreaterThanOrEqual(enteredBehind.length)
        expect(queue.backlog(lane)).toBeLessThanOrEqual(behind.length + overcounted)
      }
    },
    async approveAll(): Promise<void> {
      for (const { id } of conversations) if (of(id, 'paused').length > 0) resume(id)
      await model.comeToRest()
    },
    checkEmpty(): void {
      expect(rows.filter(({ status }) => status !== 'ended' && status !== 'cancelled')).toEqual([])
      expect([queue.waiting, queue.running]).toEqual([0, 0])
    },
    /** For the test's own check that it reaches what it is about. */
    reached: () => ({ refused, ended: rows.filter(({ status }) => status === 'ended').length }),
  }
  return model
}
