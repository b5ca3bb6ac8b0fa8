/** Collects a request's body: bounded while it streams in, and bounded over all requests together. */
import type { HttpResponse } from 'uWebSockets.js'

/** Who sends a body: a credential, or in want of one the client's network. */
export interface BodySender {
  name: string
  isStranger: boolean
}

/** A stream that is held up until there is room again. */
export interface RoomWaiter {
  readonly sender: BodySender
  /** Called once. */
  roomFreed(): void
}

/** What one read of a socket brings at most while others are ready. */
const readBytes = 524_288

/**
 * Room for the unfinished bodies of the whole server, in bytes; what does not fit is refused, not queued. One credential has
 * half of it at most, strangers a quarter together and an eighth each: none takes another's.
 */
export class BodyRoom {
  readonly #bytesMax: number
  readonly #bySender = new Map<string, number>()
  readonly #waiting = new Set<RoomWaiter>()
  #bytes = 0
  #ofStrangers = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get bytes(): number {
    return this.#bytes
  }

  /** A quarter of what the sender may have is taken, `expected` bytes included: whoever can be held up is. */
  isCrowded({ name, isStranger }: BodySender, expected = 0): boolean {
    const own = (this.#bySender.get(name) ?? 0) + expected
    if (this.#bytes + expected > this.#bytesMax / 4 || own > this.#bytesMax / (isStranger ? 32 : 8)) return true
    return isStranger && this.#ofStrangers + expected > this.#bytesMax / 16
  }

  wait(waiter: RoomWaiter): void {
    this.#waiting.add(waiter)
  }

  stopWaiting(waiter: RoomWaiter): void {
    this.#waiting.delete(waiter)
  }

  /** @returns false: there is no room */
  take({ name, isStranger }: BodySender, bytes: number): boolean {
    const own = (this.#bySender.get(name) ?? 0) + bytes
    if (this.#bytes + bytes > this.#bytesMax || own > this.#bytesMax / (isStranger ? 8 : 2)) return false
    if (isStranger && this.#ofStrangers + bytes > this.#bytesMax / 4) return false
    this.#bytes += bytes
    if (isStranger) this.#ofStrangers += bytes
    this.#bySender.set(name, own)
    return true
  }

  give({ name, isStranger }: BodySender, bytes: number): void {
    const own = (this.#bySender.get(name) ?? 0) - bytes
    this.#bytes -= bytes
    if (isStranger) this.#ofStrangers -= bytes
    if (own > 0) this.#bySender.set(name, own)
    else this.#bySender.delete(name)
    if (this.#waiting.size > 0) this.#wake()
  }

  #wake(): void {
    let expected = 0
    for (const waiter of this.#waiting) {
      if (this.isCrowded(waiter.sender, expected)) continue
      expected += readBytes
      this.#waiting.delete(waiter)
      waiter.roomFreed()
    }
  }
}

export type BodyRefusal = 'too_large' | 'overloaded'

export interface BodyReader {
  /** Asked for bodies that come in pieces: when the first is kept, and by `senderKnown`. */
  readonly bodySender: BodySender
  /**
   * Called once, in the library's own callback.
   * @param isKept `bytes` stay as they are; otherwise they may be neutered when this returns
   * @returns true: a copy is kept, and its room with it until `dropBody`
   */
  body(bytes: Buffer, isKept: boolean): boolean
  refused(why: BodyRefusal): void
}

/** Takes a body from the socket. */
export interface BodySink {
  chunk(piece: ArrayBuffer, isLast: boolean): void
  /** The credential has been looked up: what has come so far counts as its own from now on. */
  senderKnown(): void
  /** Frees what is kept of the body. Idempotent; called by whoever ends the exchange, early or not. */
  release(): void
  /** More of the body is to come: an answer now ends the connection. */
  readonly isUnfinished: boolean
}

const nothing = Buffer.alloc(0)

export class BodyCollector implements BodySink {
  readonly #room: BodyRoom
  readonly #bytesMax: number
  readonly #reader: BodyReader
  #sender: BodySender | undefined
  #chunks: Buffer[] | undefined
  #bytes = 0
  #isOver = false

  constructor(room: BodyRoom, bytesMax: number, reader: BodyReader) {
    this.#room = room
    this.#bytesMax = bytesMax
    this.#reader = reader
  }

  /** Takes a piece from the socket. A body that comes in one piece is not copied. */
  chunk(piece: ArrayBuffer, isLast: boolean): void {
    if (this.#isOver) return
    const bytes = this.#bytes + piece.byteLength
    if (bytes > this.#bytesMax) {
      this.#refuse('too_large')
      return
    }
    if (isLast) {
      if (!this.#reader.body(this.#assemble(piece), this.#chunks !== undefined)) this.release()
      this.#chunks = undefined
      return
    }
    if (piece.byteLength === 0) return
    this.#sender ??= this.#reader.bodySender
    if (!this.#room.take(this.#sender, piece.byteLength)) {
      this.#refuse('overloaded')
      return
    }
    this.#bytes = bytes
    this.#chunks ??= []
    this.#chunks.push(Buffer.from(piece.slice(0)))
  }

  /** Answers that come before the body drop it or end the connection by themselves. */
  readonly isUnfinished = false

  senderKnown(): void {
    if (this.#isOver || !this.#sender) return
    this.#room.give(this.#sender, this.#bytes)
    this.#sender = this.#reader.bodySender
    if (this.#room.take(this.#sender, this.#bytes)) return
    this.#bytes = 0
    this.#refuse('overloaded')
  }

  release(): void {
    this.#isOver = true
    if (this.#sender) this.#room.give(this.#sender, this.#bytes)
    this.#bytes = 0
    this.#chunks = undefined
  }

  #refuse(why: BodyRefusal): void {
    this.release()
    this.#reader.refused(why)
  }

  #assemble(last: ArrayBuffer): Buffer {
    if (!this.#chunks) return last.byteLength === 0 ? nothing : Buffer.from(last)
    this.#chunks.push(Buffer.from(last))
    return Buffer.concat(this.#chunks)
  }
}

export function attachBody(response: HttpResponse, chunk: BodySink['chunk'], guard: (error: unknown) => void): void {
  response.onData((piece, isLast) => {
    try {
      chunk(piece, isLast)
    } catch (error) {
      guard(error)
    }
  })
}
