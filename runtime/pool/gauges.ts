/** What a pool says of itself: plain counts for whoever asks, and the same as metrics. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

export interface PoolGauges {
  /** Threads alive; none while the pool is idle. */
  readonly workers: number
  readonly running: number
  readonly waiting: number
  readonly done: number
  /** Tasks that threw. */
  readonly failed: number
  readonly refused: number
  readonly cancelled: number
  readonly timedOut: number
  /** Tasks lost with their thread. */
  readonly died: number
}

export type TaskEnd = 'done' | 'failed' | 'refused' | 'cancelled' | 'timedOut' | 'died'

export interface PoolObserver {
  ended(end: TaskEnd, waitedMs: number, ranMs: number): void
}

export const noObserver: PoolObserver = { ended() {} }

const secondsBuckets = [0.0005, 0.002, 0.01, 0.05, 0.2, 1, 5, 30]

interface PoolMetrics {
  now: Gauge<'pool' | 'state'>
  ends: Counter<'pool' | 'end'>
  waited: Histogram<'pool'>
  ran: Histogram<'pool'>
  read: Map<string, () => PoolGauges>
}

/** All pools share these; one registry holds a name once. */
const byRegistry = new WeakMap<Registry, PoolMetrics>()

function poolMetrics(registry: Registry): PoolMetrics {
  const known = byRegistry.get(registry)
  if (known) return known
  const read = new Map<string, () => PoolGauges>()
  const registers = [registry]
  const made: PoolMetrics = {
    read,
    now: new Gauge({
      name: 'service_pool_now',
      help: 'Threads, running tasks and waiting tasks of a worker pool',
      labelNames: ['pool', 'state'],
      registers,
      collect() {
        for (const [pool, gauges] of read) {
          const { workers, running, waiting } = gauges()
          this.set({ pool, state: 'workers' }, workers)
          this.set({ pool, state: 'running' }, running)
          this.set({ pool, state: 'waiting' }, waiting)
        }
      },
    }),
    ends: new Counter({
      name: 'service_pool_tasks_total',
      help: 'Tasks of a worker pool by how they ended',
      labelNames: ['pool', 'end'],
      registers,
    }),
    waited: new Histogram({
      name: 'service_pool_wait_seconds',
      help: 'Time a task waited for a thread',
      labelNames: ['pool'],
      buckets: secondsBuckets,
      registers,
    }),
    ran: new Histogram({
      name: 'service_pool_run_seconds',
      help: 'Time a task ran, with the way to the thread and back',
      labelNames: ['pool'],
      buckets: secondsBuckets,
      registers,
    }),
  }
  byRegistry.set(registry, made)
  return made
}

/** The worker pools of a registry by their names, as they are now. */
export function poolGauges(registry: Registry): { pool: string; gauges: PoolGauges }[] {
  return Array.from(byRegistry.get(registry)?.read ?? [], ([pool, read]) => ({ pool, gauges: read() }))
}

export function observePool(registry: Registry, pool: string, read: () => PoolGauges): PoolObserver {
  const metrics = poolMetrics(registry)
  metrics.read.set(pool, read)
  const waited = metrics.waited.labels({ pool })
  const ran = metrics.ran.labels({ pool })
  const ends = new Map<TaskEnd, Counter.Internal>()
  for (const end of ['done', 'failed', 'refused', 'cancelled', 'timedOut', 'died'] as const) {
    ends.set(end, metrics.ends.labels({ pool, end }))
  }
  return {
    ended(end, waitedMs, ranMs) {
      ends.get(end)?.inc()
      if (end === 'refused') return
      waited.observe(waitedMs / 1_000)
      if (ranMs > 0) ran.observe(ranMs / 1_000)
    },
  }
}
