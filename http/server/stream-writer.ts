/**
 * Writes a streamed answer, text or bytes: at once while the reader keeps up, once a loop turn when pieces come faster,
 * and never more than a bounded number of bytes ahead of a slow reader.
 */
import type { HttpResponse } from 'uWebSockets.js'
import { atTurnEnd } from './turn-end.ts'

export interface StreamWriter {
  /**
   * Takes the piece; bytes must not be changed afterwards. False: stop until `onDrain`, because the reader is slow or
   * has been given enough for one turn of the loop; the piece was taken all the same. A writer that goes on regardless
   * loses its reader once more than SERVICE_STREAM_BUFFER_BYTES wait. True on a closed stream.
   */
  write(piece: string | Uint8Array): boolean
  /** Calls `fire` once, when more may be written after a write that said false. Never after the reader is gone. */
  onDrain(fire: () => void): void
  /** Sends what waits and ends the answer. Idempotent. */
  end(): void
  readonly bytesWaiting: number
  /** Aborted when the client is gone, or was cut off for reading too slowly. */
  readonly signal: AbortSignal
}

/**
 * What one cork hands to the library. Its cork buffer has 16,384 bytes: what fits in with the marks of a chunk leaves in
 * one send, what does not in three.
 */
const sliceBytesMax = 16_320
/** After a drain we cannot ask the library how much it still holds; the first write finds out, and costs little if it is much. */
const probeBytesMax = 512
/** What one stream is given in a turn of the loop, in characters or bytes: 32 busy streams then hold the loop for milliseconds. */
const turnUnitsMax = 32_768

export interface StreamHooks {
  /** Writes status and headers; called once, in the cork of the first write, so that they share its packet. */
  begin(): void
  signal(): AbortSignal
  finished(isCut: boolean): void
}

type State = 'idle' | 'written' | 'blocked' | 'closed'

const encoder = new TextEncoder()
/** All streams encode into it: the library copies what it is given before a write returns. */
const scratch = new Uint8Array(sliceBytesMax)

export class UwsStreamWriter implements StreamWriter {
  readonly #bytesMax: number
  readonly #hooks: StreamHooks
  #isBegun = false
  #response: HttpResponse | undefined
  /** idle: nothing waits. written: something went out this turn, the rest of it is gathered. blocked: the socket is full. */
  #state: State = 'idle'
  /** What waits: the bytes first, then the text. */
  #bytes: Uint8Array[] = []
  #bytesLength = 0
  #text = ''
  #turnUnits = 0
  #inSocketBytes = 0
  #isDoubtful = false
  #isEnding = false
  #drained: (() => void)[] = []

