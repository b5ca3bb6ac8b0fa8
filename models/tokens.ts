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

/** Of one text; a longer one is judged by as much of it, taken from all over. Keeps a count under half a second. */
const countedCharactersMax = 262_144
const samples = 64

/** Short texts are counted here as a rule of thumb says when the thread cannot be asked. */
const charactersPerToken = 4

export function tokenCounter(world: { log?: Log; metrics?: Metrics; tracer?: Tracer }): TokenCounter {
  const pool = createPool<TokensTask, TokenCounts>({
    ...world,
    name: 'tokens',
    file: tokensFile,
    size: 1,
    queueMax: 512,
    timeoutMs: 10_000,
    memoryMb: 256,
    // The vocabulary is dear to load, and most endpoints count for themselves.
    idleMs: 300_000,
  })
  return {
    async count(texts) {
      if (texts.every((text) => text === '')) return texts.map(() => 0)
      try {
        const counts = await pool.run(texts.map(sampled))
        return texts.map((text, at) => scaled(counts[at] ?? 0, text))
      } catch (error) {
        world.log?.debug({ err: error }, 'tokens were guessed from the length of the text')
        return texts.map(rough)
      }
    },
    close: () => pool.close(0),
  }
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
