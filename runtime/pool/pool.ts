/** Named pools of worker threads: bounded queue, bounded time and memory for a task, cancellation, typed failures. */
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { Log } from '../log/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { noTracer, type Span, type Tracer } from '../telemetry/trace.ts'
import { type Clock, systemClock } from '../time/clock.ts'
import { PoolClosed, PoolFull, TaskTimeout, WorkerDied } from './errors.ts'
import { noObserver, observePool } from './observe-pool.ts'
import { rebuiltError, type TaskOutcome } from './outcome.ts'
import type { PoolGauges, TaskEnd } from './pool-gauges.ts'

export interface PoolOptions {
  name: string
  /** The source of the task file; its default export takes a task and returns the result. In a built package the `.js` beside it is loaded. */
  file: URL
  /** The maximum of threads; each starts when it is first needed. */
  size: number
  /** Tasks that wait for a thread; past it `run` rejects with PoolFull. */
  queueMax: number
  /** From the queue to the answer; past it the thread is ended and the task rejected with TaskTimeout. */
  timeoutMs: number
  /** Heap of one thread. Buffers and native memory are not in it: see docs/operations.md. */
  memoryMb: number
  /** A thread without work ends after this. */
  idleMs?: number
  log?: Log
  metrics?: Metrics
  tracer?: Tracer
  clock?: Clock
}

export interface RunOptions {
  /** Removes a waiting task from the queue; ends the thread of a running one. */
  signal?: AbortSignal
  /** Moved to the thread instead of copied. */
  transfer?: readonly ArrayBuffer[]
}

export interface Pool<Task, Result> {
  readonly name: string
  /** @throws PoolFull, TaskTimeout, WorkerDied, PoolClosed, the signal's reason, or what the task threw */
  run(task: Task, options?: RunOptions): Promise<Result>
  readonly gauges: PoolGauges
  /** Refuses what waits, lets what runs finish within `graceMs`, then ends every thread. */
  close(graceMs?: number): Promise<void>
}

interface Job<Task, Result> {
  task: Task
  transfer: readonly ArrayBuffer[] | undefined
  addedMs: number
  span: Span
  abort: AbortController
  /** Set by the first that decides the end. */
  cut?: { end: TaskEnd; error: unknown }
  resolve(result: Result): void
  reject(error: unknown): void
  release(): void
}

/** V8 ends the whole process when a thread's heap is too small to start (seen at 2 MiB and below). */
const memoryMbMin = 16

/**
 * The queue is ours: Piscina gets a task only when a thread is free for it. Its own queue hangs for ever when the last
 * thread dies while tasks wait (5.3: threads are replaced up to `minThreads` only, which is 0 here so that an idle pool has none).
 */
