/**
 * Counts tokens on a thread of its own, with the o200k vocabulary. For models of that vocabulary the count of plain text
 * is within 1 %; other makers' vocabularies differ from it by some 10 to 20 %, more in scripts they know less well.
 */
import type { Log } from '../runtime/log/log.ts'
import { createPool } from '../runtime/pool/pool.ts'
import type { Metrics } from '../runtime/telemetry/metrics.ts'
import type { Tracer } from '../runtime/telemetry/trace.ts'
import { type TokenCounts, type TokensTask, tokensFile } from '../workers/tokens.task.ts'
import type { TokenCounter } from './usage.ts'

/** Of one text; a longer one is estimated from samples of this size in all. Keeps a count under half a second. */
const countedCharactersMax = 262_144
const samples = 64

/** Counts that wait for the thread; past them they are estimated. */
const waitingMax = 512

/** Of the texts that one task counts: some two seconds at worst. */
const batchCharactersMax = 1_048_576

/** The rule of thumb where the thread cannot count. */
const charactersPerToken = 4

interface WaitingCount {
  texts: readonly string[]
  resolve(counts: number[]): void
}

export function tokenCounter(dependencies: { log?: Log; metrics?: Metrics; tracer?: Tracer }): TokenCounter {
  const pool = createPool<TokensTask, TokenCounts>({
    ...dependencies,
    name: 'tokens',
    file: tokensFile,
    size: 1,
    queueMax: 1,
    timeoutMs: 10_000,
    memoryMb: 256,
    // The vocabulary takes time to load, and most endpoints count themselves.
    idleMs: 300_000,
  })
  const waiting: WaitingCount[] = []
  let isCounting = false

  /** Whatever came while a task was under way shares the next one: the way to the thread and back costs more than most counts. */
  async function countWaiting(): Promise<void> {
    isCounting = true
    while (waiting.length > 0) {
      const batch = nextBatch(waiting)
      const counts = await countBatch(batch)
      let at = 0
      for (const { texts, resolve } of batch) {
        resolve(counts.slice(at, at + texts.length))
        at += texts.length
      }
    }
    isCounting = false
  }

  async function countBatch(batch: readonly WaitingCount[]): Promise<number[]> {
    const texts = batch.flatMap((each) => each.texts)
    try {
      const counts = await pool.run(texts.map(sampled))
      return texts.map((text, at) => scaled(counts[at] ?? 0, text))
    } catch (error) {
      dependencies.log?.debug({ err: error }, 'tokens were estimated from the length of the text')
      return texts.map(rough)
    }
  }

  return {
    async count(texts) {
      if (texts.every((text) => text === '')) return texts.map(() => 0)
      if (waiting.length === waitingMax) return texts.map(rough)
      return await new Promise((resolve) => {
        waiting.push({ texts, resolve })
        if (!isCounting) void countWaiting()
      })
    },
    close: () => pool.close(0),
  }
}

/** The oldest ones, as many as one task counts in good time; at least one. */
function nextBatch(waiting: WaitingCount[]): WaitingCount[] {
  let characters = 0
  const end = waiting.findIndex(({ texts }, at) => {
    characters += texts.reduce((sum, { length }) => sum + Math.min(length, countedCharactersMax), 0)
    return at > 0 && characters > batchCharactersMax
  })
  return waiting.splice(0, end < 0 ? waiting.length : end)
}

function sampled(text: string): string {
  if (text.length <= countedCharactersMax) return text
  const sample = countedCharactersMax / samples
  const stride = text.length / samples
  return Array.from({ length: samples }, (_, at) => {
    const from = Math.floor(at * stride)
    return text.slice(from, from + sample)
  }).join(' ')
}

function scaled(tokens: number, text: string): number {
  return text.length <= countedCharactersMax ? tokens : Math.round((tokens * text.length) / countedCharactersMax)
}

/** Four characters of Latin text to a token; a character of most other scripts is near one. */
function rough(text: string): number {
  const sample = text.slice(0, countedCharactersMax)
  let others = 0
  for (let at = 0; at < sample.length; at++) if (sample.charCodeAt(at) > 0x2ff) others++
  const tokens = (sample.length - others) / charactersPerToken + others
  return sample === '' ? 0 : Math.ceil((tokens * text.length) / sample.length)
}
