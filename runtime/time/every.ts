/** Work that is done again and again: an interval between the end of one run and the start of the next. */
import type { Clock } from './clock.ts'

export interface EveryOptions {
  clock: Clock
  /** Milliseconds between the end of a run and one that `soon` asks for. Default: as between any two. */
  soonMs?: number
  /** Gets what a run threw; the next run follows all the same. */
  onError(error: unknown): void
}

export interface Repetition {
  /** The next run starts at once, or `soonMs` after the end of the one before it. */
  soon(): void
  /** No run starts any more and the signal of the one under way aborts. Resolves when that one has ended. */
  stop(): Promise<void>
}

/**
 * Runs `work` for the first time after `intervalMs`, and so long after each of its ends: never two runs at once.
 * @param work its signal aborts with `stop`
 */
export function every(
  intervalMs: number,
  work: (signal: AbortSignal) => unknown,
  { clock, onError, soonMs = intervalMs }: EveryOptions,
): Repetition {
  const stopped = new AbortController()
  let running: Promise<void> | undefined
  let isAskedFor = false
  let endedMs = Number.NEGATIVE_INFINITY
  let timer = clock.after(intervalMs, start)

  async function run(): Promise<void> {
    try {
      await work(stopped.signal)
    } catch (error) {
      if (!stopped.signal.aborted) onError(error)
    } finally {
      running = undefined
      endedMs = clock.elapsed()
      if (!stopped.signal.aborted) timer = clock.after(isAskedFor ? soonMs : intervalMs, start)
    }
  }

  function start(): void {
    isAskedFor = false
    running = run()
  }

  return {
    soon() {
      if (isAskedFor || stopped.signal.aborted) return
      isAskedFor = true
      if (running) return
      timer.cancel()
      timer = clock.after(Math.max(0, endedMs + soonMs - clock.elapsed()), start)
    },
    async stop() {
      stopped.abort()
      timer.cancel()
      await running
    },
  }
}
