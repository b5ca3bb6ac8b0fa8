/** How many requests with log lines clients may send: a limit for each address, and one for all together. */
import type { Clock } from '../../runtime/time/clock.ts'
import { addressRates } from '../auth/address-rates.ts'
import { type CellRate, takeCell } from '../auth/cell-rate.ts'

const limitOfAddress = { perMinute: 60, burst: 10 }
const limitOfAll = { perMinute: 1_200, burst: 200 }

export interface ClientLogLimit {
  /** Counts one request. @returns milliseconds until it may come again; 0 when it may pass */
  take(address: string): number
}

export function clientLogLimit(clock: Clock): ClientLogLimit {
  const addresses = addressRates(clock, limitOfAddress)
  const all: CellRate = { dueMs: 0 }
  return {
    take(address) {
      return addresses.take(address) || takeCell(all, clock.elapsed(), limitOfAll).waitMs
    },
  }
}
