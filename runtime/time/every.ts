/** Work that is done again and again: an interval between the end of one run and the start of the next. */
import type { Clock } from './clock.ts'

export interface EveryOptions {
  clock: Clock
  /** Gets what a run threw; the next run follows all the same. */
  onError(error: unknown): void
}

export interface Repetition {
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
  { clock, onError }: EveryOptions,
): Repetition {
  const stopped = new AbortController()
  let running: Promise<void> | undefined
  let timer = clock.after(intervalMs, start)

  async function run(): Promise<void> {
    try {
      await work(stopped.signal)
    } catch (error) {
      if (!stopped.signal.aborted) onError(error)
    } finally {
      running = undefined
      if (!stopped.signal.aborted) timer = clock.after(intervalMs, start)
    }
  }

  function start(): void {
    running = run()
  }

  return {
    async stop() {
      stopped.abort()
      timer.cancel()
      await running
    },
  }
}
