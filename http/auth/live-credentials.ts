/** Answers that last, such as streams and sockets: they end soon after the credential that opened them no longer would. */

import type { Log } from '../../runtime/log/log.ts'
import { type Clock, sleep, type Timer } from '../../runtime/time/clock.ts'
import { minutes, seconds } from '../../runtime/time/duration.ts'
import type { Principal } from '../access.ts'

/** One answer that lasts. */
export interface LiveAnswer {
  /** The path of its route. */
  readonly path: string
  /** Names the credential that opened it: those of one name are judged by one look. */
  readonly credential: string
  /** Whose the credential is now; undefined: it has ended. Throws where nobody can say. */
  findPrincipal(): Promise<Principal | undefined>
  /** Whether this one would still be let in. */
  isStillPermitted(now: Principal): boolean
  end(): void
}

export interface LiveCredentials {
  /** Raised with every change: whoever was let in before the newest one is looked at again. */
  readonly generation: number
  /** How many of this route last now. */
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

/** Without word of any change: times that run out, and changes that could not be heard. */
const lookedAtEveryMs = minutes(1)
const againMs = seconds(1)
/** At the same time: more would keep the database from everybody else. */
const looksMax = 4
/** Answers judged in one turn of the loop. */
const judgedAtOnce = 100

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
    timer ??= clock.after(lookedAtEveryMs, () => {
      timer = undefined
      look()
      if (held.size > 0) lookLater()
    })
  }

  async function sweep(): Promise<void> {
    isSweeping = true
    while (isDue && !closing.signal.aborted) {
      isDue = false
      // Whoever remembers credentials hears of the change in the same turn of the loop, and forgets them first.
      await new Promise(setImmediate)
      const names = [...held.keys()].values()
      await Promise.all(Array.from({ length: looksMax }, () => judgeEach(names)))
      if (isDue) await sleep(clock, againMs, closing.signal).catch(() => undefined)
    }
    isSweeping = false
  }

  async function judgeEach(names: Iterable<string>): Promise<void> {
    for (const name of names) await judge(name)
  }

  async function judge(name: string): Promise<void> {
    // As they are before the look: whoever comes during it may have been let in by something newer.
    const judged = [...(held.get(name) ?? [])]
    const [first] = judged
    if (!first) return
    try {
      const now = await first.findPrincipal()
      for (const [place, one] of judged.entries()) {
        if (place > 0 && place % judgedAtOnce === 0) await new Promise(setImmediate)
        if (!(now && one.isStillPermitted(now)) && drop(one)) one.end()
      }
    } catch (error) {
      log.debug({ err: error }, 'whether open streams may go on could not be found out; it is asked again')
      isDue = true
    }
  }

  function keep(one: LiveAnswer): void {
    const same = held.get(one.credential)
    if (same) same.add(one)
    else held.set(one.credential, new Set([one]))
    counts.set(one.path, (counts.get(one.path) ?? 0) + 1)
  }

  /** False: it was let go before. */
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
