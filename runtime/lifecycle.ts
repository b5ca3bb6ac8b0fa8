/** The parts of the process: each starts with what the ones before it have opened, and stops before they do. */
import { Failure } from './failure.ts'
import type { Log } from './log/log.ts'
import { atMost } from './time/at-most.ts'
import { type Clock, systemClock } from './time/clock.ts'
import { seconds } from './time/duration.ts'

export interface PartOptions<Value> {
  stop?(value: Value): Promise<void> | void
  /** What `stop` may take; then the next part is stopped all the same. Default 5 s. */
  graceMs?: number
  /** What `open` may take once the process is told to stop; then it is not waited for. Default 2 s. */
  openGraceMs?: number
}

export type LifecycleState = 'starting' | 'ready' | 'draining' | 'stopped'

export interface Lifecycle {
  readonly state: LifecycleState
  /**
   * Opens a part. Should it fail, or the process be told to stop, the parts before it are stopped again.
   * @param open its signal aborts when the process is told to stop
   * @throws StartFailed
   */
  start<Value>(
    name: string,
    open: (signal: AbortSignal) => Promise<Value> | Value,
    options?: PartOptions<Value>,
  ): Promise<Value>
  /** All parts have started. @throws StartFailed where the process was told to stop */
  ready(): void
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

interface StartedPart {
  name: string
  stop(): Promise<void>
  graceMs: number
}

/** A part that is being opened. */
interface Opening {
  ended: Promise<unknown>
  graceMs: number
  giveUp(): void
}

const defaultGraceMs = seconds(5)
const defaultOpenGraceMs = seconds(2)
const givenUp = Symbol('given up')

export function lifecycle(options: { log: Log; clock?: Clock }): Lifecycle {
  const { log, clock = systemClock } = options
  const started: StartedPart[] = []
  const listeners: (() => void)[] = []
  const halt = new AbortController()
  let state: LifecycleState = 'starting'
  let opening: Opening | undefined
  let unwinding: Promise<void> | undefined
  let stopping: Promise<void> | undefined

  async function start<Value>(
    name: string,
    open: (signal: AbortSignal) => Promise<Value> | Value,
    { stop, graceMs = defaultGraceMs }: PartOptions<Value>,
    isGivenUp: Promise<typeof givenUp>,
  ): Promise<Value> {
    const beganMs = clock.elapsed()
    const partOf = (value: Value): StartedPart => ({
      name,
      async stop() {
        await stop?.(value)
      },
      graceMs,
    })
    try {
      if (state !== 'starting') throw new Error('the process was told to stop')
      const opened = (async () => await open(halt.signal))()
      const value = await Promise.race([opened, isGivenUp])
      if (value === givenUp) {
        log.warn({ part: name }, 'told to stop while this part was starting; it is not waited for')
        opened.then((late) => stopPart(partOf(late))).catch(() => {}) // nobody uses it, and nobody hears its failure
        throw new Error('the process was told to stop')
      }
      started.push(partOf(value))
      log.debug({ part: name, tookMs: Math.round(clock.elapsed() - beganMs) }, 'started')
      return value
    } catch (error) {
      await unwind()
      throw new StartFailed(name, error)
    }
  }

  /** Once, and one part after the other, though a start that is told to stop may ask for it as well. */
  function unwind(): Promise<void> {
    unwinding ??= stopStarted()
    return unwinding
  }

  async function stopStarted(): Promise<void> {
    for (let part = started.pop(); part; part = started.pop()) await stopPart(part)
    state = 'stopped'
  }

  async function stopPart({ name, stop, graceMs }: StartedPart): Promise<void> {
    const beganMs = clock.elapsed()
    try {
      const stopped = stop()
      const isLate = await atMost(graceMs, stopped, { clock, onLate: () => true })
      if (isLate) {
        log.warn({ part: name, graceMs }, 'did not stop in time; the next part is stopped')
        stopped.catch((error: unknown) => log.error({ err: error, part: name }, 'failed to stop'))
      } else {
        log.debug({ part: name, tookMs: Math.round(clock.elapsed() - beganMs) }, 'stopped')
      }
    } catch (error) {
      log.error({ err: error, part: name }, 'failed to stop')
    }
  }

  async function drain(): Promise<void> {
    const wasReady = state === 'ready'
    state = 'draining'
    for (const listener of listeners) listener()
    if (!wasReady) {
      halt.abort(new Error('the process was told to stop'))
      if (opening) await endOf(opening)
    }
    await unwind()
  }

  async function endOf({ ended, graceMs, giveUp }: Opening): Promise<void> {
    const timer = clock.after(graceMs, giveUp)
    await ended.catch(() => {}) // its failure belongs to whoever called `start`
    timer.cancel()
  }

  return {
    get state() {
      return state
    },
    start(name, open, partOptions = {}) {
      const { promise, resolve } = Promise.withResolvers<typeof givenUp>()
      const ended = start(name, open, partOptions, promise)
      const { openGraceMs: graceMs = defaultOpenGraceMs } = partOptions
      opening = { ended, graceMs, giveUp: () => resolve(givenUp) }
      return ended
    },
    ready() {
      if (state !== 'starting') throw new StartFailed('the process', 'it was told to stop')
      state = 'ready'
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
