/** The order in which the parts of the process start, and the drain: each stops before those it stands on. */
import { Failure } from './failure.ts'

import type { Log } from './log/log.ts'
import { atMost } from './time/at-most.ts'
import { type Clock, systemClock } from './time/clock.ts'
import { seconds } from './time/duration.ts'

export interface Part {
  name: string
  /** @param signal aborts when the process is to stop before it has started */
  start(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
  /** What `stop` may take; then the next part is stopped all the same. Default 5 s. */
  graceMs?: number
}

export type LifecycleState = 'new' | 'starting' | 'ready' | 'draining' | 'stopped'

export interface Lifecycle {
  readonly state: LifecycleState
  /** Starts the parts in order. Should one fail, those before it are stopped again. @throws StartFailed */
  start(): Promise<void>
  /** Stops the parts in reverse order. Never rejects: what a part could not finish is logged. Repeated calls share one drain. */
  stop(): Promise<void>
  /** Called once when the drain begins, before the first part stops: the moment to be no longer ready. */
  onDrain(listener: () => void): void
}

export class StartFailed extends Failure {
  readonly code = 'start_failed'
  readonly part: string
  constructor(part: string, cause: unknown) {
    super(`${part} did not start: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
    this.part = part
  }
}

const graceMsByDefault = seconds(5)

export function lifecycle(options: { parts: readonly Part[]; log: Log; clock?: Clock }): Lifecycle {
  const { parts, log, clock = systemClock } = options
  const started: Part[] = []
  const listeners: (() => void)[] = []
  const halt = new AbortController()
  let state: LifecycleState = 'new'
  let starting: Promise<void> | undefined
  let stopping: Promise<void> | undefined

  async function startAll(): Promise<void> {
    for (const part of parts) {
      const beganMs = clock.elapsed()
      try {
        halt.signal.throwIfAborted()
        await part.start(halt.signal)
        started.push(part)
      } catch (error) {
        await stopStarted()
        state = 'stopped'
        throw new StartFailed(part.name, error)
      }
      log.debug({ part: part.name, tookMs: Math.round(clock.elapsed() - beganMs) }, 'started')
    }
    if (!halt.signal.aborted) state = 'ready'
  }

  async function stopStarted(): Promise<void> {
    for (let part = started.pop(); part; part = started.pop()) await stopPart(part)
  }

  async function stopPart(part: Part): Promise<void> {
    const graceMs = part.graceMs ?? graceMsByDefault
    const beganMs = clock.elapsed()
    try {
      const stopped = part.stop()
      const isLate = await atMost(graceMs, stopped, { clock, onLate: () => true })
      if (isLate) {
        log.warn({ part: part.name, graceMs }, 'did not stop in time and is left behind')
        stopped.catch((error: unknown) => log.error({ err: error, part: part.name }, 'failed while it stopped'))
      } else {
        log.debug({ part: part.name, tookMs: Math.round(clock.elapsed() - beganMs) }, 'stopped')
      }
    } catch (error) {
      log.error({ err: error, part: part.name }, 'failed while it stopped')
    }
  }

  async function drain(): Promise<void> {
    const wasReady = state === 'ready'
    state = 'draining'
    for (const listener of listeners) listener()
    if (!wasReady) {
      halt.abort(new Error('the process is to stop'))
      // It unwinds what it started; its failure belongs to the caller of `start`.
      await starting?.catch(() => {})
    }
    await stopStarted()
    state = 'stopped'
  }

  return {
    get state() {
      return state
    },
    start() {
      if (state !== 'new') return starting ?? Promise.reject(new StartFailed('the process', 'it is stopped'))
      state = 'starting'
      starting = startAll()
      return starting
    },
    stop() {
      stopping ??= drain()
      return stopping
    },
    onDrain(listener) {
      listeners.push(listener)
    },
  }
}