export function createPool<Task, Result>(options: PoolOptions): Pool<Task, Result> {
  const { name, size, queueMax, timeoutMs, memoryMb, idleMs = 30_000, log, metrics } = options
  const { tracer = noTracer, clock = systemClock } = options
  if (memoryMb < memoryMbMin) throw new RangeError(`the ${name} pool needs at least ${memoryMbMin} MiB a thread`)
  const waiting = new Set<Job<Task, Result>>()
  const running = new Set<Job<Task, Result>>()
  const counts: Record<TaskEnd, number> = { done: 0, failed: 0, refused: 0, cancelled: 0, timedOut: 0, died: 0 }
  let isClosed = false
  let idle: (() => void) | undefined

  const threads = new Piscina({
    filename: fileURLToPath(runnable(new URL('./entry.ts', import.meta.url))),
    workerData: { file: runnable(options.file).href },
    minThreads: 0,
    maxThreads: size,
    idleTimeout: idleMs,
    recordTiming: false,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: Math.max(4, memoryMb / 4) },
    // Workers must not see our secrets.
    env: process.env['TZ'] === undefined ? {} : { TZ: process.env['TZ'] },
  })
  let lastDeath: Error | undefined
  threads.on('error', (error: Error) => {
    lastDeath = error
    log?.warn({ err: error, pool: name }, 'a worker thread died without a task')
  })
  threads.on('workerDestroy', () => setImmediate(rejectOrphans))

  const gauges = (): PoolGauges => ({
    workers: threads.threads.length,
    running: running.size,
    waiting: waiting.size,
    ...counts,
  })
  const observer = metrics ? observePool(metrics, name, gauges) : noObserver

  function run(task: Task, { signal, transfer }: RunOptions = {}): Promise<Result> {
    if (isClosed) return Promise.reject(new PoolClosed(name))
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (running.size >= size && waiting.size >= queueMax) {
      counts.refused++
      observer.ended('refused', 0, 0)
      return Promise.reject(new PoolFull(name, queueMax))
    }
    return new Promise((resolve, reject) => {
      const span = tracer.span(`pool ${name}`)
      const cancel = () => cutShort(job, { end: 'cancelled', error: signal?.reason })
      signal?.addEventListener('abort', cancel, { once: true })
      const job: Job<Task, Result> = {
        task,
        transfer,
        addedMs: clock.elapsed(),
        span,
        abort: new AbortController(),
        resolve,
        reject,
        release: () => signal?.removeEventListener('abort', cancel),
      }
      waiting.add(job)
      startNext()
    })
  }

  function startNext(): void {
    for (const job of waiting) {
      if (running.size >= size) return
      waiting.delete(job)
      running.add(job)
      void attempt(job)
    }
  }

  async function attempt(job: Job<Task, Result>): Promise<void> {
    const startedMs = clock.elapsed()
    const timer = clock.after(timeoutMs, () =>
      cutShort(job, { end: 'timedOut', error: new TaskTimeout(name, timeoutMs) }),
    )
    try {
      const transfer = job.transfer ? { transferList: [...job.transfer] } : {}
      const outcome = (await threads.run(job.task, { signal: job.abort.signal, ...transfer })) as TaskOutcome<Result>
      if (outcome.isOk) settle(job, 'done', startedMs, () => job.resolve(outcome.result))
      else fail(job, 'failed', rebuiltError(outcome.error), startedMs)
    } catch (error) {
      if (job.cut) fail(job, job.cut.end, job.cut.error, startedMs)
      // The task's data cannot be copied to a thread: the caller's mistake, no thread was touched.
      else if (error instanceof Error && error.name === 'DataCloneError') fail(job, 'failed', error, startedMs)
      else fail(job, 'died', new WorkerDied(name, error), startedMs)
    } finally {
      timer.cancel()
    }
  }

  function fail(job: Job<Task, Result>, end: TaskEnd, error: unknown, startedMs: number): void {
    job.span.fail(error)
    settle(job, end, startedMs, () => job.reject(error))
  }

  function settle(job: Job<Task, Result>, end: TaskEnd, startedMs: number, answer: () => void): void {
    if (!running.delete(job)) return
    counts[end]++
    job.release()
    job.span.end()
    observer.ended(end, startedMs - job.addedMs, clock.elapsed() - startedMs)
    answer()
    startNext()
    if (running.size === 0) idle?.()
  }

  function cutShort(job: Job<Task, Result>, cut: { end: TaskEnd; error: unknown }): void {
    job.cut ??= cut
    if (running.has(job)) job.abort.abort()
    if (!waiting.delete(job)) return
    counts[cut.end]++
    observer.ended(cut.end, clock.elapsed() - job.addedMs, 0)
    job.release()
    job.span.fail(cut.error)
    job.span.end()
    job.reject(cut.error)
  }

  /** When a thread dies while it starts, Piscina drops the tasks for it without an error. */
  function rejectOrphans(): void {
    if (threads.threads.length > 0) return
    for (const job of running) {
      job.cut ??= { end: 'died', error: new WorkerDied(name, lastDeath ?? 'it ended before it took the task') }
      job.abort.abort()
    }
  }

  async function close(graceMs = 5_000): Promise<void> {
    isClosed = true
    for (const job of waiting) cutShort(job, { end: 'cancelled', error: new PoolClosed(name) })
    if (running.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = clock.after(graceMs, resolve)
        idle = () => {
          timer.cancel()
          resolve()
        }
      })
    }
    for (const job of running) cutShort(job, { end: 'cancelled', error: new PoolClosed(name) })
    await threads.destroy()
  }

  return {
    name,
    run,
    get gauges() {
      return gauges()
    },
    close,
  }
}

/** Sources run as `.ts` in a checkout and as `.js` in a built package: the same as the file we are in. */
function runnable(file: URL): URL {
  const own = extname(import.meta.url)
  return own === '.js' && file.pathname.endsWith('.ts') ? new URL(file.href.replace(/\.ts$/, own)) : file
}
