/**
 * Which conversation is answered next. The turns wait in the database; here stands only how many, by lane and
 * conversation, so that conversations run in parallel within limits, one turn at a time in each, and no lane holds up
 * another. A count that is too high costs one run that finds nothing. One that is too low leaves a turn behind until
 * `find-waiting.ts` finds it, so a doubt about what may run is decided upward.
 */
import type { Clock } from '../../runtime/time/clock.ts'
import type { ConversationId } from '../../store/id.ts'
import { BacklogFull } from './backlog-full.ts'
import { Lane, type LaneKey } from './lane.ts'
import { afterRun, type RunResult } from './run-result.ts'

export interface LaneLimits {
  /** Turns that run at once. */
  turnsMax: number
  /** Turns that may wait. Those that run are not among them. */
  backlogMax: number
  isPaused: boolean
  /** Turns of the lane that wait at other nodes. */
  waitingElsewhere?: number
}

export interface TurnQueueOptions {
  clock: Clock
  /** Turns of all lanes that run at once. */
  turnsMax: () => number
  limits(lane: LaneKey): LaneLimits
  /** Runs the oldest turn of the conversation. Never rejects. */
  run(conversation: ConversationId, lane: LaneKey): Promise<RunResult>
  /** A turn was stored and waits. */
  onEntered(): void
  /** True: the conversation is another node's, and that node is told. Absent: all are this node's. */
  passOn?(conversation: ConversationId, news: QueueNews): boolean
}

/** What became of the turns of a conversation in the database, for the queue of its node. */
export type QueueNews =
  /** One more waits. */
  | { kind: 'entered'; lane: LaneKey }
  /** So many wait and may run. */
  | { kind: 'found'; lane: LaneKey; turns: number; afterMs?: number }
  /** One that waited was cancelled. */
  | { kind: 'cancelled'; lane: LaneKey }

export interface FoundTurns {
  conversation: ConversationId
  lane: LaneKey
  /** All turns of the conversation that wait. */
  turns: number
  /** Milliseconds before the first of them may run. */
  afterMs?: number
}

export interface TurnQueue {
  /**
   * Keeps a place in the lane's backlog while `store` works, then queues the turn that it stored.
   * @param conversationOf the conversation in which a turn now waits; null: none was stored, and the place is free again
   * @throws BacklogFull before anything is stored, or what `store` throws
   */
  enter<Stored>(
    lane: LaneKey,
    store: () => Promise<Stored>,
    conversationOf: (stored: Stored) => ConversationId | null,
  ): Promise<Stored>
  /** The database says that so many turns wait and may run: left by an earlier start, or no longer behind a paused turn. */
  found(turns: FoundTurns): void
  /** A turn that waited was cancelled in the database. */
  cancelled(conversation: ConversationId, lane: LaneKey): void
  /** Another node passes on what it knows of a conversation that is this node's. */
  hear(conversation: ConversationId, news: QueueNews): void
  /** Conversations that are other nodes' now: what waits in them no longer waits here. A run that is under way sees by itself. */
  forget(isLost: (conversation: ConversationId) => boolean): void
  /** Whether the conversation runs, or will run by itself. */
  isTracked(conversation: ConversationId, lane: LaneKey): boolean
  /** Limits have changed: what was held back may run now. */
  limitsChanged(): void
  /** Starts nothing any more. */
  close(): void
  readonly running: number
  /** Turns of the lane that wait; those that run are not among them. */
  backlog(lane: LaneKey): number
  runningIn(lane: LaneKey): number
  /** Those in which turns run or wait, and how many. */
  busyLanes(): Iterable<[lane: LaneKey, running: number, waiting: number]>
  readonly waiting: number
}

