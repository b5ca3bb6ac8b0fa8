/** Open streams and sockets: each ends soon after the credential that opened it would no longer be accepted. */
import type { Log } from '../../runtime/log/log.ts'
import { type Clock, sleep, type Timer } from '../../runtime/time/clock.ts'
import { minutes, seconds } from '../../runtime/time/duration.ts'
import type { Principal } from '../access.ts'

/** An open stream or socket. */
export interface LiveAnswer {
  /** The path of its route. */
  readonly path: string
  /** The credential that opened it: all answers of one credential are revalidated together. */
  readonly credential: string
  /** Whose the credential is now; undefined once it has ended. Rejects while that cannot be found out. */
  findPrincipal(): Promise<Principal | undefined>
  /** Whether this caller would still be admitted. */
  isStillPermitted(now: Principal): boolean
  end(): void
}

export interface LiveCredentials {
  /** Raised with every change: callers admitted before the newest one are revalidated. */
  readonly generation: number
  /** How many of this route are open now. */
  count(path: string): number
  /** @param since the generation in which the caller was let in @returns how to let go, when the answer has ended by itself */
  watch(held: LiveAnswer, since: number): () => void
  close(): void
}

export interface LiveCredentialsOptions {
  clock: Clock
  log: Log
  /** Calls back after any key, session or operator changed. Returns how to stop. */
  onChange(fire: () => void): () => void
}

/** Also without a change: credentials expire, and notices of changes can be lost. */
const revalidatedEveryMs = minutes(1)
const againMs = seconds(1)
/** Lookups at once: more would keep the database from other work. */
const lookupsMax = 4
/** Answers checked in one turn of the loop. */
const checkedAtOnce = 100

export function liveCredentials({ clock, log, onChange }: LiveCredentialsOptions): LiveCredentials {
  /** By credential; as many as there are connections, which are bounded. */
  const held = new Map<string, Set<LiveAnswer>>()
  const counts = new Map<string, number>()
  const closing = new AbortController()
  let generation = 0
  let isDue = false
  let isSweeping = false
  let timer: Timer | undefined

  const stopListening = onChange(() => {
    generation++
    look()
  })

  function look(): void {
    isDue = held.size > 0
    if (isDue && !isSweeping) void sweep()
  }

  function lookLater(): void {
    timer ??= clock.after(revalidatedEveryMs, () => {
      timer = undefined
      look()
      if (held.size > 0) lookLater()
    })
  }

  async function sweep(): Promise<void> {
    isSweeping = true
    while (isDue && !closing.signal.aborted) {
      isDue = false
      // The caches of credentials get the notice in the same turn of the loop, and drop their entries first.
      await new Promise(setImmediate)
      const names = [...held.keys()].values()
      await Promise.all(Array.from({ length: lookupsMax }, () => revalidateEach(names)))
      if (isDue) await sleep(clock, againMs, closing.signal).catch(() => undefined)
    }
    isSweeping = false
  }

  async function revalidateEach(names: Iterable<string>): Promise<void> {
    for (const name of names) await revalidate(name)
  }

  async function revalidate(name: string): Promise<void> {
    // Those open before the lookup: whoever comes during it may have been admitted by something newer.
    const answers = [...(held.get(name) ?? [])]
    const [first] = answers
    if (!first) return
    try {
      const now = await first.findPrincipal()
      for (const [place, one] of answers.entries()) {
        if (place > 0 && place % checkedAtOnce === 0) await new Promise(setImmediate)
        if (!(now && one.isStillPermitted(now)) && drop(one)) one.end()
      }
    } catch (error) {
      log.debug({ err: error }, 'credentials of open streams could not be revalidated; retrying')
      isDue = true
    }
  }

  function keep(one: LiveAnswer): void {
    const same = held.get(one.credential)
    if (same) same.add(one)
    else held.set(one.credential, new Set([one]))
    counts.set(one.path, (counts.get(one.path) ?? 0) + 1)
  }

  /** False: it was removed before. */
  function drop(one: LiveAnswer): boolean {
    const same = held.get(one.credential)
    if (!same?.delete(one)) return false
    if (same.size === 0) held.delete(one.credential)
    counts.set(one.path, (counts.get(one.path) ?? 1) - 1)
    return true
  }

  return {
    get generation() {
      return generation
    },
    count: (path) => counts.get(path) ?? 0,
    watch(one, since) {
      keep(one)
      lookLater()
      if (since !== generation) look()
      return () => {
        drop(one)
        if (held.size > 0) return
        timer?.cancel()
        timer = undefined
      }
    },
    close() {
      stopListening()
      closing.abort()
      timer?.cancel()
      held.clear()
      counts.clear()
    },
  }
}
