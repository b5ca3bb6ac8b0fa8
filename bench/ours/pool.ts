/** Our pool: bounds, timeout, typed outcomes and gauges on. */
import { createPool } from '../../runtime/pool/pool.ts'
import { createMetrics } from '../../runtime/telemetry/metrics.ts'
import { roundTrips } from '../load/round-trips.ts'
import { measurement } from '../process/measurement.ts'

await measurement(async ({ tasks }) => {
  const pool = createPool<{ text: string }, { text: string }>({
    name: 'bench',
    file: new URL('../load/echo-task.ts', import.meta.url),
    size: 1,
    queueMax: 256,
    timeoutMs: 10_000,
    memoryMb: 64,
    metrics: createMetrics(),
  })
  return roundTrips((task) => pool.run(task), tasks)
})
