/**
 * Which refusals of guesses are written down: the first of each guesser in a quarter of an hour, and a few a minute of all
 * of them together, so that no flood, from however many addresses, fills the audit log.
 */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes } from '../../runtime/time/duration.ts'
import { takeCell } from './gcra.ts'

const rememberedMax = 20_000
const quietForMs = minutes(15)
const notesPerMinute = 10
const notesAtOnce = 20

export interface RefusalAudit {
  /** True: this one is to be written down, and counts as such. */
  shouldRecord(guesser: string): boolean
}

export function refusalAudit(clock: Clock): RefusalAudit {
  const notedMs = new LRUCache<string, number>({ max: rememberedMax })
  const rate = { dueMs: 0 }
  return {
    shouldRecord(guesser) {
      const nowMs = clock.elapsed()
      const lastMs = notedMs.get(guesser)
      if (lastMs !== undefined && nowMs - lastMs < quietForMs) return false
      if (!takeCell(rate, nowMs, notesPerMinute, notesAtOnce).isAllowed) return false
      notedMs.set(guesser, nowMs)
      return true
    },
  }
}
