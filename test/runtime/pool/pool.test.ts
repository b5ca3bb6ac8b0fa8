import { execFile as execFileCallback } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { PoolClosed, PoolFull, TaskTimeout, WorkerDied } from '../../../runtime/pool/errors.ts'
import { createPool, type Pool, type PoolOptions } from '../../../runtime/pool/pool.ts'
import { createMetrics } from '../../../runtime/telemetry/metrics.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { recordingTracer } from '../../support/recording-tracer.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import type { Trouble } from './tasks/trouble.ts'

const execFile = promisify(execFileCallback)
const opened: Pool<Trouble, unknown>[] = []

function openPool(options: Partial<PoolOptions> = {}): Pool<Trouble, unknown> {
  const pool = createPool<Trouble, unknown>({
    name: 'trouble',
    file: new URL('./tasks/trouble.ts', import.meta.url),
    size: 1,
    queueMax: 2,
    timeoutMs: 20_000,
    memoryMb: 32,
    ...options,
  })
  opened.push(pool)
  return pool
}

/** A task that has begun on its thread and holds it until `release`. */
async function heldTask(pool: Pool<Trouble, unknown>, signal?: AbortSignal) {
  const gate = new SharedArrayBuffer(8)
  const cells = new Int32Array(gate)
  const result = pool.run({ do: 'hold', gate }, signal ? { signal } : {})
  result.catch(() => {})
  const begun = Atomics.waitAsync(cells, 1, 0)
  await begun.value
  return {
    result,
    release() {
      Atomics.store(cells, 0, 1)
      Atomics.notify(cells, 0)
    },
  }
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((pool) => pool.close(0)))
})

