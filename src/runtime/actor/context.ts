/** What a handler sees of its own actor: one object an instance, made at `start`. */
import type { Clock, Timer } from '../clock.ts'
import type { Random } from '../random.ts'
import type { TraceContext, Tracer } from '../telemetry/trace.ts'
import { Beside } from './beside.ts'
import type { Cell } from './cell.ts'
import type { ActorContext, ActorRef, AnyDefinition, KeyOf, TableOf } from './define.ts'
import type { Streams } from './streams.ts'

export class Context implements ActorContext<string, unknown, unknown> {
  state: unknown
  readonly #cell: Cell

  constructor(cell: Cell) {
    this.#cell = cell
  }

  get key(): string {
    return this.#cell.key
  }
  get path(): string {
    return this.#cell.path
  }
  get services(): unknown {
    return this.#cell.core.services
  }
  get clock(): Clock {
    return this.#cell.core.clock
  }
  get random(): Random {
    return this.#cell.core.random
  }
  get tracer(): Tracer {
    return this.#cell.core.tracer
  }
  get streams(): Streams {
    return this.#cell.core.streams
  }
  get stopped(): AbortSignal {
    return this.#cell.stoppedSignal
  }
  get signal(): AbortSignal {
    return this.#cell.currentReply?.signal ?? this.#cell.stoppedSignal
  }
  get trace(): TraceContext | undefined {
    return this.#cell.core.tracer.current() ?? this.#cell.currentTrace
  }
  get isDraining(): boolean {
    return this.#cell.isDraining
  }

  actor<Definition extends AnyDefinition>(
    definition: Definition,
    key: KeyOf<Definition>,
  ): ActorRef<TableOf<Definition>> {
    return this.#cell.core.ref(definition, key, undefined, this.#cell)
  }
  child<Definition extends AnyDefinition>(
    definition: Definition,
    key: KeyOf<Definition>,
  ): ActorRef<TableOf<Definition>> {
    return this.#cell.core.ref(definition, key, this.#cell, this.#cell)
  }
  async stopChild(definition: AnyDefinition, key: string): Promise<void> {
    await this.#cell.stopChild(definition, key)
  }
  after(delayMs: number, type: string, message: unknown): Timer {
    return this.#cell.after(delayMs, type, message)
  }
  task<Result>(work: (signal: AbortSignal) => Promise<Result>, done: string): void {
    this.#cell.task(work, done)
  }
  beside<Result>(work: (signal: AbortSignal) => Promise<Result>): Beside<Result> {
    return new Beside(work)
  }
  finish(): void {
    this.#cell.finish()
  }
}
