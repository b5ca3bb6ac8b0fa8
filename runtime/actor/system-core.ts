/** What every cell of one system shares: time, log, scheduling, counters. The inside of `System`. */

import type { Log } from '../log/log.ts'
import type { Random } from '../random.ts'
import type { Tracer } from '../telemetry/trace.ts'
import type { Clock } from '../time/clock.ts'
import type { Cell, CellParent } from './cell.ts'
import type { ActorRef, AnyDefinition, TableOf } from './define.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Envelope } from './envelope.ts'
import type { IdleList } from './idle-list.ts'
import type { Instance } from './instance.ts'
import type { Streams } from './streams.ts'

export interface SystemCounts {
  crashes: number
  restarts: number
  /** Branches stopped because a failure reached the root. */
  escalations: number
  deadLetters: number
  mailboxFull: number
  passivations: number
}

export interface SystemCore {
  readonly services: unknown
  readonly clock: Clock
  readonly random: Random
  readonly tracer: Tracer
  readonly log: Log
  readonly streams: Streams
  readonly dispatcher: Dispatcher
  /** Copies a message as a far placement would; undefined where actors share memory. */
  readonly isolate: ((message: unknown) => unknown) | undefined
  readonly counts: SystemCounts
  /** Instances in memory. */
  live: number
  /** Places for actors that were ever made. */
  made: number
  idleOf(definition: AnyDefinition): IdleList | undefined
  ref<Definition extends AnyDefinition>(
    definition: Definition,
    key: string,
    parent: Instance | undefined,
    sender: Instance | undefined,
  ): ActorRef<TableOf<Definition>>
  /** A new place for an actor under `parent`. */
  cell(definition: AnyDefinition, key: string, parent: CellParent): Cell
  deadLetter(path: string, envelope: Envelope): void
}
