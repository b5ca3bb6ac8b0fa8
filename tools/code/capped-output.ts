/** What a program writes: the head is kept, the rest counted and let go. */
import type { KeptText } from './sandbox.ts'

export class CappedOutput {
  readonly #bytesMax: number
  readonly #chunks: Buffer[] = []
  #keptBytes = 0
  totalBytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  add(chunk: Buffer): void {
    this.totalBytes += chunk.length
    const room = this.#bytesMax - this.#keptBytes
    if (room <= 0) return
    // A copy: a slice would hold the whole chunk.
    const head = chunk.length <= room ? chunk : Buffer.from(chunk.subarray(0, room))
    this.#chunks.push(head)
    this.#keptBytes += head.length
  }

  kept(): KeptText {
    const bytes = Buffer.concat(this.#chunks)
    // As a stream, so that a character cut at the end is left out instead of shown broken.
    const text = new TextDecoder().decode(bytes, { stream: this.totalBytes > this.#keptBytes })
    return { text, droppedBytes: this.totalBytes - this.#keptBytes }
  }
}
