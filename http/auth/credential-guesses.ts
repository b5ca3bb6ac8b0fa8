/**
 * How many unknown credentials may come from one address: each costs us a query. Those of one address are counted at one node,
 * the one that has its slot, and the others ask it. Where it does not answer, a node counts for itself.
 */
import { LRUCache } from 'lru-cache'
import type { Bus } from '../../runtime/nodes/bus.ts'
import type { NodesAround } from '../../runtime/nodes/leases.ts'
import { questions } from '../../runtime/nodes/questions.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { ms } from '../../runtime/time/duration.ts'
import { ApiError } from '../error.ts'
import { addressesMax, addressRates } from './address-rates.ts'
import { clientNetwork } from './client-network.ts'

export interface CredentialGuesses {
  /** Counts one failed guess, unless it is one too many. @returns milliseconds until this address may try again; 0: counted */
  failed(address: string): number | Promise<number>
  /** Milliseconds until this address may try again, as far as is known here; 0 when it may now. */
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
/** Guesses that wait for their node; those beyond are counted here. */
const askedMax = 1_000

/** Where guesses are counted. */
export interface GuessNodes {
  bus: Bus
  around: NodesAround
}

/** @param kind of what is guessed: each is counted by itself; absent `nodes`: there are no others */
export function credentialGuesses(
  clock: Clock,
  kind: 'key' | 'session',
  nodes: GuessNodes | undefined,
): CredentialGuesses {
  const rates = addressRates(clock, guessLimit)
  const lookups = addressRates(clock, lookupLimit)
  /** Networks that their node refuses: it need not be asked again before. */
  const refusedUntilMs = new LRUCache<string, number>({ max: addressesMax })
  const take = (network: string) => Math.ceil(rates.take(network))
  const ask =
    nodes &&
    questions<string, number>({
      ...{ bus: nodes.bus, clock },
      kinds: { question: `guess.${kind}.count`, answer: `guess.${kind}.counted` },
      withinMs: ms(250),
      askedMax,
      isQuestion: (body): body is string => typeof body === 'string' && body.length <= networkCharactersMax,
      isAnswer: (body): body is number => Number.isSafeInteger(body) && (body as number) >= 0,
      answer: take,
    })

  function waitMs(network: string): number {
    const untilMs = refusedUntilMs.get(network) ?? 0
    return Math.max(rates.waitMs(network), untilMs - clock.elapsed(), 0)
  }

  function failed(address: string): number | Promise<number> {
    const network = clientNetwork(address)
    const knownMs = waitMs(network)
    if (knownMs > 0) return knownMs
    const owner = nodes?.around.ownerOf(`guess ${network}`)
    if (!ask || owner === undefined || owner === nodes.around.node) return take(network)
    return ask(owner, network).then((answerMs) => {
      if (answerMs === undefined) return take(network)
      if (answerMs > 0) refusedUntilMs.set(network, clock.elapsed() + answerMs)
      return answerMs
    })
  }

  return {
    failed,
    retryAfterMs: (address) => waitMs(clientNetwork(address)),
    lookupAfterMs(address) {
      const network = clientNetwork(address)
      return waitMs(network) > 0 ? lookups.take(network) : 0
    },
  }
}

export function tooManyGuesses(waitMs: number): ApiError {
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1_000))
  const message = `Too many failed credentials from this address; try again in ${retryAfterS} s.`
  return new ApiError('too_many_failed_credentials', message, { retryAfterS })
}
