/** One life of an actor, from `start` to its crash, passivation or stop: its current message, work beside it, children. */
import { Failure } from '../failure.ts'
import type { Timer } from '../time/clock.ts'
import { type Places, places } from '../time/places.ts'
import { Beside } from './beside.ts'
import { Context, type Life } from './context.ts'
import type { AnyDefinition } from './define.ts'
import { Dependents } from './dependents.ts'
import { Envelope, type Handler, handlerOf, type Reply } from './envelope.ts'
import { ActorCrashed, ActorStopped, MailboxFull, Refusal } from './errors.ts'
import type { ActorCell, CellParent, Family } from './system-core.ts'
import { traced } from './traced.ts'

export class Instance implements CellParent, Family, Life {
  readonly cell: ActorCell
  readonly context: Context
  readonly dependents = new Dependents()
  current: Envelope | undefined
  wantsToFinish = false
  /** System messages: they overtake the mailbox. Bounded by the actor's own children, work and timers. */
  #urgent: Envelope[] | undefined
  #stopped: AbortController | undefined
  /** For work that is done one after the other. */
  #turns: Places | undefined
  #isOver = false

  constructor(cell: ActorCell) {
    this.cell = cell
    this.context = new Context(this)
  }

  get path(): string {
    return this.cell.path
  }

  get urgentCount(): number {
    return this.#urgent?.length ?? 0
  }

  /** No message is being handled and no work runs beside. */
  get isAtRest(): boolean {
    return !this.current && this.dependents.running === 0
  }

  get stoppedSignal(): AbortSignal {
    this.#stopped ??= new AbortController()
    return this.#stopped.signal
  }

  // ---- messages ----

  takeUrgent(): Envelope | undefined {
    return this.#urgent?.shift()
  }

  /** A message from the actor to itself or from a child's failure: never refused. */
  #enqueueUrgent(type: string, handler: Handler, message: unknown): void {
    if (this.#isOver) return
    this.#urgent ??= []
    this.#urgent.push(new Envelope(type, handler, message, undefined, undefined, undefined))
    this.cell.schedule()
  }

  handle(envelope: Envelope): void {
    this.current = envelope
    const { tracer } = this.cell.core
    let result: unknown
    try {
      result = tracer.isEnabled ? this.#callTraced(envelope) : this.#call(envelope)
    } catch (error) {
      this.#failed(envelope.reply, error)
      return
    }
    // Most handlers give nothing or a plain value: it costs no look at prototypes.
    if (typeof result !== 'object') {
      this.current = undefined
      envelope.reply?.resolve(result)
      return
    }
    if (!(result instanceof Promise)) {
      this.#answer(envelope, result)
      return
    }
    result.then(
      (value) => {
        if (this.#isOver) return envelope.reply?.resolve(value)
        this.#answer(envelope, value)
        this.cell.worked()
      },
      (error) => {
        if (this.#isOver) return envelope.reply?.reject(new ActorCrashed(this.path, error))
        this.#failed(envelope.reply, error)
        this.cell.worked()
      },
    )
  }

  #call(envelope: Envelope): unknown {
    return envelope.handler(this.context as never, envelope.message as never)
  }

  #callTraced(envelope: Envelope): unknown {
    const { core, definition } = this.cell
    const span = core.tracer.span(`${definition.kind}.${envelope.type}`, envelope.trace)
    return traced(core.tracer, span, () => this.#call(envelope))
  }

  /** The handler is done: its result is the answer, or work beside the mailbox that will give it. */
  #answer(envelope: Envelope, result: unknown): void {
    this.current = undefined
    if (!(result instanceof Beside)) envelope.reply?.resolve(result)
    else if (result.work instanceof Failure) this.#refuse(envelope, result.work)
    else this.#runBeside(envelope.reply, result.work, result.ended)
  }

