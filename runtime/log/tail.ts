/** The newest lines of the log in memory, for readers who follow it live. A reader has a cursor and no buffer. */

export interface TailLine {
  /** Counts from 1 and never repeats in a process; the cursor of `since`. */
  seq: number
  /** Milliseconds since the epoch. */
  time: number
  /** pino's number: 10 trace, 20 debug, 30 info, 40 warn, 50 error, 60 fatal. */
  level: number
  /** One JSON object, without the line's end. */
  line: string
}

export interface TailLimits {
  linesMax: number
  bytesMax: number
}

export interface TailPage {
  lines: TailLine[]
  /** Lines after the cursor that were already dropped. */
  missed: number
}

export interface TailSubscription {
  /** Asks to be woken once more; at once where there are lines after `seq` already. */
  rearm(seq: number): void
  close(): void
}

export class LogTail {
  readonly #limits: TailLimits
  readonly #ring: (TailLine | undefined)[] = []
  /** Readers that wait for the next line; each is woken once. */
  readonly #sleepers = new Set<() => void>()
  #oldestSeq = 1
  #nextSeq = 1
  #bytes = 0

  constructor(limits: TailLimits = { linesMax: 5_000, bytesMax: 4 * 1_048_576 }) {
    this.#limits = limits
  }

  get newestSeq(): number {
    return this.#nextSeq - 1
  }

  get lines(): number {
    return this.#nextSeq - this.#oldestSeq
  }

  get bytes(): number {
    return this.#bytes
  }

  push(level: number, line: string): void {
    const { linesMax, bytesMax } = this.#limits
    if (this.lines >= linesMax) this.#dropOldest()
    const seq = this.#nextSeq++
    this.#ring[seq % linesMax] = { seq, time: Date.now(), level, line }
    this.#bytes += Buffer.byteLength(line)
    while (this.#bytes > bytesMax) this.#dropOldest()
    if (this.#sleepers.size > 0) this.#wakeAll()
  }

  /** Lines after the cursor `seq` (0: from the oldest there is), oldest first, at most `most`. */
  since(seq: number, most = 1_000): TailPage {
    const from = Math.max(seq + 1, this.#oldestSeq)
    const until = Math.min(from + most, this.#nextSeq)
    const lines: TailLine[] = []
    for (let at = from; at < until; at++) {
      const line = this.#ring[at % this.#limits.linesMax]
      if (line) lines.push(line)
    }
    return { lines, missed: Math.max(0, this.#oldestSeq - seq - 1) }
  }

  /**
   * Calls `wake` at the next line, once; again only after `rearm`, best called after reading `since`.
   * A slow reader costs nothing. It loses only the lines that the ring drops; `missed` counts them. `wake` must not throw or log.
   */
  subscribe(wake: () => void): TailSubscription {
    let isOpen = true
    this.#sleepers.add(wake)
    return {
      rearm: (seq) => {
        if (!isOpen) return
        if (this.newestSeq > seq) wake()
        else this.#sleepers.add(wake)
      },
      close: () => {
        isOpen = false
        this.#sleepers.delete(wake)
      },
    }
  }

  #wakeAll(): void {
    const sleepers = [...this.#sleepers]
    this.#sleepers.clear()
    for (const wake of sleepers) wake()
  }

  #dropOldest(): void {
    const at = this.#oldestSeq++ % this.#limits.linesMax
    this.#bytes -= Buffer.byteLength(this.#ring[at]?.line ?? '')
    this.#ring[at] = undefined
  }
}
