/** The newest log lines, in memory: what an operator's live log reads. Bounded in lines and in characters. */

export interface TailLine {
  /** Counts up by one a line, from 1. */
  seq: number
  /** The line as it was written, JSON without the line break. */
  line: string
}

export interface LogTail {
  push(line: string): void
  /** Lines after `seq`, oldest first, at most `most`. `isGap`: some of them are gone already. */
  since(seq: number, most: number): { lines: TailLine[]; isGap: boolean }
  /** Hears each line as it comes. */
  subscribe(listener: (line: TailLine) => void): () => void
  readonly newestSeq: number
}

export function logTail(limits: { linesMax: number; charactersMax: number }): LogTail {
  let kept: TailLine[] = []
  let oldest = 0
  let characters = 0
  let newestSeq = 0
  const listeners = new Set<(line: TailLine) => void>()

  function forget(): void {
    while (kept.length - oldest > limits.linesMax || (characters > limits.charactersMax && oldest < kept.length)) {
      characters -= kept[oldest++]?.line.length ?? 0
    }
    if (oldest > 1_000 && oldest * 2 > kept.length) {
      kept = kept.slice(oldest)
      oldest = 0
    }
  }

  return {
    push(text) {
      const line: TailLine = { seq: ++newestSeq, line: text.trimEnd() }
      kept.push(line)
      characters += line.line.length
      forget()
      for (const listener of listeners) listener(line)
    },
    since(seq, most) {
      const first = newestSeq - (kept.length - oldest) + 1
      const from = oldest + Math.max(0, seq + 1 - first)
      return { lines: kept.slice(from, from + most), isGap: seq + 1 < first }
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    get newestSeq() {
      return newestSeq
    },
  }
}
