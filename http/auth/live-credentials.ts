/** Open streams and sockets: each is ended soon after its credential is no longer accepted. */
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
  /** Whose the credential is now; undefined once it has ended. Rejects when that cannot be looked up. */
  findPrincipal(): Promise<Principal | undefined>
  /** Whether this caller would still be admitted. */
  isStillPermitted(current: Principal): boolean
  end(): void
}

export interface LiveCredentials {
  /** Raised with every change: callers admitted before the newest one are revalidated. */
  readonly generation: number
  /** How many answers of this route are open now. */
  count(path: string): number
  /** @param since the generation in which the caller was admitted @returns to be called when the answer has ended */
  watch(answer: LiveAnswer, since: number): () => void
  close(): void
}

export interface LiveCredentialsOptions {
  clock: Clock
  log: Log
  /** Calls back after any key, session or operator changed. Returns how to stop. */
  onChange(fire: () => void): () => void
}

/** Also without a change: credentials expire, and notifications can be lost. */
const revalidatedEveryMs = minutes(1)
const retryMs = seconds(1)
/** Lookups at once: more would keep the database from other work. */
const lookupsMax = 4
/** Answers checked in one turn of the loop. */
const checkedAtOnce = 100

export function liveCredentials({ clock, log, onChange }: LiveCredentialsOptions): LiveCredentials {
  /** By credential. Bounded by the number of connections. */
  const openAnswers = new Map<string, Set<LiveAnswer>>()
  const counts = new Map<string, number>()
  const closing = new AbortController()
  let generation = 0
  let isDue = false
  let isSweeping = false
  let timer: Timer | undefined

  const stopListening = onChange(() => {
    generation++
    requestSweep()
  })

  function requestSweep(): void {
    isDue = openAnswers.size > 0
    if (isDue && !isSweeping) void sweep()
  }

  function scheduleSweep(): void {
    timer ??= clock.after(revalidatedEveryMs, () => {
      timer = undefined
      requestSweep()
      if (openAnswers.size > 0) scheduleSweep()
    })
  }

  async function sweep(): Promise<void> {
    isSweeping = true
    while (isDue && !closing.signal.aborted) {
      isDue = false
      // The caches of credentials are notified in the same turn of the loop; this lets them drop their entries first.
      await new Promise(setImmediate)
      const names = [...openAnswers.keys()].values()
      await Promise.all(Array.from({ length: lookupsMax }, () => revalidateEach(names)))
      if (isDue) await sleep(clock, retryMs, closing.signal).catch(() => undefined)
    }
    isSweeping = false
  }

  async function revalidateEach(names: Iterable<string>): Promise<void> {
    for (const name of names) await revalidate(name)
  }

  async function revalidate(name: string): Promise<void> {
    // Only those open before the lookup: one that comes during it may have been admitted by a newer state.
    const answers = [...(openAnswers.get(name) ?? [])]
    const [first] = answers
    if (!first) return
    try {
      const current = await first.findPrincipal()
      for (const [place, one] of answers.entries()) {
        if (place > 0 && place % checkedAtOnce === 0) await new Promise(setImmediate)
        if (!(current && one.isStillPermitted(current)) && remove(one)) one.end()
      }
    } catch (error) {
      log.debug({ err: error }, 'credentials of open streams could not be revalidated; retrying')
      isDue = true
    }
  }

  function add(one: LiveAnswer): void {
    const same = openAnswers.get(one.credential)
    if (same) same.add(one)
    else openAnswers.set(one.credential, new Set([one]))
    counts.set(one.path, (counts.get(one.path) ?? 0) + 1)
  }

  /** False: it was removed before. */
  function remove(one: LiveAnswer): boolean {
    const same = openAnswers.get(one.credential)
    if (!same?.delete(one)) return false
    if (same.size === 0) openAnswers.delete(one.credential)
    counts.set(one.path, (counts.get(one.path) ?? 1) - 1)
    return true
  }

  return {
    get generation() {
      return generation
    },
    count: (path) => counts.get(path) ?? 0,
    watch(one, since) {
      add(one)
      scheduleSweep()
      if (since !== generation) requestSweep()
      return () => {
        remove(one)
        if (openAnswers.size > 0) return
        timer?.cancel()
        timer = undefined
      }
    },
    close() {
      stopListening()
      closing.abort()
      timer?.cancel()
      openAnswers.clear()
      counts.clear()
    },
  }
}
