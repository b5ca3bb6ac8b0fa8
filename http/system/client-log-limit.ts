/** How many requests with log lines clients may send: so many from one address, and so many in all. */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../runtime/time/clock.ts'
import { type CellRate, takeCell } from '../auth/gcra.ts'

const addressesMax = 10_000
const perAddress = { perMinute: 60, burst: 10 }
const overall = { perMinute: 1_200, burst: 200 }

export interface ClientLogLimit {
  /** Counts one request. @returns milliseconds until it may come again; 0 when it may pass */
  take(address: string): number
}

export function clientLogLimit(clock: Clock): ClientLogLimit {
  const addresses = new LRUCache<string, CellRate>({ max: addressesMax })
  const all: CellRate = { dueMs: 0 }
  return {
    take(address) {
      let rate = addresses.get(address)
      if (!rate) {
        rate = { dueMs: 0 }
        addresses.set(address, rate)
      }
      const own = takeCell(rate, clock.elapsed(), perAddress.perMinute, perAddress.burst)
      if (!own.isAllowed) return own.waitMs
      return takeCell(all, clock.elapsed(), overall.perMinute, overall.burst).waitMs
    },
  }
}
