/** Writes an answer whose length is known: piece by piece, as fast as the client reads, and never more than one piece ahead. The library ends a client that takes nothing for some ten seconds. */
import type { HttpResponse } from 'uWebSockets.js'
import type { StreamHooks } from './stream-writer.ts'

export class SizedWriter {
  readonly #bytes: number
  readonly #hooks: StreamHooks
  #response: HttpResponse | undefined
  #isBegun = false
  /** What the socket has not taken, or not all of it, and where in the answer it begins. */
  #piece: Uint8Array | undefined
  #pieceAt = 0
  #sent = 0
  #taken: ((isOpen: boolean) => void) | undefined

  /** @param bytes of the whole answer, at least 1 */
  constructor(response: HttpResponse, bytes: number, hooks: StreamHooks) {
    this.#response = response
    this.#bytes = bytes
    this.#hooks = hooks
    response.onWritable((offset) => this.#writable(offset))
  }

  /** Before the last was taken none more may be written. @returns false where the answer is over: complete, or nobody is there any more */
  write(piece: Uint8Array): Promise<boolean> {
    const response = this.#response
    if (!response) return Promise.resolve(false)
    this.#piece = piece
    this.#pieceAt = this.#sent
    this.#sent += piece.length
    return new Promise((resolve) => {
      this.#taken = resolve
      response.cork(() => {
        if (!this.#isBegun) this.#hooks.begin()
        this.#isBegun = true
        this.#push(response, piece)
      })
    })
  }

  /** Fewer bytes came than were promised: the client sees that the answer is incomplete. */
  cut(): void {
    const response = this.#response
    this.#close(true)
    response?.close()
  }

  /** The client is gone: the response may not be touched again. */
  aborted(): void {
    this.#close(false)
  }

  #writable(offset: number): boolean {
    const response = this.#response
    if (!response || !this.#piece) return true
    return this.#push(response, this.#piece.subarray(offset - this.#pieceAt))
  }

  /** @returns whether the socket took all of it */
  #push(response: HttpResponse, piece: Uint8Array): boolean {
    const [isTaken, isDone] = response.tryEnd(piece, this.#bytes)
    if (isDone) this.#close(false)
    else if (isTaken) this.#tell(true)
    return isTaken
  }

  #tell(isOpen: boolean): void {
    this.#piece = undefined
    const taken = this.#taken
    this.#taken = undefined
    taken?.(isOpen)
  }

  #close(isCut: boolean): void {
    if (!this.#response) return
    this.#response = undefined
    this.#tell(false)
    this.#hooks.finished(isCut)
  }
}
