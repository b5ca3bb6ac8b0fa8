/**
 * Which refusals are written down, in the audit log or the log: the first of each guesser in a quarter of an hour, and a
 * few a minute in all. So no flood fills the log, from however many addresses it comes.
 */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes } from '../../runtime/time/duration.ts'
import { takeCell } from './cell-rate.ts'

const rememberedMax = 20_000
const quietForMs = minutes(15)
const limitOfAll = { perMinute: 10, burst: 20 }

export interface RefusalAudit {
  /** True: record this one. It counts as recorded. */
  shouldRecord(guesser: string): boolean
}

export function refusalAudit(clock: Clock): RefusalAudit {
  const recordedAtMs = new LRUCache<string, number>({ max: rememberedMax })
  const rate = { dueMs: 0 }
  return {
    shouldRecord(guesser) {
      const nowMs = clock.elapsed()
      const lastMs = recordedAtMs.get(guesser)
      if (lastMs !== undefined && nowMs - lastMs < quietForMs) return false
      if (!takeCell(rate, nowMs, limitOfAll).isAllowed) return false
      recordedAtMs.set(guesser, nowMs)
      return true
    },
  }
}
