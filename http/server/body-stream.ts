/** A body that is read while it comes: never collected, and its client is held up while the reader is behind. */
import { Failure } from '../../runtime/failure.ts'
import type { BodyReader, BodyRoom, BodySender, BodySink, RoomWaiter } from './body.ts'

/**
 * With so much unread the socket is paused, and where its sender's other bodies have taken a quarter of its room; with half of it, and
 * room, it is read on. The library finishes what it has begun: up to 5 MiB more.
 */
const unreadBytesMax = 262_144

/**
 * What the library reads at once. It reads on, within one event, as long as each read is as large: a client on the same machine keeps it
 * at it unless it is taken away faster than it comes. So it is copied to memory that is there already.
 */
const slabBytes = 524_288
const slabsMax = 32
let slabs: Buffer<ArrayBuffer>[] | undefined

function kept(piece: ArrayBuffer): Buffer {
  const slab = piece.byteLength >= slabBytes / 2 && piece.byteLength <= slabBytes ? slabs?.pop() : undefined
  if (!slab) return Buffer.from(piece.slice(0))
  slab.set(new Uint8Array(piece))
  return slab.subarray(0, piece.byteLength)
}

function giveBack(piece: Buffer | undefined): void {
  if (!slabs || piece?.buffer.byteLength !== slabBytes || slabs.length >= slabsMax) return
  slabs.push(Buffer.from(piece.buffer as ArrayBuffer))
}

/** What holds the client up. */
export interface Throttle {
  pause(): void
  resume(): void
}

interface BodyStreamOptions {
  room: BodyRoom
  reader: Omit<BodyReader, 'body'> & {
    /** All of it has come. */
    bodyEnded(): void
  }
  throttle: Throttle
}

/** The client is gone, or the request was answered before the body was read to its end. */
export class BodyCutOff extends Failure {
  readonly code = 'client_gone'
  constructor() {
    super('the body ended before its end')
  }
}

/** For one reader, whose piece is good until it asks for the next. @throws BodyCutOff while it is read, where it ends early */
export class BodyStream implements BodySink, RoomWaiter, AsyncIterableIterator<Buffer> {
  readonly #options: BodyStreamOptions
  readonly #unread: Buffer[] = []
  #unreadBytes = 0
  #sender: BodySender | undefined
  /** What the reader has: good until it asks for more. */
  #lent: Buffer | undefined
  #isPaused = false
  #hasEnded = false
  #isOver = false
  #waiting: PromiseWithResolvers<IteratorResult<Buffer>> | undefined

  constructor(options: BodyStreamOptions) {
    // Filled, so that the system has given it too.
    slabs ??= Array.from({ length: slabsMax }, () => Buffer.alloc(slabBytes, 1))
    this.#options = options
  }

  get isUnfinished(): boolean {
    return !this.#hasEnded
  }

  get sender(): BodySender {
    this.#sender ??= this.#options.reader.bodySender
    return this.#sender
  }

  roomFreed(): void {
    this.#resume()
  }

  chunk(piece: ArrayBuffer, isLast: boolean): void {
    if (this.#isOver) {
      this.#hasEnded ||= isLast
      return
    }
    const { room, reader } = this.#options
    this.#hasEnded = isLast
    // Nothing more can be held up but the next request of the connection.
    if (isLast) this.#resume()
    if (piece.byteLength > 0) {
      if (!room.take(this.sender, piece.byteLength)) {
        this.#refuse()
        return
      }
      this.#unread.push(kept(piece))
      this.#unreadBytes += piece.byteLength
    }
    if (isLast) reader.bodyEnded()
    else if (this.#unreadBytes >= unreadBytesMax || room.isCrowded(this.sender)) {
      // With each piece: after one call the library was seen to read on, 24 MB behind a busy disk.
      this.#isPaused = true
      this.#options.throttle.pause()
    }
    this.#serve()
  }

  senderKnown(): void {
    if (!this.#sender) return
    const { room, reader } = this.#options
    room.give(this.#sender, this.#unreadBytes)
    this.#sender = reader.bodySender
    if (room.take(this.#sender, this.#unreadBytes)) return
    this.#unreadBytes = 0
    this.#refuse()
  }

  release(): void {
    if (this.#isOver) return
    this.#isOver = true
    // What is still to come is dropped, and the answer behind it must be read.
    this.#resume()
    if (this.#sender) this.#options.room.give(this.#sender, this.#unreadBytes)
    this.#unreadBytes = 0
    for (const piece of this.#unread) giveBack(piece)
    this.#unread.length = 0
    this.#waiting?.reject(new BodyCutOff())
    this.#waiting = undefined
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Buffer>> {
    giveBack(this.#lent)
    this.#lent = undefined
    const next = this.#take()
    if (next) return Promise.resolve(next)
    if (this.#isOver) return Promise.reject(new BodyCutOff())
    this.#waiting ??= Promise.withResolvers<IteratorResult<Buffer>>()
    return this.#waiting.promise
  }

  /** The reader wants no more: what is still to come is dropped. */
  async return(): Promise<IteratorResult<Buffer>> {
    giveBack(this.#lent)
    this.#lent = undefined
    this.release()
    return { done: true, value: undefined }
  }

  #take(): IteratorResult<Buffer> | undefined {
    const chunk = this.#unread.shift()
    this.#lent = chunk
    if (!chunk) return this.#hasEnded && !this.#isOver ? { done: true, value: undefined } : undefined
    this.#unreadBytes -= chunk.length
    if (this.#sender) this.#options.room.give(this.#sender, chunk.length)
    if (this.#isPaused && this.#unreadBytes <= unreadBytesMax / 2) this.#goOn()
    return { done: false, value: chunk }
  }

  #goOn(): void {
    const { room } = this.#options
    if (room.isCrowded(this.sender)) room.wait(this)
    else this.#resume()
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#options.room.stopWaiting(this)
    this.#isPaused = false
    this.#options.throttle.resume()
  }

  #serve(): void {
    const waiting = this.#waiting
    const next = waiting && this.#take()
    if (!next) return
    this.#waiting = undefined
    waiting.resolve(next)
  }

  #refuse(): void {
    this.release()
    this.#options.reader.refused('overloaded')
  }
}
