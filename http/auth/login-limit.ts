/**
 * How often a password may be guessed. Delays grow with each failure, per address and per account, up to the bounds below.
 * An address from which the account has signed in before does not wait for the failures of others at this account, so no
 * stranger can lock anybody out. Attempts under way count as failures: otherwise many at once would all be admitted before
 * the first one is decided.
 */
import { LRUCache } from 'lru-cache'
import type { Bus } from '../../runtime/nodes/bus.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { minutes, seconds } from '../../runtime/time/duration.ts'
import { clientNetwork } from './client-network.ts'

const rememberedMax = 20_000
const forgottenAfterMs = minutes(30)

interface Bounds {
  /** Failures without a delay. */
  free: number
  longestMs: number
}
const ofAddress: Bounds = { free: 5, longestMs: minutes(15) }
const ofAccount: Bounds = { free: 10, longestMs: minutes(1) }

interface Failures {
  count: number
  lastMs: number
}

/** The wait while too many attempts are under way. */
const undecidedMs = seconds(1)

export interface LoginLimit {
  /** Called when an allowed attempt begins. @returns to be called when it is decided and its outcome counted */
  begin(address: string, account: string): () => void
  /** Milliseconds until this address may try this account again; 0 when it may now. */
  retryAfterMs(address: string, account: string): number
  failed(address: string, account: string): void
  /** The address has signed in to the account: its failures are cleared, and it is trusted from now on. */
  succeeded(address: string, account: string): void
}

/** What became of an attempt. */
interface Outcome {
  network: string
  account: string
  hasSucceeded: boolean
}

const textMax = 500

/** @param bus to the other nodes, which count the same; attempts under way are each node's own */
export function loginLimit(clock: Clock, bus?: Bus): LoginLimit {
  const addresses = new LRUCache<string, Failures>({ max: rememberedMax })
  const accounts = new LRUCache<string, Failures>({ max: rememberedMax })
  const trusted = new LRUCache<string, true>({ max: rememberedMax })
  /** Attempts under way. Bounded by the number of requests. */
  const addressAttempts = new Map<string, number>()
  const accountAttempts = new Map<string, number>()
  const pair = (address: string, account: string) => `${address} ${account}`

  function waitOf(failures: Failures | undefined, attempts: number, { free, longestMs }: Bounds): number {
    const isOld = failures === undefined || clock.elapsed() - failures.lastMs > forgottenAfterMs
    if (attempts > 0 && (isOld ? 0 : failures.count) + attempts > free) return undecidedMs
    if (!failures || failures.count <= free) return 0
    const delayMs = Math.min(longestMs, seconds(1) * 2 ** Math.min(failures.count - free - 1, 20))
    return Math.max(0, failures.lastMs + delayMs - clock.elapsed())
  }

  function recordFailure(of: LRUCache<string, Failures>, key: string): void {
    const nowMs = clock.elapsed()
    const before = of.get(key)
    const isOld = before === undefined || nowMs - before.lastMs > forgottenAfterMs
    of.set(key, { count: isOld ? 1 : before.count + 1, lastMs: nowMs })
  }

  function addTo(of: Map<string, number>, key: string, by: 1 | -1): void {
    const now = (of.get(key) ?? 0) + by
    if (now > 0) of.set(key, now)
    else of.delete(key)
  }

  function note({ network, account, hasSucceeded }: Outcome): void {
    if (hasSucceeded) {
      addresses.delete(network)
      trusted.set(pair(network, account), true)
      return
    }
    recordFailure(addresses, network)
    if (!trusted.has(pair(network, account))) recordFailure(accounts, account)
  }

  function decided(outcome: Outcome): void {
    note(outcome)
    bus?.broadcast('login.decided', outcome)
  }

  bus?.on('login.decided', (message) => {
    if (isOutcome(message)) note(message)
  })
  return {
    begin(from, account) {
      const address = clientNetwork(from)
      const isStranger = !trusted.has(pair(address, account))
      addTo(addressAttempts, address, 1)
      if (isStranger) addTo(accountAttempts, account, 1)
      return () => {
        addTo(addressAttempts, address, -1)
        if (isStranger) addTo(accountAttempts, account, -1)
      }
    },
    retryAfterMs(from, account) {
      const address = clientNetwork(from)
      const own = waitOf(addresses.get(address), addressAttempts.get(address) ?? 0, ofAddress)
      if (trusted.has(pair(address, account))) return own
      return Math.max(own, waitOf(accounts.get(account), accountAttempts.get(account) ?? 0, ofAccount))
    },
    failed: (from, account) => decided({ network: clientNetwork(from), account, hasSucceeded: false }),
    succeeded: (from, account) => decided({ network: clientNetwork(from), account, hasSucceeded: true }),
  }
}

function isOutcome(message: unknown): message is Outcome {
  const { network, account, hasSucceeded } = (message ?? {}) as Partial<Outcome>
  return isText(network) && isText(account) && typeof hasSucceeded === 'boolean'
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= textMax
