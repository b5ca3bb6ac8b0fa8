/** What a node counted of its calls to model endpoints goes to the database, where one node judges by that of all. */
import { seconds } from '../../runtime/time/duration.ts'
import { type EndpointCount, writeEndpointCounts } from '../../store/alerts/readings.ts'
import type { Database } from '../../store/database.ts'
import type { MaintenanceTask } from '../maintenance/task.ts'

export function endpointCounting({
  db,
  node,
  take,
}: {
  db: Database
  node: number
  take(): EndpointCount[]
}): MaintenanceTask {
  return {
    name: 'endpoint-counts',
    intervalMs: seconds(5),
    async run() {
      const counts = take()
      if (counts.length > 0) await writeEndpointCounts(db, node, counts)
    },
  }
}
