/**
 * How often a password may be guessed: delays that grow with each failure, for an address and for an account. An address
 * that an account has signed in from before does not wait for what others did to the account, so that no stranger can
 * lock anybody out; and nobody ever waits longer than the bounds below.
 */
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../runtime/clock.ts'
import { minutes, seconds } from '../../runtime/duration.ts'

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

export interface LoginLimit {
  /** Milliseconds until this address may try this account again; 0 when it may now. */
  waitMs(address: string, account: string): number
  failed(address: string, account: string): void
  /** The address has signed in to the account: its failures are forgiven, and it is known from now on. */
  succeeded(address: string, account: string): void
}

export function loginLimit(clock: Clock): LoginLimit {
  const addresses = new LRUCache<string, Failures>({ max: rememberedMax })
  const accounts = new LRUCache<string, Failures>({ max: rememberedMax })
  const trusted = new LRUCache<string, true>({ max: rememberedMax })
  const pair = (address: string, account: string) => `${address} ${account}`

  function waitOf(failures: Failures | undefined, { free, longestMs }: Bounds): number {
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

  return {
    waitMs(address, account) {
      const own = waitOf(addresses.get(address), ofAddress)
      return trusted.has(pair(address, account)) ? own : Math.max(own, waitOf(accounts.get(account), ofAccount))
    },
    failed(address, account) {
      count(addresses, address)
      if (!trusted.has(pair(address, account))) count(accounts, account)
    },
    succeeded(address, account) {
      addresses.delete(address)
      trusted.set(pair(address, account), true)
    },
  }
}
