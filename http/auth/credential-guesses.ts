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
}

export function credentialGuesses(clock: Clock): CredentialGuesses {
  const rates = addressRates(clock, { perMinute: 60, burst: 20 })
  return {
    failed(address) {
      rates.take(clientNetwork(address))
    },
    retryAfterMs: (address) => rates.waitMs(clientNetwork(address)),
  }
}

export function tooManyGuesses(waitMs: number): ApiError {
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1_000))
  const message = `Too many failed credentials from this address; try again in ${retryAfterS} s.`
  return new ApiError('too_many_failed_credentials', message, { retryAfterS })
}
