/**
 * Which conversation is answered next. Turns wait in the database; here stands only in which conversations, by channel,
 * so that they run in parallel within bounds, one at a time in each, and no channel holds up another.
 */
import type { Clock } from '../../runtime/time/clock.ts'
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
  /** The turn was put aside for an operator: what comes behind it counts, and nothing runs until word comes of it. */
  isAside?: boolean
  /** As `isAside`, found by a run that could take nothing: so many turns wait behind it. */
  behind?: number
}

/** Nothing was there to take: whatever was known of before is not there any more. */
export const nothingWaits = Number.MAX_SAFE_INTEGER

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
  /**
   * Turns are stored, and wait. `isReserved`: new ones, whose places were reserved; otherwise so many are there, and may run,
   * also where they were held up behind one that was put aside.
   */
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
  /** Their oldest turn waits for an operator. */
  readonly aside = new Set<ConversationId>()
  /** Turns that wait, by conversation, as was told while it runs: what the run sees may be older. */
  readonly told = new Map<ConversationId, number>()
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
    const known = lane.turns.get(conversation) ?? 0
    void options.run(conversation, lane.key).then((result) => finished(lane, conversation, result, known))
    return true
  }

  /** @param known turns that were known of when the run began: those that came since are there whatever it found */
  function finished(lane: Lane, conversation: ConversationId, result: RunResult, known: number): void {
    const { againAfterMs } = result
    running--
    lane.running.delete(conversation)
    const told = lane.told.get(conversation)
    lane.told.delete(conversation)
    const isAside = result.isAside === true || result.behind !== undefined
    const left = isAside && told !== undefined ? told : leftAfter(result, known, lane.turns.get(conversation) ?? 0)
    recount(lane, conversation, left)
    // Word that came meanwhile may be that the turn is aside no more: the next run sees for itself.
    if (isAside && told === undefined) lane.aside.add(conversation)
    else if (left > 0 && againAfterMs !== undefined) rest(lane, conversation, againAfterMs)
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

  function recount(lane: Lane, conversation: ConversationId, turns: number): void {
    lane.unfinished += turns - (lane.turns.get(conversation) ?? 0)
    if (turns > 0) lane.turns.set(conversation, turns)
    else lane.turns.delete(conversation)
  }

  function count(lane: Lane, conversation: ConversationId, turns: number): void {
    lane.unfinished += turns
    lane.turns.set(conversation, (lane.turns.get(conversation) ?? 0) + turns)
  }

  /** @param isNew beside those that were told of before; otherwise so many are there */
  function keepTold(lane: Lane, conversation: ConversationId, turns: number, isNew: boolean): void {
    if (!lane.running.has(conversation)) return
    const told = lane.told.get(conversation)
    if (!isNew) lane.told.set(conversation, turns)
    else if (told !== undefined) lane.told.set(conversation, told + turns)
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
      keepTold(lane, conversation, turns, isReserved)
      if (lane.aside.has(conversation) && !isReserved) {
        lane.aside.delete(conversation)
        recount(lane, conversation, turns)
      } else count(lane, conversation, turns)
      if (lane.aside.has(conversation) || !lane.turns.has(conversation)) return
      if (lane.running.has(conversation) || lane.resting.has(conversation)) return
      lane.ready.add(conversation)
      startMore()
    },
    addLater(conversation, key, turns, afterMs) {
      const lane = laneOf(key)
      keepTold(lane, conversation, turns, false)
      if (lane.aside.delete(conversation)) recount(lane, conversation, turns)
      else count(lane, conversation, turns)
      if (!lane.running.has(conversation) && !lane.resting.has(conversation)) rest(lane, conversation, afterMs)
    },
    knows(conversation, key) {
      const lane = lanes.get(key)
      return (lane?.turns.has(conversation) ?? false) && !lane?.aside.has(conversation)
    },
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

/** @param known turns when the run began @param before turns now, those that came meanwhile among them */
function leftAfter({ taken, behind }: RunResult, known: number, before: number): number {
  // What came during the run came before it looked, and is in what it saw, or behind that.
  if (behind !== undefined) return Math.min(Math.max(behind, before), behind + before - known)
  return Math.max(0, before - (taken === nothingWaits ? known : taken))
}
