/** Reads HTTP/1.1 responses off a connection: just enough of the protocol, and little enough work not to be what is measured. */

export interface ResponseListener {
  head(status: number, headers: string): void
  /** A slice of the body, without the framing of chunks. Valid only during the call. */
  body(bytes: Buffer): void
  end(): void
}

type State = 'head' | 'fixed' | 'size' | 'chunk' | 'chunk-end' | 'trailer'

const blankLine = Buffer.from('\r\n\r\n')
const headBytesMax = 65_536

export class ResponseParser {
  #state: State = 'head'
  #listener: ResponseListener
  /** Bytes of a head, a size line or a trailer that are not complete yet. */
  #partial: Buffer | undefined
  #left = 0

  constructor(listener: ResponseListener) {
    this.#listener = listener
  }

  /** False while an answer is under way. */
  get isBetweenAnswers(): boolean {
    return this.#state === 'head' && this.#partial === undefined
  }

  /** @throws Error for what is no answer that this parser reads */
  feed(arrived: Buffer): void {
    let bytes = arrived
    if (this.#partial) {
      bytes = Buffer.concat([this.#partial, arrived])
      this.#partial = undefined
    }
    let at = 0
    while (at < bytes.length) {
      const next = this.#step(bytes, at)
      if (next < 0) {
        this.#partial = Buffer.from(bytes.subarray(at))
        if (this.#partial.length > headBytesMax) throw new Error('a head or a size line without an end')
        return
      }
      at = next
    }
  }

  /** Reads one piece that begins at `at`. @returns where the next begins; -1: more bytes are needed */
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case 'head':
        return this.#head(bytes, at)
      case 'fixed':
      case 'chunk':
        return this.#data(bytes, at)
      case 'size':
        return this.#size(bytes, at)
      case 'chunk-end':
        if (bytes.length < at + 2) return -1
        this.#state = 'size'
        return at + 2
      case 'trailer':
        return this.#trailer(bytes, at)
    }
  }

  #head(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(blankLine, at)
    if (end < 0) return -1
    const head = bytes.toString('latin1', at, end)
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
    if (!status) throw new Error(`no answer: ${head.slice(0, 100)}`)
    this.#listener.head(status, head)
    if (/\r\ntransfer-encoding:\s*chunked/i.test(head)) {
      this.#state = 'size'
      return end + 4
    }
    const length = /\r\ncontent-length:\s*(\d+)/i.exec(head)?.[1]
    if (length === undefined) throw new Error(`an answer of unknown length: ${head.slice(0, 100)}`)
    this.#left = Number(length)
    if (this.#left === 0) this.#listener.end()
    else this.#state = 'fixed'
    return end + 4
  }

  #data(bytes: Buffer, at: number): number {
    const end = Math.min(bytes.length, at + this.#left)
    this.#left -= end - at
    const isFixed = this.#state === 'fixed'
    if (this.#left === 0) this.#state = isFixed ? 'head' : 'chunk-end'
    this.#listener.body(bytes.subarray(at, end))
    if (isFixed && this.#left === 0) this.#listener.end()
    return end
  }

  #size(bytes: Buffer, at: number): number {
    const end = bytes.indexOf('\r\n', at)
    if (end < 0) return -1
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16)
    if (!Number.isFinite(size)) throw new Error(`no chunk size: ${bytes.toString('latin1', at, end).slice(0, 40)}`)
    this.#left = size
    this.#state = size === 0 ? 'trailer' : 'chunk'
    return end + 2
  }

  #trailer(bytes: Buffer, at: number): number {
    const end = bytes.indexOf('\r\n', at)
    if (end < 0) return -1
    if (end > at) return end + 2 // a trailing field
    this.#state = 'head'
    this.#listener.end()
    return end + 2
  }
}
