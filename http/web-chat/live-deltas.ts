/** The text of a running turn, sent between the start and end events of the feed: no delta before the start, none twice. */
import type { LiveTurn, LiveTurns, Watcher } from '../../actors/feed/live-turns.ts'
import type { EventPosition } from '../../store/events/cursor.ts'
import type { StoredEvent } from '../../store/events/events.ts'
import type { ConversationId, TurnId } from '../../store/id.ts'

/** How much of an answer a reader has. */
export interface DeltaPlace {
  turnId: TurnId
  offset: number
}

export type SendDelta = (turn: TurnId, offset: number, text: string) => void

/** UTF-16 units of one delta: six bytes each at worst, so that an event stays below 64 KiB. */
const deltaUnitsMax = 8_192

export class LiveDeltas implements Watcher {
  readonly #live: LiveTurns
  readonly #conversation: ConversationId
  readonly #send: SendDelta
  readonly #onTyping: (() => void) | undefined
  readonly #wake: () => void
  readonly #unsubscribe: () => void
  /** The reader has every start event up to this transaction. */
  #startsSentXid = -1n
  /** The turn whose deltas are sent now. */
  #turn: LiveTurn | undefined
  #sent = 0
  #place: DeltaPlace | undefined
  /** A turn that has text, but whose start event the reader does not have yet. */
  #awaitedStart: LiveTurn | undefined

  /** @param feed is woken when a turn has text before the reader has its start event */
  constructor(
    { liveTurns, feed }: { liveTurns: LiveTurns; feed: { wake(): void } },
    conversation: ConversationId,
    place: DeltaPlace | undefined,
    tell: SendDelta,
    onTyping?: () => void,
  ) {
    this.#live = liveTurns
    this.#wake = () => feed.wake()
    this.#conversation = conversation
    this.#place = place
    this.#send = tell
    this.#onTyping = onTyping
    this.#unsubscribe = liveTurns.watch(conversation, this)
  }

  /** How much the reader has of an answer whose end it does not have yet. */
  get place(): DeltaPlace | undefined {
    return this.#place
  }

  delta(turn: LiveTurn, offset: number, text: string): void {
    if (turn !== this.#turn) {
      // The text so far includes this piece.
      if (turn.startedXid <= this.#startsSentXid) this.#begin(turn)
      else if (turn !== this.#awaitedStart) {
        this.#awaitedStart = turn
        this.#wake()
      }
      return
    }
    const end = offset + text.length
    if (end <= this.#sent) return
    const from = Math.max(offset, this.#sent)
    this.#sent = end
    this.#sendText(turn.turnId, from, text.slice(from - offset))
  }

  typing(): void {
    this.#onTyping?.()
  }

  /** The reader has caught up with the feed: the text of a turn whose start it has can follow. */
  caughtUp(position: EventPosition): void {
    this.#startsSent(position.xid)
  }

  /** Called before an event is sent. After a new attempt of the turn, or its end, the place in the text no longer counts. */
  beforeEvent({ kind, data }: StoredEvent): void {
    if (kind.startsWith('turn.') && data['turn_id'] === this.#place?.turnId) this.#place = undefined
  }

  /** Called after an event was sent. */
  afterEvent(event: StoredEvent): void {
    if (event.kind === 'turn.started') this.#startsSent(event.position.xid)
  }

  close(): void {
    this.#unsubscribe()
  }

  /** A turn without text yet begins with its first piece. */
  #startsSent(xid: bigint): void {
    if (xid > this.#startsSentXid) this.#startsSentXid = xid
    const turn = this.#live.current(this.#conversation)
    if (turn && turn !== this.#turn && turn.startedXid <= this.#startsSentXid) this.#begin(turn)
  }

  #begin(turn: LiveTurn): void {
    const from = this.#place?.turnId === turn.turnId ? this.#place.offset : 0
    const text = turn.soFar()
    this.#turn = turn
    this.#sent = Math.max(text.length, from)
    if (text.length > from) this.#sendText(turn.turnId, from, text.slice(from))
  }

  #sendText(turn: TurnId, offset: number, text: string): void {
    for (let from = 0; from < text.length; ) {
      const to = cutPosition(text, from + deltaUnitsMax)
      this.#place = { turnId: turn, offset: offset + to }
      this.#send(turn, offset + from, text.slice(from, to))
      from = to
    }
  }
}

/** Where to cut: at `at`, or one before it so that a surrogate pair stays together; never past the end. */
function cutPosition(text: string, at: number): number {
  if (at >= text.length) return text.length
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at
}