export function turnQueue(options: TurnQueueOptions): TurnQueue {
  const lanes = new Map<LaneKey, Lane>()
  let running = 0
  let isClosed = false
  /** Lanes take turns, beginning behind the one that started last. */
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
    const conversation = lane.nextReady
    if (conversation === undefined) return false
    const { turnsMax, isPaused } = options.limits(lane.key)
    if (isPaused || lane.running >= turnsMax) return false
    lane.begin(conversation)
    running++
    void options.run(conversation, lane.key).then((result) => finished(lane, conversation, result))
    return true
  }

  function finished(lane: Lane, conversation: ConversationId, result: RunResult): void {
    running--
    const next = afterRun(lane.runningOf(conversation), result)
    if (result.status === 'retry') rest(lane, conversation, { turns: next.turns, forMs: result.afterMs })
    else lane.set(conversation, next)
    startMore()
  }

  function rest(lane: Lane, conversation: ConversationId, { turns, forMs }: { turns: number; forMs: number }): void {
    lane.set(conversation, { status: 'resting', turns })
    options.clock.after(forMs, () => {
      const known = lane.of(conversation)
      // Its slot may have gone and come back since: then it waits, or runs, for another reason.
      if (known?.status !== 'resting') return
      lane.set(conversation, { status: 'ready', turns: known.turns })
      startMore()
    })
  }

  /** To the queue of the conversation's node. */
  function tell(conversation: ConversationId, news: QueueNews): void {
    if (!options.passOn?.(conversation, news)) hear(conversation, news)
  }

  function hear(conversation: ConversationId, news: QueueNews): void {
    const lane = laneOf(news.lane)
    if (news.kind === 'entered') entered(lane, conversation)
    else if (news.kind === 'cancelled') cancelled(lane, conversation)
    else found(lane, conversation, news)
  }

  function cancelled(lane: Lane, conversation: ConversationId): void {
    const known = lane.of(conversation)
    if (!known || known.turns === 0) return
    const turns = known.turns - 1
    // One that was known when the run began, as far as can be told: it must not hide one that was entered since.
    if (known.status === 'running')
      lane.set(conversation, { ...known, turns, turnsAtStart: Math.max(0, known.turnsAtStart - 1) })
    else lane.set(conversation, { status: known.status, turns })
  }

  function found(lane: Lane, conversation: ConversationId, { turns, afterMs }: { turns: number; afterMs?: number }) {
    const known = lane.of(conversation)
    switch (known?.status) {
      case 'running':
        lane.set(conversation, { ...known, turns: known.turns + turns, recount: turns })
        break
      case 'ready':
      case 'resting':
        // Whether those that are known are among those that were found, nobody can say.
        lane.set(conversation, { status: known.status, turns: known.turns + turns })
        break
      case 'paused':
      case undefined:
        if (afterMs === undefined) lane.set(conversation, { status: 'ready', turns })
        else rest(lane, conversation, { turns, forMs: afterMs })
        break
      default:
        known satisfies never
    }
    startMore()
  }

  function entered(lane: Lane, conversation: ConversationId): void {
    const known = lane.of(conversation)
    const turns = (known?.turns ?? 0) + 1
    if (known?.status === 'running') {
      const { recount } = known
      lane.set(conversation, { ...known, turns, ...(recount !== undefined && { recount: recount + 1 }) })
    } else lane.set(conversation, { status: known?.status ?? 'ready', turns })
    startMore()
  }

  return {
    async enter(key, store, conversationOf) {
      const lane = laneOf(key)
      const { backlogMax, waitingElsewhere = 0 } = options.limits(key)
      if (lane.waiting + lane.reserved + waitingElsewhere >= backlogMax) throw new BacklogFull(backlogMax)
      lane.reserved++
      let conversation: ConversationId | null = null
      try {
        const stored = await store()
        conversation = conversationOf(stored)
        return stored
      } finally {
        lane.reserved--
        if (conversation !== null) {
          tell(conversation, { kind: 'entered', lane: key })
          options.onEntered()
        }
      }
    },
    found: ({ conversation, ...turns }) => tell(conversation, { kind: 'found', ...turns }),
    cancelled: (conversation, lane) => tell(conversation, { kind: 'cancelled', lane }),
    hear,
    forget(isLost) {
      for (const lane of lanes.values()) lane.forget(isLost)
    },
    isTracked(conversation, key) {
      const status = lanes.get(key)?.of(conversation)?.status
      return status !== undefined && status !== 'paused'
    },
    limitsChanged: startMore,
    close() {
      isClosed = true
    },
    get running() {
      return running
    },
    backlog: (key) => lanes.get(key)?.waiting ?? 0,
    runningIn: (key) => lanes.get(key)?.running ?? 0,
    *busyLanes() {
      for (const { key, running: runs, waiting } of lanes.values()) if (runs + waiting > 0) yield [key, runs, waiting]
    },
    get waiting() {
      let sum = 0
      for (const lane of lanes.values()) sum += lane.waiting
      return sum
    },
  }
}
