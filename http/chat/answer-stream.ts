/** A streamed answer: reads the turn's deltas and writes them at the client's pace, with heartbeats while the model is silent. */
import type { TurnDelta } from '../../actors/turn/messages.ts'
import type { StreamReader, Subscription } from '../../runtime/actor/streams.ts'
import type { Clock, Timer } from '../../runtime/time/clock.ts'
import type { StreamWriter } from '../server/stream-writer.ts'
import { type ChunkWriter, heartbeatComment } from './chunks.ts'

/** A heartbeat is sent after 15 s of silence, to the nearest tick. */
const tickMs = 5_000
const silentTicksMax = 3

/** Deltas that are buffered before the status is sent; past it the model waits. */
const openingCharactersMax = 65_536

export class AnswerStream implements StreamReader<TurnDelta> {
  /** Resolves at the first delta or heartbeat: from then on the answer is a stream. */
  readonly opened: Promise<void>
  /** Resolves when everything that the turn wrote has been passed on. */
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

  // ---- StreamReader ----

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

  /** Does not resolve `opened`: an answer without deltas gets the status of its outcome. */
  end(): void {
    this.#end()
  }

  // ---- the client's side ----

  /** The status is sent: writes the buffered deltas, then each new one. */
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
