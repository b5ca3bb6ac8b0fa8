/** What a handler sees of its own actor: one object an instance, made at `start`. */

import type { Failure } from '../failure.ts'
import type { Random } from '../random.ts'
import type { TraceContext, Tracer } from '../telemetry/trace.ts'
import type { Clock, Timer } from '../time/clock.ts'
import { Beside } from './beside.ts'
import type { ActorContext, ActorRef, AnyDefinition, KeyOf, TableOf } from './define.ts'
import type { Envelope } from './envelope.ts'
import type { Streams } from './streams.ts'
import type { ActorCell, Family, SystemCore } from './system-core.ts'

/** What a context needs of its instance. */
export interface Life
  extends Family,
    Pick<ActorContext<string, unknown, unknown>, 'after' | 'task' | 'inTurn' | 'stopChild'> {
  readonly cell: ActorCell
  readonly current: Envelope | undefined
  readonly stoppedSignal: AbortSignal
  /** Set by `finish()`: leave memory as soon as nothing runs. */
  wantsToFinish: boolean
}

export class Context implements ActorContext<string, unknown, unknown> {
  state: unknown
  readonly #instance: Life

  constructor(instance: Life) {
    this.#instance = instance
  }

  get #core(): SystemCore {
    return this.#instance.cell.core
  }
  get key(): string {
    return this.#instance.cell.key
  }
  get path(): string {
    return this.#instance.cell.path
  }
  get services(): unknown {
    return this.#core.services
  }
  get clock(): Clock {
    return this.#core.clock
  }
  get random(): Random {
    return this.#core.random
  }
  get tracer(): Tracer {
    return this.#core.tracer
  }
  get streams(): Streams {
    return this.#core.streams
  }
  get stopped(): AbortSignal {
    return this.#instance.stoppedSignal
  }
  get signal(): AbortSignal {
    return this.#instance.current?.reply?.signal ?? this.#instance.stoppedSignal
  }
  get trace(): TraceContext | undefined {
    return this.#core.tracer.current() ?? this.#instance.current?.trace
  }
  get isDraining(): boolean {
    return this.#instance.cell.isDraining
  }

  actor<Definition extends AnyDefinition>(
    definition: Definition,
    key: KeyOf<Definition>,
  ): ActorRef<TableOf<Definition>> {
    return this.#core.ref(definition, key, { sender: this.path })
  }
  child<Definition extends AnyDefinition>(
    definition: Definition,
    key: KeyOf<Definition>,
  ): ActorRef<TableOf<Definition>> {
    return this.#core.ref(definition, key, { family: this.#instance, sender: this.path })
  }
  async stopChild(definition: AnyDefinition, key: string): Promise<void> {
    await this.#instance.stopChild(definition, key)
  }
  after(delayMs: number, type: string, message: unknown): Timer {
    return this.#instance.after(delayMs, type, message)
  }
  task<Result>(work: (signal: AbortSignal) => Promise<Result>, done: string): void {
    this.#instance.task(work, done)
  }
  beside<Result>(work: (signal: AbortSignal) => Promise<Result>): Beside<Result> {
    return new Beside(work)
  }
  inTurn<Result>(
    work: (signal: AbortSignal) => Promise<Result>,
    waitingMax: number,
    full?: () => Failure,
  ): Beside<Result> {
    return this.#instance.inTurn(work, waitingMax, full)
  }
  finish(): void {
    this.#instance.wantsToFinish = true
  }
}
