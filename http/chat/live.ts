/** A streamed answer on its way: reads the turn's stream, writes events at the reader's pace, always ends with a terminal event. */
import type { TurnDelta } from '../../actors/turn/messages.ts'
import type { StreamReader, Subscription } from '../../runtime/actor/streams.ts'
import type { Clock, Timer } from '../../runtime/time/clock.ts'
import type { StreamWriter } from '../server/stream-writer.ts'
import { type ChunkWriter, heartbeatComment } from './chunks.ts'

/** A heartbeat goes out after 15 s of silence, noticed to the nearest tick. */
const tickMs = 5_000
const silentTicksMax = 3

/** Deltas kept while the answer's status is not decided yet; the model waits beyond. */
const openingCharactersMax = 65_536

export class LiveAnswer implements StreamReader<TurnDelta> {
  /** Resolves at the first delta or the first heartbeat: from then on the answer is a stream. */
  readonly opened: Promise<void>
  /** Resolves when the reader has been given everything the turn wrote. */
  readonly ended: Promise<void>
  readonly #chunks: ChunkWriter
  readonly #clock: Clock
  readonly #open: () => void
  readonly #end: () => void
  #subscription: Subscription | undefined
  #out: StreamWriter | undefined
  #opening = ''
  #silentTicks = 0
  #tick: Timer

  constructor(chunks: ChunkWriter, clock: Clock) {
    this.#chunks = chunks
    this.#clock = clock
    const opened = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    this.opened = opened.promise
    this.ended = ended.promise
    this.#open = opened.resolve
    this.#end = ended.resolve
    this.#tick = clock.after(tickMs, this.#onTick)
  }

  follow(subscription: Subscription): void {
    this.#subscription = subscription
  }

  // ---- what the turn writes ----

  item(delta: TurnDelta): boolean {
    this.#silentTicks = 0
    const text = this.#chunks.delta(delta)
    const out = this.#out
    if (!out) {
      this.#opening += text
      this.#open()
      return this.#opening.length < openingCharactersMax
    }
    if (out.write(text)) return true
    out.onDrain(this.#resume)
    return false
  }

  /** Does not open: an answer that ended without a word is decided by its outcome, and a failure has a status of its own. */
  end(): void {
    this.#end()
  }

  // ---- what the client reads ----

  /** The status is out: what has come meanwhile follows, then the rest as it comes. */
  attach(out: StreamWriter): void {
    this.#out = out
    out.signal.addEventListener('abort', () => this.stop(), { once: true })
    const opening = this.#opening
    this.#opening = ''
    if (opening === '' || out.write(opening)) this.#resume()
    else out.onDrain(this.#resume)
  }

  /** No more heartbeats, no more deltas. */
  stop(): void {
    this.#tick.cancel()
    this.#subscription?.leave()
    this.#end()
  }

  readonly #resume = (): void => {
    this.#subscription?.resume()
  }

  readonly #onTick = (): void => {
    this.#silentTicks++
    if (this.#silentTicks >= silentTicksMax) {
      this.#silentTicks = 0
      this.#open()
      if (this.#out) this.#out.write(heartbeatComment)
      else this.#opening += heartbeatComment
    }
    this.#tick = this.#clock.after(tickMs, this.#onTick)
  }
}
