/** The floor of the pool: Piscina alone, one thread, as it comes. */
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { roundTrips } from '../load/round-trips.ts'
import { measurement } from '../process/measurement.ts'

await measurement(async ({ tasks }) => {
  const filename = fileURLToPath(new URL('../load/echo-task.ts', import.meta.url))
  const threads = new Piscina({ filename, minThreads: 1, maxThreads: 1 })
  return roundTrips((task) => threads.run(task), tasks)
})
