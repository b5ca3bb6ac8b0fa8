/** What the parts of one system share (time, log, scheduling, counters), and what they see of a cell. */

import type { Log } from '../log/log.ts'
import type { Random } from '../random.ts'
import type { Tracer } from '../telemetry/trace.ts'
import type { Clock } from '../time/clock.ts'
import type { ActorRef, AnyDefinition, TableOf } from './define.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Envelope } from './envelope.ts'
import type { ActorCrashed } from './errors.ts'
import type { IdleList } from './idle-list.ts'
import type { Streams } from './streams.ts'
import type { Transfer } from './transfer.ts'

/**
 * idle: no instance, the next message starts one. starting: `start` runs. running: takes messages.
 * restarting: crashed, waits for its backoff, or for the end of the one before it. leaving: passivating, the mailbox stays. stopping: will not start again. gone: removed.
 */
export type CellStatus = 'idle' | 'starting' | 'running' | 'restarting' | 'leaving' | 'stopping' | 'gone'

/** Where messages for an actor go: its place on this node, or the way to another. */
export interface Destination {
  readonly path: string
  readonly status: CellStatus
  /** @throws MailboxFull, ActorStopped */
  enqueue(envelope: Envelope): void
}

/** The place of one actor, as the other parts see it. */
export interface ActorCell extends Destination {
  readonly core: SystemCore
  readonly definition: AnyDefinition
  readonly key: string
  /** Counts up with each cell of the system. */
  readonly serial: number
  readonly bornMs: number
  readonly restarts: number
  readonly isDraining: boolean
  /** Messages that wait. */
  readonly depth: number
  readonly children: Iterable<ActorCell>
  schedule(): void
  /** An asynchronous handler or a piece of work beside the mailbox has ended. */
  worked(): void
  crashed(error: ActorCrashed): void
  /** What comes for it waits until the actor that had its key before has ended. Once, before anything else. */
  startAfter(previous: Promise<unknown>): void
  stop(graceMs: number): Promise<void>
}

/** The parent of a cell: the instance that started it as a child, or the supervisor of its kind under the root. */
export interface CellParent {
  readonly path: string
  release(cell: ActorCell): void
  childFailed(cell: ActorCell, error: Error): void
}

/** Where children of one parent are found, or started. */
export interface Family {
  /** @throws ActorStopped */
  child(definition: AnyDefinition, key: string): ActorCell
}

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
  /** Undefined where actors share memory. */
  readonly transfer: Transfer | undefined
  readonly counts: SystemCounts
  /** Instances in memory. */
  live: number
  /** Cells that were ever made. */
  made: number
  idleOf(definition: AnyDefinition): IdleList | undefined
  /**
   * @param family the children among which the actor is; undefined: it is one of the kind's own supervisor
   * @param isOfOther another node asks, and sends on by itself what comes back
   */
  ref<Definition extends AnyDefinition>(
    definition: Definition,
    key: string,
    from: { family?: Family; sender?: string; isOfOther?: boolean },
  ): ActorRef<TableOf<Definition>>
  /** A new place for an actor under `parent`. */
  cell(definition: AnyDefinition, key: string, parent: CellParent): ActorCell
  deadLetter(path: string, envelope: Envelope): void
}
