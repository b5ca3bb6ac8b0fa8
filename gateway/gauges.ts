/** Gauges of actors, channels and the database. */
import type { TurnQueue } from '../actors/queue/turn-queue.ts'
import type { RunningTurns } from '../actors/turn/running.ts'
import type { System } from '../runtime/actor/system.ts'
import type { Metrics } from '../runtime/telemetry/metrics.ts'
import { oncePerKey } from '../runtime/time/once-per-key.ts'
import type { Database } from '../store/database.ts'
import { openDeliveries } from '../store/deliveries/deliveries.ts'

export function observeActors(metrics: Metrics, sources: { system: System; running: RunningTurns }): void {
  const { system, running } = sources
  metrics.onScrape('service_actors_live', (gauge) => gauge.set(system.live))
  metrics.onScrape('service_turns_running', (gauge) => gauge.set(running.size))
  metrics.onScrape('service_streams_open', (gauge) => gauge.set(system.streams.size))
  metrics.onScrape('service_actor_crashes', (gauge) => gauge.set(system.counts.crashes))
  metrics.onScrape('service_actor_restarts', (gauge) => gauge.set(system.counts.restarts))
  metrics.onScrape('service_actor_escalations', (gauge) => gauge.set(system.counts.escalations))
  metrics.onScrape('service_actor_dead_letters', (gauge) => gauge.set(system.counts.deadLetters))
  metrics.onScrape('service_actor_mailbox_full', (gauge) => gauge.set(system.counts.mailboxFull))
}

/** The largest number of deliveries that is counted and reported. */
const countedMax = 50_000

/** Queued turns and pending deliveries of all workspaces. */
export function observeChannels(metrics: Metrics, sources: { db: Database; queue: TurnQueue }): void {
  const { db, queue } = sources
  metrics.onScrape('service_queue_turns_waiting', (gauge) => gauge.set(queue.waiting))
  // Both gauges are collected at the same time and share a query. While the database is down neither has a value.
  const query = oncePerKey<'deliveries', Awaited<ReturnType<typeof openDeliveries>> | undefined>()
  const deliveries = () => query.run('deliveries', () => openDeliveries(db, countedMax).catch(() => undefined))
  metrics.onScrape('service_deliveries_pending', async (gauge) => {
    const found = await deliveries()
    if (found) gauge.set(found.pending)
    else gauge.remove()
  })
  metrics.onScrape('service_deliveries_oldest_age_seconds', async (gauge) => {
    const found = await deliveries()
    if (found) gauge.set(found.oldestAgeS)
    else gauge.remove()
  })
}

export function observeDatabase(metrics: Metrics, db: Database): void {
  metrics.onScrape('service_database_connections_max', (gauge) => {
    for (const { name: pool, connectionsMax } of db.pools()) gauge.set({ pool }, connectionsMax)
  })
  metrics.onScrape('service_database_work', (gauge) => {
    for (const { name: pool, running, waiting } of db.pools()) {
      gauge.set({ pool, state: 'running' }, running)
      gauge.set({ pool, state: 'waiting' }, waiting)
    }
  })
}
