/** What a running turn says, told between its start and its end as the feed tells them: no delta before the start, none twice. */
import type { LiveTurn, LiveTurns, Watcher } from '../../actors/feed/live-turns.ts'
import type { EventPosition } from '../../store/events/cursor.ts'
import type { StoredEvent } from '../../store/events/events.ts'
import type { ConversationId, TurnId } from '../../store/id.ts'

/** Where a reader is in an answer. */
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
  readonly #tell: SendDelta
  readonly #onTyping: (() => void) | undefined
  readonly #wake: () => void
  readonly #leave: () => void
  /** The reader has been told of every start up to this transaction. */
  #toldXid = -1n
  /** What is told now. */
  #told: LiveTurn | undefined
  #sent = 0
  #place: DeltaPlace | undefined
  /** Of whose start the reader is still to be told. */
  #unknown: LiveTurn | undefined

  /** @param feed is woken when a turn speaks whose start the reader does not know yet */
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
    this.#tell = tell
    this.#onTyping = onTyping
    this.#leave = liveTurns.watch(conversation, this)
  }

  /** Where the reader stands in an answer whose end it does not know of. */
  get place(): DeltaPlace | undefined {
    return this.#place
  }

  delta(turn: LiveTurn, offset: number, text: string): void {
    if (turn !== this.#told) {
      // The text up to here holds this piece too.
      if (turn.startedXid <= this.#toldXid) this.#begin(turn)
      else if (turn !== this.#unknown) {
        this.#unknown = turn
        this.#wake()
      }
      return
    }
    const end = offset + text.length
    if (end <= this.#sent) return
    const from = Math.max(offset, this.#sent)
    this.#sent = end
    this.#say(turn.turnId, from, text.slice(from - offset))
  }

  typing(): void {
    this.#onTyping?.()
  }

  /** The reader is level with the feed: a turn whose start it was told, now or before it left, goes on. */
  level(position: EventPosition): void {
    this.#startsAreTold(position.xid)
  }

  /** The reader is about to be told this event: another try of the turn, or its end, has no place in what was said. */
  before({ kind, data }: StoredEvent): void {
    if (kind.startsWith('turn.') && data['turn_id'] === this.#place?.turnId) this.#place = undefined
  }

  /** The reader has just been told this event. */
  after(event: StoredEvent): void {
    if (event.kind === 'turn.started') this.#startsAreTold(event.position.xid)
  }

  close(): void {
    this.#leave()
  }

  /** A turn that has not begun to speak yet begins with its first piece. */
  #startsAreTold(xid: bigint): void {
    if (xid > this.#toldXid) this.#toldXid = xid
    const turn = this.#live.current(this.#conversation)
    if (turn && turn !== this.#told && turn.startedXid <= this.#toldXid) this.#begin(turn)
  }

  #begin(turn: LiveTurn): void {
    const from = this.#place?.turnId === turn.turnId ? this.#place.offset : 0
    const text = turn.soFar()
    this.#told = turn
    this.#sent = Math.max(text.length, from)
    if (text.length > from) this.#say(turn.turnId, from, text.slice(from))
  }

  #say(turn: TurnId, offset: number, text: string): void {
    for (let from = 0; from < text.length; ) {
      const to = wholeCharacters(text, from + deltaUnitsMax)
      this.#place = { turnId: turn, offset: offset + to }
      this.#tell(turn, offset + from, text.slice(from, to))
      from = to
    }
  }
}

/** Where to cut: at `at` or just before it, so that a pair of surrogates stays together, and never behind the end. */
function wholeCharacters(text: string, at: number): number {
  if (at >= text.length) return text.length
  return /[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at
}
