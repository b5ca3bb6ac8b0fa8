/** What an actor is: a plain typed definition. No classes to extend, no decorators. */

import type { Failure } from '../failure.ts'
import type { Random } from '../random.ts'
import type { TraceContext, Tracer } from '../telemetry/trace.ts'
import type { Backoff } from '../time/backoff.ts'
import type { Clock, Timer } from '../time/clock.ts'
import type { Beside } from './beside.ts'
import type { Streams } from './streams.ts'

export interface RestartPolicy {
  /** Restarts allowed within `withinMs`; after one more crash the failure goes to the parent. */
  restarts: number
  withinMs: number
  backoff: Backoff
}

/** Handlers by message type. Messages are plain data: structured-cloneable, no functions, sockets or class instances. */
// biome-ignore lint/suspicious/noExplicitAny: handler tables are checked where they are written; this is only their upper bound
export type Handlers<Context> = Record<string, (context: Context, message: any) => unknown>

export interface ActorDefinition<
  Key extends string,
  State,
  Services,
  Table extends Handlers<ActorContext<Key, State, Services>>,
> {
  /** Names the kind in paths, logs and the supervision tree. */
  readonly kind: string
  /** The supervisor under the root that holds this kind; children started by another actor hang under that one instead. */
  readonly under?: string
  /** Checks each key for which a ref is asked; the key's type comes from here. */
  readonly key: { parse(value: unknown): Key }
  /**
   * slot: it lives on the node whose slot its key is in, and leaves this one with the slot. pinned: where `system.pin` was called
   * for it, as its socket is there, and nowhere else. Absent: wherever it is asked.
   */
  readonly placement?: 'slot' | 'pinned'
  readonly mailbox: { readonly capacity: number }
  /** Milliseconds without a message, task or child after which the actor leaves memory; absent: never. */
  readonly idle?: number
  /** temporary: never started again, a crash goes to the parent. */
  readonly supervision: RestartPolicy | 'temporary'
  /** The drain does not wait for what runs: it is aborted at once. */
  readonly isAbortedByDrain?: boolean
  /** Makes the state: at the first message, after a crash, after passivation. */
  start(context: StartContext<Key, Services>): State | Promise<State>
  readonly receive: Table
  /** Called at the end of an instance, on stop and passivation; not after a crash. */
  stop?(context: ActorContext<Key, State, Services>): void | Promise<void>
  /** The system drains: refuse what waits, start nothing new. Running work may finish within the grace period. */
  drain?(context: ActorContext<Key, State, Services>): void | Promise<void>
  /** A child crashed more often than its supervision allows. Absent: this actor crashes with the child's error. */
  childFailed?(
    context: ActorContext<Key, State, Services>,
    child: { kind: string; key: string },
    error: Error,
  ): void | Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: the upper bound of every definition
export type AnyDefinition = ActorDefinition<any, any, any, any>

export type KeyOf<Definition> =
  Definition extends ActorDefinition<infer Key, infer _S, infer _V, infer _T> ? Key : never
export type TableOf<Definition> =
  Definition extends ActorDefinition<infer _K, infer _S, infer _V, infer Table> ? Table : never
export type MessageOf<Table, Type extends keyof Table> = Table[Type] extends (
  context: never,
  message: infer Message,
) => unknown
  ? Message
  : never
export type AnswerOf<Table, Type extends keyof Table> = Table[Type] extends (
  context: never,
  message: never,
) => infer Answer
  ? Awaited<Answer> extends Beside<infer Result>
    ? Result
    : Awaited<Answer>
  : never

export interface AskOptions {
  /** Milliseconds until the ask rejects with `AskTimeout`; default 30,000. */
  deadlineMs?: number
  /** Aborted: the ask rejects with the signal's reason; a queued message is dropped, a running one sees `context.signal` abort. */
  signal?: AbortSignal | undefined
  /** Ids of streams that the caller reads and the actor writes: they come along where it lives on another node. */
  streams?: readonly string[]
}

/** A handle on an actor, wherever it lives. */
export interface ActorRef<Table> {
  readonly path: string
  readonly key: string
  /** Puts the message into the mailbox. @throws MailboxFull, ActorStopped */
  tell<Type extends keyof Table & string>(type: Type, message: MessageOf<Table, Type>): void
  /** As `tell`, and resolves with the handler's result. @throws MailboxFull, ActorCrashed, ActorStopped, AskTimeout, or the handler's Refusal */
  ask<Type extends keyof Table & string>(
    type: Type,
    message: MessageOf<Table, Type>,
    options?: AskOptions,
  ): Promise<AnswerOf<Table, Type>>
}

export interface StartContext<Key, Services> {
  readonly key: Key
  readonly path: string
  readonly services: Services
  readonly clock: Clock
  readonly random: Random
  readonly tracer: Tracer
  readonly streams: Streams
  /** Aborts when this instance stops or crashes. */
  readonly stopped: AbortSignal
}

export interface ActorContext<Key, State, Services> extends StartContext<Key, Services> {
  state: State
  /** Aborts when the caller of the current message is gone or its deadline has passed, and when the actor stops. Read it before the first await. */
  readonly signal: AbortSignal
  /** The trace of the current message. */
  readonly trace: TraceContext | undefined
  readonly isDraining: boolean
  /** A ref to an actor under the supervisor of its kind. */
  actor<Definition extends AnyDefinition>(definition: Definition, key: KeyOf<Definition>): ActorRef<TableOf<Definition>>
  /** A ref to this actor's child; started at its first message, stopped with this actor. */
  child<Definition extends AnyDefinition>(definition: Definition, key: KeyOf<Definition>): ActorRef<TableOf<Definition>>
  /** Stops a child: its signals abort at once, then its own children and itself end. */
  stopChild(definition: AnyDefinition, key: string): Promise<void>
  /** Sends a message to this actor itself after `delayMs`; cancelled when this instance ends. */
  after(delayMs: number, type: string, message: unknown): Timer
  /**
   * Long work beside the mailbox, so that the actor stays free for its next message. The result comes back as
   * message `done`; a throw crashes the actor like a throw in a handler. `signal` aborts when this instance ends.
   */
  task<Result>(work: (signal: AbortSignal) => Promise<Result>, done: string): void
  /**
   * What a handler returns to answer later: `work` runs beside the mailbox, its result answers the ask. A throw is
   * treated as one in the handler. `signal` aborts when the caller gives up and when this instance ends.
   */
  beside<Result>(work: (signal: AbortSignal) => Promise<Result>): Beside<Result>
  /**
   * As `beside`, but one after the other, in the order of the calls. A caller who gives up while its work waits leaves the
   * line. Where `waitingMax` wait already, the caller gets MailboxFull or the error of `full`, and a message without a caller
   * is a dead letter.
   */
  inTurn<Result>(
    work: (signal: AbortSignal) => Promise<Result>,
    waitingMax: number,
    full?: () => Failure,
  ): Beside<Result>
  /** Leaves memory once the current message and all work beside it are done, whatever `idle` says. */
  finish(): void
}

/** Makes the `defineActor` of an application: its actors reach `Services` as `context.services`. */
export function actorDefiner<Services>() {
  return function defineActor<Key extends string, State, Table extends Handlers<ActorContext<Key, State, Services>>>(
    definition: ActorDefinition<Key, State, Services, Table>,
  ): ActorDefinition<Key, State, Services, Table> {
    return definition
  }
}
