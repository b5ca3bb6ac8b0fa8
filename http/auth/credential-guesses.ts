/** How many unknown credentials one address may try: guessing costs us a query each, so it is bounded per address. */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../runtime/time/clock.ts'
import { ApiError } from '../error.ts'
import { clientNetwork } from './client-network.ts'
import { type CellRate, takeCell } from './gcra.ts'

const addressesMax = 10_000
const guessesPerMinute = 60
const guessesAtOnce = 20

export interface CredentialGuesses {
  /** Counts one failed guess. */
  failed(address: string): void
  /** Milliseconds until this address may try again; 0 when it may now. */
  retryAfterMs(address: string): number
}

export function credentialGuesses(clock: Clock): CredentialGuesses {
  const rates = new LRUCache<string, CellRate>({ max: addressesMax })
  return {
    failed(from) {
      const address = clientNetwork(from)
      let rate = rates.get(address)
      if (!rate) {
        rate = { dueMs: 0 }
        rates.set(address, rate)
      }
      takeCell(rate, clock.elapsed(), guessesPerMinute, guessesAtOnce)
    },
    retryAfterMs(address) {
      const rate = rates.get(clientNetwork(address))
      // Asked on a copy: looking is no guess.
      return rate ? takeCell({ dueMs: rate.dueMs }, clock.elapsed(), guessesPerMinute, guessesAtOnce).waitMs : 0
    },
  }
}

export function tooManyGuesses(waitMs: number): ApiError {
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1_000))
  const message = `Too many failed credentials from this address; try again in ${retryAfterS} s.`
  return new ApiError('too_many_failed_credentials', message, {
    retryAfterS,
  })
}