describe('pool', () => {
  test('a task runs on a thread and its result is returned', async () => {
    const pool = openPool()
    expect(pool.gauges.workers).toBe(0)
    expect(await pool.run({ do: 'answer', value: { a: [1, 'two'] } })).toEqual({ a: [1, 'two'] })
    expect(pool.gauges).toMatchObject({ workers: 1, running: 0, waiting: 0, done: 1 })
  })

  test('an error of a task arrives with its name, message and code, and the thread lives on', async () => {
    const pool = openPool()
    await expect(pool.run({ do: 'throw' })).rejects.toMatchObject({
      name: 'RangeError',
      message: 'out of range',
      code: 'bad_range',
    })
    expect(pool.gauges).toMatchObject({ failed: 1, workers: 1 })
  })

  test('past the queue’s bound a task is refused, and the waiting ones still run', async () => {
    const pool = openPool()
    const blocking = await heldTask(pool)
    const waiting = [pool.run({ do: 'answer', value: 1 }), pool.run({ do: 'answer', value: 2 })]
    await expect(pool.run({ do: 'answer', value: 3 })).rejects.toBeInstanceOf(PoolFull)
    expect(pool.gauges).toMatchObject({ running: 1, waiting: 2, refused: 1 })
    blocking.release()
    expect(await Promise.all(waiting)).toEqual([1, 2])
  })

  test.for([
    ['leaves its thread by process.exit', { do: 'exit' }],
    ['runs out of memory', { do: 'exhaust memory' }],
    ['has an uncaught error beside it', { do: 'throw later' }],
  ] as const)('a task whose worker %s fails as WorkerDied, and what waits gets a new worker', async ([, task]) => {
    const pool = openPool()
    const lost = pool.run(task)
    const waiting = pool.run({ do: 'answer', value: 'alive' })
    await expect(lost).rejects.toBeInstanceOf(WorkerDied)
    expect(await waiting).toBe('alive')
    expect(pool.gauges).toMatchObject({ died: 1, done: 1, workers: 1 })
  })

  test.for([
    ['an endless loop', { do: 'loop' }],
    ['a catastrophic regular expression', { do: 'backtrack' }],
  ] as const)('%s is ended at the time limit, and what waits gets a new worker', async ([, task]) => {
    const clock = virtualClock()
    const pool = openPool({ clock, timeoutMs: 1_000 })
    await pool.run({ do: 'answer', value: 'warm' })
    const stuck = pool.run(task)
    const waiting = pool.run({ do: 'answer', value: 'alive' })
    const ended = expect(stuck).rejects.toBeInstanceOf(TaskTimeout)
    await clock.advance(1_000)
    await ended
    expect(await waiting).toBe('alive')
    expect(pool.gauges).toMatchObject({ timedOut: 1, workers: 1 })
  })

  test('the time limit counts from leaving the queue', async () => {
    const clock = virtualClock()
    const pool = openPool({ clock, timeoutMs: 1_000 })
    const blocking = await heldTask(pool)
    const waiting = pool.run({ do: 'answer', value: 'in time' })
    await clock.advance(900)
    blocking.release()
    await blocking.result
    await clock.advance(900)
    expect(await waiting).toBe('in time')
  })

  test('a cancelled task leaves the queue at once with the signal’s reason, and never runs', async () => {
    const pool = openPool()
    const blocking = await heldTask(pool)
    const abort = new AbortController()
    const waiting = pool.run({ do: 'answer', value: 1 }, { signal: abort.signal })
    abort.abort(new Error('client gone'))
    await expect(waiting).rejects.toThrow('client gone')
    expect(pool.gauges).toMatchObject({ waiting: 0, cancelled: 1 })
    await expect(pool.run({ do: 'answer', value: 1 }, { signal: abort.signal })).rejects.toThrow('client gone')
    blocking.release()
    await blocking.result
    expect(pool.gauges.done).toBe(1)
  })

  test('cancelling a running task ends its thread, and the next task gets a new one', async () => {
    const pool = openPool()
    const abort = new AbortController()
    const blocking = await heldTask(pool, abort.signal)
    abort.abort(new Error('client gone'))
    await expect(blocking.result).rejects.toThrow('client gone')
    expect(await pool.run({ do: 'answer', value: 'alive' })).toBe('alive')
    expect(pool.gauges).toMatchObject({ cancelled: 1, done: 1 })
  })

  test('a long-lived signal does not collect listeners of its tasks', async () => {
    const pool = openPool()
    const { signal } = new AbortController()
    const listeners = { added: 0, removed: 0 }
    const watched = Object.assign(Object.create(null), {
      aborted: false,
      addEventListener: () => listeners.added++,
      removeEventListener: () => listeners.removed++,
    }) as typeof signal
    for (let count = 0; count < 3; count++) await pool.run({ do: 'answer', value: count }, { signal: watched })
    expect(listeners).toEqual({ added: 3, removed: 3 })
  })

  test('a task file that does not load fails each task with the reason', async () => {
    const { log, lines } = recordingLog()
    const pool = openPool({ file: new URL('./tasks/broken.ts', import.meta.url), log })
    for (let count = 0; count < 2; count++) {
      const error = await pool.run({ do: 'answer', value: 1 }).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(WorkerDied)
      expect([String(error), JSON.stringify(lines)].join()).toContain('this file does not load')
    }
  })

  test('a thread that ends while it starts fails its task with an error', async () => {
    // Threads inherit the command line of their process, not its later changes: so this wants a process of its own.
    const leaving = "import { isMainThread } from 'node:worker_threads'; if (!isMainThread) process.exit(7)"
    const preload = `--import=data:text/javascript,${encodeURIComponent(leaving)}`
    const { stdout } = await execFile(process.execPath, [
      preload,
      fileURLToPath(new URL('./tasks/starved.ts', import.meta.url)),
    ])
    expect(stdout.trim()).toBe('WorkerDied WorkerDied WorkerDied')
  })

  test('a heap too small for a thread to start in is refused: V8 would end the process', () => {
    expect(() => openPool({ memoryMb: 4 })).toThrow(RangeError)
  })

  test('a task that cannot be copied fails alone', async () => {
    const pool = openPool()
    await expect(pool.run({ do: 'answer', value: () => 1 })).rejects.toMatchObject({ name: 'DataCloneError' })
    expect(await pool.run({ do: 'answer', value: 1 })).toBe(1)
  })

  test('a worker does not see our environment', async () => {
    process.env['SERVICE_TEST_SECRET'] = 'x'
    try {
      expect(await openPool().run({ do: 'environment' })).not.toContain('SERVICE_TEST_SECRET')
    } finally {
      delete process.env['SERVICE_TEST_SECRET']
    }
  })

  test('an idle pool ends its threads and starts one for the next task', async () => {
    const pool = openPool({ idleMs: 1 })
    await pool.run({ do: 'answer', value: 1 })
    await expect.poll(() => pool.gauges.workers).toBe(0)
    expect(await pool.run({ do: 'answer', value: 2 })).toBe(2)
  })

  test('close lets running tasks finish, and refuses waiting and new ones', async () => {
    const pool = openPool()
    const blocking = await heldTask(pool)
    const waiting = pool.run({ do: 'answer', value: 1 })
    const closed = pool.close(20_000)
    await expect(waiting).rejects.toBeInstanceOf(PoolClosed)
    await expect(pool.run({ do: 'answer', value: 1 })).rejects.toBeInstanceOf(PoolClosed)
    blocking.release()
    expect(await blocking.result).toBe('released')
    await closed
    expect(pool.gauges.workers).toBe(0)
  })

  test('close ends tasks that do not finish within the grace period', async () => {
    const clock = virtualClock()
    const pool = openPool({ clock })
    const blocking = await heldTask(pool)
    const closed = pool.close(1_000)
    await clock.advance(1_000)
    await closed
    await expect(blocking.result).rejects.toBeInstanceOf(PoolClosed)
    expect(pool.gauges.workers).toBe(0)
  })

  test('its gauges are internal metrics, not public ones', async () => {
    const metrics = createMetrics()
    const pool = openPool({ metrics })
    await pool.run({ do: 'answer', value: 1 })
    await pool.run({ do: 'throw' }).catch(() => {})
    const text = await metrics.internal.metrics()
    expect(text).toContain('service_pool_tasks_total{pool="trouble",end="done"} 1')
    expect(text).toContain('service_pool_tasks_total{pool="trouble",end="failed"} 1')
    expect(text).toContain('service_pool_now{pool="trouble",state="workers"} 1')
    expect(await metrics.public.metrics()).not.toContain('service_pool')
  })

  test('a task is a span of its caller’s trace', async () => {
    const { tracer, spans } = recordingTracer()
    const pool = openPool({ tracer })
    const request = tracer.span('request')
    await tracer.inSpan(request.context, () => pool.run({ do: 'throw' })).catch(() => {})
    expect(spans[1]).toEqual({ name: 'pool trouble', parent: 'request', isEnded: true, error: 'out of range' })
  })
})
