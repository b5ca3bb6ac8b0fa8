/** Answers that last, such as streams and sockets: they end soon after the credential that opened them no longer would. */
import { type Clock, sleep, type Timer } from '../../runtime/clock.ts'
import { minutes, seconds } from '../../runtime/duration.ts'
import type { Log } from '../../runtime/log/log.ts'

/** One answer that lasts. */
export interface Held {
  /** Whether its caller would still be let in. Throws where nobody can say now. */
  isStill(): Promise<boolean>
  end(): void
}

export interface Standing {
  /** Raised with every change: whoever was let in before the newest one is looked at again. */
  readonly generation: number
  /** @param since the generation in which the caller was let in @returns how to let go, when the answer has ended by itself */
  hold(held: Held, since: number): () => void
  close(): void
}

export interface StandingOptions {
  clock: Clock
  log: Log
  /** Calls back after any key, session or operator changed. Returns how to stop. */
  onChange(fire: () => void): () => void
}

/** Without word of any change: times that run out, and changes that could not be heard. */
const lookedAtEveryMs = minutes(1)
const againMs = seconds(1)

export function standing({ clock, log, onChange }: StandingOptions): Standing {
  /** As many as there are connections, which are bounded. */
  const held = new Set<Held>()
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

  /** One after the other: thousands at once would keep the database from everybody else. */
  async function sweep(): Promise<void> {
    isSweeping = true
    while (isDue && !closing.signal.aborted) {
      isDue = false
      // Whoever remembers credentials hears of the change in the same turn of the loop, and forgets them first.
      await new Promise(setImmediate)
      for (const one of [...held]) if (held.has(one)) await judge(one)
      if (isDue) await sleep(clock, againMs, closing.signal).catch(() => undefined)
    }
    isSweeping = false
  }

  async function judge(one: Held): Promise<void> {
    try {
      if ((await one.isStill()) || !held.delete(one)) return
      one.end()
    } catch (error) {
      log.debug({ err: error }, 'whether an open stream may go on could not be found out; it is asked again')
      isDue = true
    }
  }

  return {
    get generation() {
      return generation
    },
    hold(one, since) {
      held.add(one)
      lookLater()
      if (since !== generation) look()
      return () => {
        held.delete(one)
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
    },
  }
}