  constructor(response: HttpResponse, limits: { bytesMax: number }, hooks: StreamHooks) {
    this.#response = response
    this.#bytesMax = limits.bytesMax
    this.#hooks = hooks
    response.onWritable(() => this.#writable())
  }

  get signal(): AbortSignal {
    return this.#hooks.signal()
  }

  get bytesWaiting(): number {
    return this.#text.length + this.#bytesLength + this.#inSocketBytes
  }

  write(piece: string | Uint8Array): boolean {
    if (this.#state === 'closed' || this.#isEnding || piece.length === 0) return this.#state !== 'blocked'
    this.#gather(piece)
    if (this.#state === 'idle') {
      this.#state = 'written'
      atTurnEnd(this)
      this.#turnUnits = piece.length
      this.#flush()
    } else {
      this.#turnUnits += piece.length
      if (this.#text.length + this.#bytesLength > this.#bytesMax) this.#overflow()
    }
    return (this.#state as State) === 'written' && this.#turnUnits < turnUnitsMax
  }

  onDrain(fire: () => void): void {
    if (this.#state === 'closed') return
    this.#drained.push(fire)
    // Asked after the turn in which a write said false: nothing else would tell.
    if (this.#state !== 'idle') return
    this.#state = 'written'
    this.#turnUnits = 0
    atTurnEnd(this)
  }

  end(): void {
    if (this.#state === 'closed' || this.#isEnding) return
    this.#isEnding = true
    if (this.#state !== 'blocked') this.#flush()
  }

  turnEnded(): void {
    if (this.#state !== 'written') return
    this.#state = 'idle'
    if (this.#isWaiting) this.#flush()
    if ((this.#state as State) === 'idle') this.#tellDrained()
  }

  /** The client is gone: the response may not be touched again. */
  aborted(): void {
    this.#close(false)
  }

  #gather(piece: string | Uint8Array): void {
    if (typeof piece === 'string') {
      this.#text += piece
      return
    }
    if (this.#text !== '') this.#queue(encoder.encode(this.#text))
    this.#text = ''
    this.#queue(piece)
  }

  #queue(bytes: Uint8Array): void {
    this.#bytes.push(bytes)
    this.#bytesLength += bytes.length
  }

  get #isWaiting(): boolean {
    return this.#text !== '' || this.#bytesLength > 0
  }

  #writable(): boolean {
    if (this.#state !== 'blocked') return true
    this.#inSocketBytes = 0
    this.#isDoubtful = true
    this.#state = 'idle'
    // Also when nothing waits here: with a writable handler set, the library leaves its own buffer alone until somebody
    // corks or writes. A stream that says nothing more would keep its last bytes for ever.
    this.#flush()
    if ((this.#state as State) === 'idle') this.#tellDrained()
    return true
  }

  #tellDrained(): void {
    if (this.#drained.length === 0) return
    const drained = this.#drained
    this.#drained = []
    for (const fire of drained) fire()
  }

  #flush(): void {
    const response = this.#response
    if (!response) return
    do response.cork(this.#pour)
    while (this.#isWaiting && this.#state !== 'blocked' && this.#state !== 'closed')
    if (this.#isEnding && this.#state !== 'blocked') this.#close(false)
  }

  /** One slice, and the end of the answer with the last. Bound once a stream: a cork takes a function. */
  readonly #pour = (): void => {
    const response = this.#response
    if (!response) return
    if (!this.#isBegun) {
      this.#isBegun = true
      this.#hooks.begin()
    }
    const length = this.#fillScratch(this.#isDoubtful ? probeBytesMax : sliceBytesMax)
    if (length > 0) {
      if (!response.write(scratch.subarray(0, length))) {
        this.#state = 'blocked'
        this.#inSocketBytes = length
        return
      }
      this.#isDoubtful = false
    }
    if (this.#isEnding && !this.#isWaiting) response.end('')
  }

  /** Moves what waits into the scratch buffer. @returns how many bytes, at most `bytesMax` */
  #fillScratch(bytesMax: number): number {
    let length = 0
    for (let head = this.#bytes[0]; head !== undefined && length < bytesMax; head = this.#bytes[0]) {
      const part = head.subarray(0, bytesMax - length)
      scratch.set(part, length)
      length += part.length
      this.#bytesLength -= part.length
      if (part.length === head.length) this.#bytes.shift()
      else this.#bytes[0] = head.subarray(part.length)
    }
    if (this.#text === '' || this.#bytesLength > 0) return length
    const { read, written } = encoder.encodeInto(this.#text, scratch.subarray(length, bytesMax))
    this.#text = this.#text.slice(read)
    return length + written
  }

  /** A burst within one turn goes out early; a writer that was told false and went on regardless loses its reader. */
  #overflow(): void {
    if (this.#state === 'written') this.#flush()
    else this.cut()
  }

  /** Ends the stream with its connection, at once. */
  cut(): void {
    const response = this.#response
    this.#close(true)
    response?.close()
  }

  #close(isCut: boolean): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#response = undefined
    this.#text = ''
    this.#bytes = []
    this.#bytesLength = 0
    this.#inSocketBytes = 0
    this.#drained = []
    this.#hooks.finished(isCut)
  }
}
