/** Output of a process up to a limit: the beginning is kept, the rest is only counted. */

export interface CappedText {
  text: string
  /** How much came after it. */
  droppedBytes: number
}

export class CappedOutput {
  readonly #bytesMax: number
  readonly #chunks: Buffer[] = []
  #storedBytes = 0
  totalBytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  add(chunk: Buffer): void {
    this.totalBytes += chunk.length
    const room = this.#bytesMax - this.#storedBytes
    if (room <= 0) return
    // A copy: a slice would keep the whole chunk in memory.
    const head = chunk.length <= room ? chunk : Buffer.from(chunk.subarray(0, room))
    this.#chunks.push(head)
    this.#storedBytes += head.length
  }

  read(): CappedText {
    const bytes = Buffer.concat(this.#chunks)
    // As a stream: a character that is cut at the end is left out instead of shown broken.
    const text = new TextDecoder().decode(bytes, { stream: this.totalBytes > this.#storedBytes })
    return { text, droppedBytes: this.totalBytes - this.#storedBytes }
  }
}
