/** The conversations of one channel in which turns wait, each in one state; the counts follow from the states. */
import type { ChannelId, ConversationId } from '../../store/id.ts'

/** `none`: turns that belong to no channel. */
export type LaneKey = ChannelId | 'none'

/**
 * Where a conversation stands.
 * - ready: may start when there is a place.
 * - running: its oldest turn runs.
 * - resting: its oldest turn was given back and is not to be tried yet.
 * - paused: its oldest turn waits for an operator; what is behind it counts, and nothing runs.
 */
export type Waiting = { status: 'ready' | 'resting' | 'paused'; turns: number } | Running

export interface Running {
  status: 'running'
  /** Turns that have not ended, the running one among them. */
  turns: number
  /** How many of them were known when the run began. */
  turnsAtStart: number
  /** What the database said during the run, and what was entered since: the run may have seen an older state. */
  recount?: number
}

export class Lane {
  readonly key: LaneKey
  /** Places of turns that are being stored. */
  reserved = 0
  /** Turns that wait; those that run are not among them. */
  waiting = 0
  running = 0
  readonly #conversations = new Map<ConversationId, Waiting>()
  /** Those with the status ready, in the order in which they start. */
  readonly #ready = new Set<ConversationId>()

  constructor(key: LaneKey) {
    this.key = key
  }

  of(conversation: ConversationId): Waiting | undefined {
    return this.#conversations.get(conversation)
  }

  /** @throws Error where it does not run: a defect of the queue */
  runningOf(conversation: ConversationId): Running {
    const known = this.#conversations.get(conversation)
    if (known?.status !== 'running') throw new Error(`conversation ${conversation} does not run`)
    return known
  }

  get nextReady(): ConversationId | undefined {
    const [first] = this.#ready
    return first
  }

  begin(conversation: ConversationId): void {
    const turns = this.of(conversation)?.turns ?? 0
    this.set(conversation, { status: 'running', turns, turnsAtStart: turns })
  }

  /** What waits is forgotten; those that run stay until their run has ended. */
  forget(isLost: (conversation: ConversationId) => boolean): void {
    for (const [conversation, { status }] of this.#conversations) {
      if (status !== 'running' && isLost(conversation)) this.set(conversation, { status: 'ready', turns: 0 })
    }
  }

  /** The only way in which a conversation changes. One that is ready and has no turns is forgotten. */
  set(conversation: ConversationId, next: Waiting): void {
    const before = this.#conversations.get(conversation)
    this.waiting += waitingTurns(next) - waitingTurns(before)
    this.running += Number(next.status === 'running') - Number(before?.status === 'running')
    if (next.status === 'ready' && next.turns > 0) this.#ready.add(conversation)
    else this.#ready.delete(conversation)
    if (next.status === 'ready' && next.turns === 0) this.#conversations.delete(conversation)
    else this.#conversations.set(conversation, next)
  }
}

function waitingTurns(waiting: Waiting | undefined): number {
  if (!waiting) return 0
  return waiting.status === 'running' ? Math.max(0, waiting.turns - 1) : waiting.turns
}
