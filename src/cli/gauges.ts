/** Figures of the actor system for the operator's collector. */
import { Gauge } from 'prom-client'
import type { RunningTurns } from '../actors/turn/running.ts'
import type { System } from '../runtime/actor/system.ts'
import type { Metrics } from '../runtime/telemetry/metrics.ts'

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
