/** The metrics of a worker pool. */
import type { Metrics } from '../telemetry/metrics.ts'
import type { PoolGauges, TaskEnd } from './pool-gauges.ts'

export interface PoolObserver {
  ended(end: TaskEnd, waitedMs: number, ranMs: number): void
}

export const noObserver: PoolObserver = { ended() {} }

export function observePool(metrics: Metrics, pool: string, read: () => PoolGauges): PoolObserver {
  metrics.pools.set(pool, read)
  metrics.onScrape('service_pool_now', (gauge) => {
    const { workers, running, waiting } = read()
    gauge.set({ pool, state: 'workers' }, workers)
    gauge.set({ pool, state: 'running' }, running)
    gauge.set({ pool, state: 'waiting' }, waiting)
  })
  const tasks = metrics.counter('service_pool_tasks_total')
  const waits = metrics.histogram('service_pool_wait_seconds').labels({ pool })
  const runs = metrics.histogram('service_pool_run_seconds').labels({ pool })
  return {
    ended(end, waitedMs, ranMs) {
      tasks.inc({ pool, end })
      if (end === 'refused') return
      waits.observe(waitedMs / 1_000)
      if (ranMs > 0) runs.observe(ranMs / 1_000)
    },
  }
}
