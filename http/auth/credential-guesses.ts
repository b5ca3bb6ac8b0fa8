/** How many unknown credentials may come from one address: each costs us a query. */
import type { Clock } from '../../runtime/time/clock.ts'
import { ApiError } from '../error.ts'
import { addressRates } from './address-rates.ts'
import { clientNetwork } from './client-network.ts'

export interface CredentialGuesses {
  /** Counts one failed guess. */
  failed(address: string): void
  /** Milliseconds until this address may try again; 0 when it may now. */
  retryAfterMs(address: string): number
  /**
   * The same for one lookup, which it counts: an address that guessed too often still has a bounded number of them, so that
   * a good key of somebody else there is found.
   */
  lookupAfterMs(address: string): number
}

const guessLimit = { perMinute: 60, burst: 20 }
const lookupLimit = { perMinute: 1_200, burst: 100 }

export function credentialGuesses(clock: Clock): CredentialGuesses {
  const rates = addressRates(clock, guessLimit)
  const lookups = addressRates(clock, lookupLimit)
  return {
    failed(address) {
      rates.take(clientNetwork(address))
    },
    retryAfterMs: (address) => rates.waitMs(clientNetwork(address)),
    lookupAfterMs(address) {
      const network = clientNetwork(address)
      return rates.waitMs(network) > 0 ? lookups.take(network) : 0
    },
  }
}

export function tooManyGuesses(waitMs: number): ApiError {
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1_000))
  const message = `Too many failed credentials from this address; try again in ${retryAfterS} s.`
  return new ApiError('too_many_failed_credentials', message, { retryAfterS })
}
