/** How many requests came in the last minute, exactly: a ring buffer of their times that grows with the traffic. */

export const windowMs = 60_000

export class RollingWindow {
  #times = new Float64Array(8)
  #first = 0
  #count = 0

  get bytes(): number {
    return this.#times.byteLength
  }

  /** Requests counted within the minute that ends at `nowMs`. */
  countAt(nowMs: number): number {
    while (this.#count > 0 && this.oldestMs <= nowMs - windowMs) {
      this.#first = (this.#first + 1) % this.#times.length
      this.#count--
    }
    return this.#count
  }

  /** The time of the oldest request that still counts; meaningful while any does. */
  get oldestMs(): number {
    return this.#times[this.#first] ?? 0
  }

  push(nowMs: number): void {
    if (this.#count === this.#times.length) this.#grow()
    this.#times[(this.#first + this.#count) % this.#times.length] = nowMs
    this.#count++
  }

  #grow(): void {
    const grown = new Float64Array(this.#times.length * 2)
    for (let index = 0; index < this.#count; index++) {
      grown[index] = this.#times[(this.#first + index) % this.#times.length] ?? 0
    }
    this.#times = grown
    this.#first = 0
  }
}
