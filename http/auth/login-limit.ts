/**
 * How often a password may be guessed: delays that grow with each failure, for an address and for an account. An address
 * that an account has signed in from before does not wait for what others did to the account, so that no stranger can
 * lock anybody out; and nobody ever waits longer than the bounds below. Attempts that are still under way count as failed
 * ones: many at once would all be through before the first of them is known to be wrong.
 */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes, seconds } from '../../runtime/time/duration.ts'
import { clientNetwork } from './client-network.ts'

const rememberedMax = 20_000
const forgottenAfterMs = minutes(30)

interface Bounds {
  /** Failures that cost nothing. */
  free: number
  longestMs: number
}
const ofAddress: Bounds = { free: 5, longestMs: minutes(15) }
const ofAccount: Bounds = { free: 10, longestMs: minutes(1) }

interface Failures {
  count: number
  lastMs: number
}

/** With so many under way, the next one waits until some are decided. */
const undecidedMs = seconds(1)

export interface LoginLimit {
  /** An attempt begins that was allowed. @returns to be called when it is decided, and counted */
  begin(address: string, account: string): () => void
  /** Milliseconds until this address may try this account again; 0 when it may now. */
  retryAfterMs(address: string, account: string): number
  failed(address: string, account: string): void
  /** The address has signed in to the account: its failures are forgiven, and it is known from now on. */
  succeeded(address: string, account: string): void
}

export function loginLimit(clock: Clock): LoginLimit {
  const addresses = new LRUCache<string, Failures>({ max: rememberedMax })
  const accounts = new LRUCache<string, Failures>({ max: rememberedMax })
  const trusted = new LRUCache<string, true>({ max: rememberedMax })
  /** Attempts under way; as many as there are requests. */
  const addressesTrying = new Map<string, number>()
  const accountsTrying = new Map<string, number>()
  const pair = (address: string, account: string) => `${address} ${account}`

  function waitOf(failures: Failures | undefined, trying: number, { free, longestMs }: Bounds): number {
    const isOld = failures === undefined || clock.elapsed() - failures.lastMs > forgottenAfterMs
    if (trying > 0 && (isOld ? 0 : failures.count) + trying > free) return undecidedMs
    if (!failures || failures.count <= free) return 0
    const delayMs = Math.min(longestMs, seconds(1) * 2 ** Math.min(failures.count - free - 1, 20))
    return Math.max(0, failures.lastMs + delayMs - clock.elapsed())
  }

  function count(of: LRUCache<string, Failures>, key: string): void {
    const nowMs = clock.elapsed()
    const before = of.get(key)
    const isOld = before === undefined || nowMs - before.lastMs > forgottenAfterMs
    of.set(key, { count: isOld ? 1 : before.count + 1, lastMs: nowMs })
  }

  function change(of: Map<string, number>, key: string, by: 1 | -1): void {
    const now = (of.get(key) ?? 0) + by
    if (now > 0) of.set(key, now)
    else of.delete(key)
  }

  return {
    begin(from, account) {
      const address = clientNetwork(from)
      const isStranger = !trusted.has(pair(address, account))
      change(addressesTrying, address, 1)
      if (isStranger) change(accountsTrying, account, 1)
      return () => {
        change(addressesTrying, address, -1)
        if (isStranger) change(accountsTrying, account, -1)
      }
    },
    retryAfterMs(from, account) {
      const address = clientNetwork(from)
      const own = waitOf(addresses.get(address), addressesTrying.get(address) ?? 0, ofAddress)
      if (trusted.has(pair(address, account))) return own
      return Math.max(own, waitOf(accounts.get(account), accountsTrying.get(account) ?? 0, ofAccount))
    },
    failed(from, account) {
      const address = clientNetwork(from)
      count(addresses, address)
      if (!trusted.has(pair(address, account))) count(accounts, account)
    },
    succeeded(from, account) {
      const address = clientNetwork(from)
      addresses.delete(address)
      trusted.set(pair(address, account), true)
    },
  }
}
