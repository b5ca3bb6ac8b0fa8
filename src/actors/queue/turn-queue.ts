/**
 * Which conversation is answered next. Turns wait in the database; here stands only in which conversations, by channel,
 * so that they run in parallel within bounds, one at a time in each, and no channel holds up another.
 */
import type { Clock } from '../../runtime/clock.ts'
import type { ChannelId, ConversationId } from '../../store/id.ts'

/** Of turns that belong to no channel. */
export type LaneKey = ChannelId | 'none'

export interface LaneLimits {
  /** Turns that run at once. */
  turnsMax: number
  /** Turns that may wait. */
  backlogMax: number
  isPaused: boolean
}

/** What became of one run. */
export interface RunResult {
  /** Turns that no longer wait. */
  taken: number
  /** Milliseconds until this conversation may run again: the turn was given back. */
  againAfterMs?: number
}

export interface TurnQueueOptions {
  clock: Clock
  /** Turns of all lanes that run at once. */
  turnsMax: () => number
  limits(lane: LaneKey): LaneLimits
  /** Runs the oldest turn of the conversation. Never rejects. */
  run(conversation: ConversationId, lane: LaneKey): Promise<RunResult>
}

export interface TurnQueue {
  /** A place in the backlog, before the turn is stored; false when it is full. Given back by `release`, or used by `add`. */
  reserve(lane: LaneKey): boolean
  release(lane: LaneKey): void
  /** Turns are stored, and wait. `isReserved`: their places were reserved. */
  add(conversation: ConversationId, lane: LaneKey, turns?: number, isReserved?: boolean): void
  /** As `add`, for turns that are not to be tried before `afterMs`. */
  addLater(conversation: ConversationId, lane: LaneKey, turns: number, afterMs: number): void
  /** Whether turns of the conversation wait or run, as far as is known here. */
  knows(conversation: ConversationId, lane: LaneKey): boolean
  /** Limits have changed: what was held back may run now. */
  reconsider(): void
  /** Starts nothing any more. */
  close(): void
  readonly running: number
  /** Turns of the lane that wait; those that run are not among them. */
  backlog(lane: LaneKey): number
  runningIn(lane: LaneKey): number
  readonly waiting: number
}

class Lane {
  readonly key: LaneKey
  /** Turns that have not ended, by conversation. */
  readonly turns = new Map<ConversationId, number>()
  /** May start, in this order. */
  readonly ready = new Set<ConversationId>()
  readonly running = new Set<ConversationId>()
  /** Given back, and not to be tried yet. */
  readonly resting = new Set<ConversationId>()
  reserved = 0
  /** Those that run are among them. */
  unfinished = 0
  constructor(key: LaneKey) {
    this.key = key
  }
  get waiting(): number {
    return this.unfinished - this.running.size
  }
}

export function turnQueue(options: TurnQueueOptions): TurnQueue {
  const lanes = new Map<LaneKey, Lane>()
  let running = 0
  let isClosed = false
  /** Lanes are asked in turn, beginning behind the one that started last. */
  let lastServed = 0

  function laneOf(key: LaneKey): Lane {
    let lane = lanes.get(key)
    if (!lane) {
      lane = new Lane(key)
      lanes.set(key, lane)
    }
    return lane
  }

  function startMore(): void {
    const all = [...lanes.values()]
    let idle = 0
    while (!isClosed && running < options.turnsMax() && idle < all.length) {
      lastServed = (lastServed + 1) % all.length
      const lane = all[lastServed]
      if (lane && startOne(lane)) idle = 0
      else idle++
    }
  }

  function startOne(lane: Lane): boolean {
    if (lane.ready.size === 0) return false
    const { turnsMax, isPaused } = options.limits(lane.key)
    if (isPaused || lane.running.size >= turnsMax) return false
    const [conversation] = lane.ready
    if (conversation === undefined) return false
    lane.ready.delete(conversation)
    lane.running.add(conversation)
    running++
    void options.run(conversation, lane.key).then((result) => finished(lane, conversation, result))
    return true
  }

  function finished(lane: Lane, conversation: ConversationId, { taken, againAfterMs }: RunResult): void {
    running--
    lane.running.delete(conversation)
    const before = lane.turns.get(conversation) ?? 0
    const left = Math.max(0, before - taken)
    lane.unfinished -= before - left
    if (left > 0) lane.turns.set(conversation, left)
    else lane.turns.delete(conversation)
    if (left > 0 && againAfterMs !== undefined) rest(lane, conversation, againAfterMs)
    else if (left > 0) lane.ready.add(conversation)
    startMore()
  }

  function rest(lane: Lane, conversation: ConversationId, forMs: number): void {
    lane.resting.add(conversation)
    options.clock.after(forMs, () => {
      lane.resting.delete(conversation)
      if (lane.turns.has(conversation)) lane.ready.add(conversation)
      startMore()
    })
  }

  function count(lane: Lane, conversation: ConversationId, turns: number): void {
    lane.unfinished += turns
    lane.turns.set(conversation, (lane.turns.get(conversation) ?? 0) + turns)
  }

  return {
    reserve(key) {
      const lane = laneOf(key)
      if (lane.waiting + lane.reserved >= options.limits(key).backlogMax) return false
      lane.reserved++
      return true
    },
    release(key) {
      laneOf(key).reserved--
    },
    add(conversation, key, turns = 1, isReserved = false) {
      const lane = laneOf(key)
      if (isReserved) lane.reserved -= turns
      count(lane, conversation, turns)
      if (lane.running.has(conversation) || lane.resting.has(conversation)) return
      lane.ready.add(conversation)
      startMore()
    },
    addLater(conversation, key, turns, afterMs) {
      const lane = laneOf(key)
      count(lane, conversation, turns)
      if (!lane.running.has(conversation) && !lane.resting.has(conversation)) rest(lane, conversation, afterMs)
    },
    knows: (conversation, key) => lanes.get(key)?.turns.has(conversation) ?? false,
    reconsider: startMore,
    close() {
      isClosed = true
    },
    get running() {
      return running
    },
    backlog: (key) => lanes.get(key)?.waiting ?? 0,
    runningIn: (key) => lanes.get(key)?.running.size ?? 0,
    get waiting() {
      let sum = 0
      for (const lane of lanes.values()) sum += lane.waiting
      return sum
    },
  }
}
