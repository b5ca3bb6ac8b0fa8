/** Finds the scripted endpoint's content chunks in the bytes of a stream, cut anywhere: each holds one time between two marks. */

const mark = '~'.charCodeAt(0)
const zero = '0'.charCodeAt(0)

export class TokenCounter {
  count = 0
  readonly #seen: ((sentUs: number) => void) | undefined
  #sentUs = 0
  #isInside = false

  /** @param seen gets the time of each chunk that carries one */
  constructor(seen?: (sentUs: number) => void) {
    this.#seen = seen
  }

  bytes(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      if (!this.#isInside) {
        const found = bytes.indexOf(mark, at)
        if (found < 0) return
        this.#isInside = true
        this.#sentUs = 0
        at = found + 1
        continue
      }
      const byte = bytes[at++] ?? mark
      if (byte !== mark) {
        this.#sentUs = this.#sentUs * 10 + (byte - zero)
        continue
      }
      this.#isInside = false
      this.count++
      if (this.#sentUs > 0) this.#seen?.(this.#sentUs)
    }
  }

  reset(): void {
    this.count = 0
    this.#isInside = false
  }
}
