/**
 * Writes a server-sent event stream: at once while the reader keeps up, once a loop turn when events come faster, and
 * never more than a bounded number of bytes ahead of a slow reader.
 */
import type { HttpResponse } from 'uWebSockets.js'
import { atTurnEnd } from './turn-end.ts'

export interface EventStreamWriter {
  /**
   * Takes the text. False: the reader is slow, stop until `onDrain`; the bytes were taken all the same. A writer that
   * goes on regardless loses its reader once more than SERVICE_STREAM_BUFFER_BYTES wait. True on a closed stream.
   */
  write(text: string): boolean
  /** Calls `fire` once, when the reader has caught up after a write that said false. Never after the reader is gone. */
  onDrain(fire: () => void): void
  /** Sends what waits and ends the answer. Idempotent. */
  end(): void
  readonly bytesWaiting: number
  /** Aborted when the client is gone, or was cut off for reading too slowly. */
  readonly signal: AbortSignal
}

/** What one write hands to the library: its own buffer has no bound, so it never holds much more than this. */
const sliceBytesMax = 16_384
/** After a drain we cannot ask the library how much it still holds; the first write finds out, and costs little if it is much. */
const probeBytesMax = 512

export interface StreamHooks {
  /** Writes status and headers; called once, in the cork of the first write, so that they share its packet. */
  begin(): void
  signal(): AbortSignal
  finished(isCut: boolean): void
}

type State = 'idle' | 'written' | 'blocked' | 'closed'

export class UwsEventStream implements EventStreamWriter {
  readonly #bytesMax: number
  readonly #hooks: StreamHooks
  #isBegun = false
  #response: HttpResponse | undefined
  /** idle: nothing waits. written: something went out this turn, the rest of it is gathered. blocked: the socket is full. */
  #state: State = 'idle'
  #gathered = ''
  #queue: Buffer | undefined
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
    return this.#gathered.length + (this.#queue?.length ?? 0) + this.#inSocketBytes
  }

  write(text: string): boolean {
    if (this.#state === 'closed' || this.#isEnding || text === '') return this.#state !== 'blocked'
    if (this.#state === 'idle') {
      this.#state = 'written'
      atTurnEnd(this)
      this.#gathered = text
      this.#flush()
      return (this.#state as State) === 'written'
    }
    this.#gathered += text
    if (this.#gathered.length + (this.#queue?.length ?? 0) > this.#bytesMax) this.#overflow()
    return this.#state === 'written'
  }

  onDrain(fire: () => void): void {
    if (this.#state !== 'closed') this.#drained.push(fire)
  }

  end(): void {
    if (this.#state === 'closed' || this.#isEnding) return
    this.#isEnding = true
    if (this.#state !== 'blocked') this.#flush()
  }

  turnEnded(): void {
    if (this.#state !== 'written') return
    this.#state = 'idle'
    if (this.#gathered !== '') this.#flush()
  }

  /** The client is gone: the response may not be touched again. */
  aborted(): void {
    this.#close(false)
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
    const drained = this.#drained
    this.#drained = []
    for (const fire of drained) fire()
  }

  #flush(): void {
    const response = this.#response
    if (!response) return
    response.cork(this.#pour)
    if (!this.#isEnding || this.#state === 'blocked' || this.#state === 'closed') return
    response.cork(this.#finish)
    this.#close(false)
  }

  // Bound once a stream: a cork takes a function, and a new one for each event would be garbage.
  readonly #finish = (): void => {
    this.#response?.end('')
  }

  readonly #pour = (): void => {
    const response = this.#response
    if (!response) return
    if (!this.#isBegun) {
      this.#isBegun = true
      this.#hooks.begin()
    }
    // The common case: a small event, an idle socket. A UTF-16 unit is at most three bytes.
    if (!this.#queue && !this.#isDoubtful && this.#gathered.length * 3 <= sliceBytesMax) {
      const text = this.#gathered
      this.#gathered = ''
      if (text !== '' && !response.write(text)) this.#block(text.length * 3)
      return
    }
    const bytes = this.#takeWaiting()
    for (let offset = 0; offset < bytes.length; ) {
      const slice = bytes.subarray(offset, offset + (this.#isDoubtful ? probeBytesMax : sliceBytesMax))
      offset += slice.length
      if (response.write(slice)) {
        this.#isDoubtful = false
        continue
      }
      this.#block(slice.length)
      if (offset < bytes.length) this.#queue = bytes.subarray(offset)
      return
    }
  }

  #takeWaiting(): Buffer {
    const queue = this.#queue
    const text = this.#gathered
    this.#queue = undefined
    this.#gathered = ''
    if (!queue) return Buffer.from(text)
    return text === '' ? queue : Buffer.concat([queue, Buffer.from(text)])
  }

  #block(bytes: number): void {
    this.#state = 'blocked'
    this.#inSocketBytes = bytes
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
    this.#gathered = ''
    this.#queue = undefined
    this.#inSocketBytes = 0
    this.#drained = []
    this.#hooks.finished(isCut)
  }
}
