/**
 * The body of a request that was refused: read and dropped, so that its client can read the refusal. A connection that is closed
 * while the client still sends is reset, and what was answered is lost with it (RFC 9112, 9.6).
 */
import type { BodySink } from './body.ts'

/** A client that sends nothing for this long waits for the answer. */
const quietMs = 200
/** What is read of one body at most; then the connection is closed all the same. */
const looksMax = 25
const bytesMax = 33_554_432

export class UnreadBody implements BodySink {
  readonly #answer: () => void
  readonly #looking: NodeJS.Timeout
  #bytes = 0
  #bytesSeen = 0
  #looks = 0
  isUnfinished = true

  /** @param answer called once: all has come, the client waits, or it sends too much or for too long. Must not throw */
  constructor(answer: () => void) {
    this.#answer = answer
    this.#looking = setInterval(() => this.#look(), quietMs)
    this.#looking.unref()
  }

  chunk(piece: ArrayBuffer, isLast: boolean): void {
    this.#bytes += piece.byteLength
    if (isLast) this.isUnfinished = false
    if (isLast || this.#bytes > bytesMax) this.#end()
  }

  senderKnown(): void {}

  release(): void {
    clearInterval(this.#looking)
  }

  #look(): void {
    if (this.#bytes === this.#bytesSeen || ++this.#looks >= looksMax) this.#end()
    this.#bytesSeen = this.#bytes
  }

  #end(): void {
    clearInterval(this.#looking)
    this.#answer()
  }
}
