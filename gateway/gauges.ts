/** Figures of the parts that are put together here: the database's for whoever scrapes, the actors' for the operator's collector. */
import { Gauge } from 'prom-client'
import type { TurnQueue } from '../actors/queue/turn-queue.ts'
import type { RunningTurns } from '../actors/turn/running.ts'
import type { System } from '../runtime/actor/system.ts'
import type { Metrics } from '../runtime/telemetry/metrics.ts'
import type { Database } from '../store/database.ts'
import { openDeliveries } from '../store/deliveries/deliveries.ts'

export function observeActors(metrics: Metrics, sources: { system: System; running: RunningTurns }): void {
  const { system, running } = sources
  const figures: [name: string, help: string, read: () => number][] = [
    ['service_actors_live', 'Actors in memory', () => system.live],
    ['service_turns_running', 'Turns that run now', () => running.size],
    ['service_streams_open', 'Streams that somebody reads', () => system.streams.size],
    ['service_actor_crashes', 'Crashes of actors since the start', () => system.counts.crashes],
    ['service_actor_restarts', 'Restarts of actors since the start', () => system.counts.restarts],
    [
      'service_actor_escalations',
      'Branches stopped past their restarts since the start',
      () => system.counts.escalations,
    ],
    ['service_actor_dead_letters', 'Messages to nobody since the start', () => system.counts.deadLetters],
    [
      'service_actor_mailbox_full',
      'Messages refused by full mailboxes since the start',
      () => system.counts.mailboxFull,
    ],
  ]
  for (const [name, help, read] of figures) {
    new Gauge({
      name,
      help,
      registers: [metrics.internal],
      collect() {
        this.set(read())
      },
    })
  }
}

/** Deliveries that are counted; more are told as this many. */
const countedMax = 50_000

/** What waits for an answer, and which answers wait for their receivers, of all workspaces. */
export function observeChannels(metrics: Metrics, sources: { db: Database; queue: TurnQueue }): void {
  const { db, queue } = sources
  const registers = [metrics.internal]
  new Gauge({
    name: 'service_queue_turns_waiting',
    help: 'Turns that wait in the queue',
    registers,
    collect() {
      this.set(queue.waiting)
    },
  })
  /** Both gauges are collected at once, and share one look. Undefined: the database is away, which other figures tell. */
  let look: Promise<Awaited<ReturnType<typeof openDeliveries>> | undefined> | undefined
  const looked = () => {
    look ??= openDeliveries(db, countedMax)
      .catch(() => undefined)
      .finally(() => {
        look = undefined
      })
    return look
  }
  const figures = [
    ['service_deliveries_pending', 'Answers that have not arrived and are not given up', 'pending'],
    ['service_deliveries_oldest_age_seconds', 'Age of the oldest of them, 0 without one', 'oldestAgeS'],
  ] as const
  for (const [name, help, figure] of figures) {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const found = await looked()
        if (found) this.set(found[figure])
        else this.remove()
      },
    })
  }
}

export function observeDatabase(metrics: Metrics, db: Database): void {
  const registers = [metrics.public]
  new Gauge({
    name: 'service_database_connections_max',
    help: 'Connections that a pool may open',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const { name: pool, connectionsMax } of db.pools()) this.set({ pool }, connectionsMax)
    },
  })
  new Gauge({
    name: 'service_database_work',
    help: 'Statements or transactions that a pool runs now, and those that wait for it',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const { name: pool, running, waiting } of db.pools()) {
        this.set({ pool, state: 'running' }, running)
        this.set({ pool, state: 'waiting' }, waiting)
      }
    },
  })
}
