/** How many unknown credentials may come from one address: each costs us a query. */
import type { Bus } from '../../runtime/nodes/bus.ts'
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

const networkCharactersMax = 60

export interface GuessesOfNodes {
  /** To the other nodes, which count the same. */
  bus: Bus
  /** What is guessed: each kind is counted by itself. */
  kind: 'key' | 'session'
}

/** @param nodes absent: there are no others */
export function credentialGuesses(clock: Clock, nodes?: GuessesOfNodes): CredentialGuesses {
  const rates = addressRates(clock, guessLimit)
  const lookups = addressRates(clock, lookupLimit)
  const message = `guess.${nodes?.kind}`
  nodes?.bus.on(message, (network) => {
    if (typeof network === 'string' && network.length <= networkCharactersMax) rates.count(network)
  })
  return {
    failed(address) {
      const network = clientNetwork(address)
      // What is over the limit is not counted, so an address costs the other nodes no more messages than the limit.
      if (rates.take(network) === 0) nodes?.bus.broadcast(message, network)
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