  #refuse(envelope: Envelope, error: Failure): void {
    const { core } = this.cell
    if (error instanceof MailboxFull) core.counts.mailboxFull++
    if (envelope.reply) envelope.reply.reject(error)
    else core.deadLetter(this.path, envelope)
  }

  #runBeside(
    reply: Reply | undefined,
    work: (signal: AbortSignal) => Promise<unknown>,
    ended?: (() => void) | undefined,
  ): void {
    this.dependents.begin(reply)
    work(reply?.signal ?? this.stoppedSignal).then(
      (value) => {
        reply?.resolve(value)
        if (this.#isOver) return
        this.dependents.end(reply)
        ended?.()
        this.cell.worked()
      },
      (error) => {
        if (this.#isOver) return
        this.dependents.end(reply)
        this.#failed(reply, error)
        ended?.()
        this.cell.worked()
      },
    )
  }

  #failed(reply: Reply | undefined, error: unknown): void {
    this.current = undefined
    if (error instanceof Refusal && reply) {
      reply.reject(error)
      return
    }
    // The caller gave up, or the actor stops, and the work ended for that reason: as asked, not a crash.
    if (reply?.wasCancelledWith(error)) return
    const stopped = this.#stopped?.signal
    if (stopped?.aborted && error === stopped.reason) return
    const crash = new ActorCrashed(this.path, error)
    reply?.reject(crash)
    this.cell.crashed(crash)
  }

  // ---- children, work, timers ----

  child(definition: AnyDefinition, key: string): ActorCell {
    const known = this.dependents.findChild(definition, key)
    if (known) return known
    if (this.#isOver || this.cell.status === 'stopping') throw new ActorStopped(`${this.path}/${key}`)
    const child = this.cell.core.cell(definition, key, this)
    this.dependents.addChild(child)
    return child
  }

  async stopChild(definition: AnyDefinition, key: string): Promise<void> {
    await this.dependents.findChild(definition, key)?.stop(0)
  }

  release(child: ActorCell): void {
    this.dependents.removeChild(child)
  }

  childFailed(child: ActorCell, error: Error): void {
    const { definition } = this.cell
    const who = { kind: child.definition.kind, key: child.key }
    const handle: Handler = (context) => {
      if (!definition.childFailed) throw error
      return definition.childFailed(context, who, error)
    }
    this.#enqueueUrgent('childFailed', handle, undefined)
  }

  after(delayMs: number, type: string, message: unknown): Timer {
    const { core, definition } = this.cell
    const handler = handlerOf(definition, type)
    return this.dependents.addTimer(core.clock, delayMs, () => this.#enqueueUrgent(type, handler, message))
  }

  task(work: (signal: AbortSignal) => Promise<unknown>, done: string): void {
    const handler = handlerOf(this.cell.definition, done)
    this.#runBeside(undefined, async (signal) => {
      this.#enqueueUrgent(done, handler, await work(signal))
    })
  }

  inTurn<Result>(
    work: (signal: AbortSignal) => Promise<Result>,
    waitingMax: number,
    full: () => Failure = () => new MailboxFull(this.path, waitingMax),
  ): Beside<Result> {
    this.#turns ??= places({ placesMax: 1, waitingMax: Number.POSITIVE_INFINITY, refusal: full })
    const turns = this.#turns
    if (turns.used > 0 && turns.waiting >= waitingMax) return new Beside(full())
    let leave: (() => void) | undefined
    const begin = async (signal: AbortSignal) => {
      leave = await turns.take(signal)
      return await work(signal)
    }
    // Only then: where the work crashes the actor, the next in line must not begin.
    return new Beside(begin, () => leave?.())
  }

  // ---- the end ----

  /** Asks running work to end: its callers get the reason, its signals abort. */
  abort(reason: unknown): void {
    this.current?.reply?.cancel(reason)
    this.dependents.cancelReplies(reason)
    this.#stopped?.abort(reason)
  }

  /** Ends this life: work that still runs no longer reaches the actor. */
  end(reason: unknown): void {
    this.#isOver = true
    const { current } = this
    this.current = undefined
    this.#urgent = undefined
    current?.reply?.cancel(reason)
    this.dependents.cutOff(reason)
    this.#stopped?.abort(reason)
  }
}
