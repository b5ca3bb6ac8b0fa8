/** How often something may come from one address. Remembers the addresses that came last. */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../runtime/time/clock.ts'
import { type CellLimit, type CellRate, takeCell } from './cell-rate.ts'

export const addressesMax = 10_000

export interface AddressRates {
  /** Counts one, unless it is refused. @returns milliseconds until the next may come; 0 when this one may pass */
  take(address: string): number
  /** Milliseconds until one may come; 0 when it may now. Counts nothing. */
  waitMs(address: string): number
}

export function addressRates(clock: Clock, limit: CellLimit): AddressRates {
  const rates = new LRUCache<string, CellRate>({ max: addressesMax })
  function rateOf(address: string): CellRate {
    let rate = rates.get(address)
    if (!rate) {
      rate = { dueMs: 0 }
      rates.set(address, rate)
    }
    return rate
  }
  return {
    take: (address) => takeCell(rateOf(address), clock.elapsed(), limit).waitMs,
    waitMs(address) {
      const rate = rates.get(address)
      return rate ? takeCell({ ...rate }, clock.elapsed(), limit).waitMs : 0
    },
  }
}
