/** Collects a request's body: bounded while it streams in, and bounded over all requests together. */
import type { HttpResponse } from 'uWebSockets.js'

/** The bytes of unfinished bodies of the whole server. Past `bytesMax` a body is refused, not queued. */
export interface BodyBudget {
  readonly bytesMax: number
  bytes: number
}

export type BodyRefusal = 'too_large' | 'overloaded'

export interface BodyReader {
  /** Called once, in the library's own callback: `bytes` may be neutered when this returns. */
  body(bytes: Buffer): void
  refused(why: BodyRefusal): void
}

const nothing = Buffer.alloc(0)

export class BodyCollector {
  readonly #budget: BodyBudget
  readonly #bytesMax: number
  readonly #reader: BodyReader
  #chunks: Buffer[] | undefined
  #bytes = 0
  #isOver = false

  constructor(budget: BodyBudget, bytesMax: number, reader: BodyReader) {
    this.#budget = budget
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
      const body = this.#assemble(piece)
      this.release()
      this.#reader.body(body)
      return
    }
    if (piece.byteLength === 0) return
    if (this.#budget.bytes + piece.byteLength > this.#budget.bytesMax) {
      this.#refuse('overloaded')
      return
    }
    this.#budget.bytes += piece.byteLength
    this.#bytes = bytes
    this.#chunks ??= []
    this.#chunks.push(Buffer.from(piece.slice(0)))
  }

  /** Frees the bytes of the body. Idempotent; called by whoever ends the exchange early. */
  release(): void {
    this.#isOver = true
    this.#budget.bytes -= this.#bytes
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

export function attachBody(response: HttpResponse, collector: BodyCollector, guard: (error: unknown) => void): void {
  response.onData((piece, isLast) => {
    try {
      collector.chunk(piece, isLast)
    } catch (error) {
      guard(error)
    }
  })
}
