/** What a running turn says, told between its start and its end as the feed tells them: no delta before the start, none twice. */
import type { LiveTurn, LiveTurns, Watcher } from '../../actors/feed/live-turns.ts'
import type { EventPosition } from '../../store/event-cursor.ts'
import type { StoredEvent } from '../../store/events.ts'
import type { ConversationId, TurnId } from '../../store/id.ts'

/** Where a reader was in an answer when it left. */
export interface DeltaPlace {
  turnId: TurnId
  offset: number
}

export type TellDelta = (turn: TurnId, offset: number, text: string) => void

export class LiveDeltas implements Watcher {
  readonly #live: LiveTurns
  readonly #conversation: ConversationId
  readonly #tell: TellDelta
  readonly #onTyping: (() => void) | undefined
  readonly #leave: () => void
  /** Of whose start the reader knows. */
  #told: LiveTurn | undefined
  #sent = 0

  constructor(live: LiveTurns, conversation: ConversationId, tell: TellDelta, onTyping?: () => void) {
    this.#live = live
    this.#conversation = conversation
    this.#tell = tell
    this.#onTyping = onTyping
    this.#leave = live.watch(conversation, this)
  }

  /** The turn that runs now. */
  get turn(): TurnId | undefined {
    return this.#live.current(this.#conversation)?.turnId
  }

  delta(turn: LiveTurn, offset: number, text: string): void {
    if (turn !== this.#told) return
    const end = offset + text.length
    if (end <= this.#sent) return
    const from = Math.max(offset, this.#sent)
    this.#sent = end
    this.#tell(turn.turnId, from, text.slice(from - offset))
  }

  typing(): void {
    this.#onTyping?.()
  }

  /** The reader is level with the feed: a turn whose start it was told, now or before it left, goes on. */
  level(position: EventPosition, left: DeltaPlace | undefined): void {
    const turn = this.#live.current(this.#conversation)
    if (!turn || turn.startedXid > position.xid) return
    this.#begin(turn, left?.turnId === turn.turnId ? left.offset : 0)
  }

  /** The reader has just been told this event. */
  after(event: StoredEvent): void {
    if (event.kind !== 'turn.started') return
    const turn = this.#live.current(this.#conversation)
    if (turn && turn.turnId === event.data['turn_id'] && turn !== this.#told) this.#begin(turn, 0)
  }

  close(): void {
    this.#leave()
  }

  #begin(turn: LiveTurn, from: number): void {
    const text = turn.soFar()
    this.#told = turn
    this.#sent = text.length
    if (text.length > from) this.#tell(turn.turnId, from, text.slice(from))
  }
}
