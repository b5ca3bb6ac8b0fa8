/** One actor instance in its place: mailbox, message loop, crash and restart, children, passivation, stop. */
import type { Timer } from '../clock.ts'
import { Beside } from './beside.ts'
import { Context } from './context.ts'
import type { AnyDefinition } from './define.ts'
import { Dependents } from './dependents.ts'
import type { Runnable } from './dispatcher.ts'
import { Envelope, type Handler, handlerOf, type Reply } from './envelope.ts'
import { ActorCrashed, ActorStopped, MailboxFull, Refusal } from './errors.ts'
import type { IdleList, Idler } from './idle-list.ts'
import { Mailbox } from './mailbox.ts'
import type { SystemCore } from './system-core.ts'
import { traced } from './traced.ts'

/**
 * idle: no instance, the next message starts one. starting: `start` runs. running: takes messages.
 * restarting: crashed, waits for its backoff. leaving: passivating, the mailbox stays. stopping: ends for good. gone: forgotten.
 */
export type CellStatus = 'idle' | 'starting' | 'running' | 'restarting' | 'leaving' | 'stopping' | 'gone'

/** What holds a cell: another cell, or the supervisor of a kind under the root. */
export interface CellParent {
  readonly path: string
  release(cell: Cell): void
  childFailed(cell: Cell, error: Error): void
}

/** How long a handler may go on after its abort signal before a stop stops waiting for it. */
const abortGraceMs = 2_000

export class Cell implements Runnable, Idler, CellParent {
  readonly definition: AnyDefinition
  readonly key: string
  readonly parent: CellParent
  readonly core: SystemCore
  readonly #idle: IdleList | undefined
  readonly #mailbox: Mailbox<Envelope>
  /** System messages: they overtake the mailbox. Bounded by the actor's own children, tasks and timers. */
  #urgent: Envelope[] = []
  status: CellStatus = 'idle'
  restarts = 0
  isDraining = false
  #context: Context | undefined
  #current: Envelope | undefined
  #isScheduled = false
  hasMore = false
  readonly #dependents = new Dependents()
  #failuresAtMs: number[] | undefined
  #stopped: AbortController | undefined
  #stopping: Promise<void> | undefined
  #onRest: (() => void) | undefined
  #wantsToFinish = false
  lastActiveMs = 0
  newer: Idler | undefined
  older: Idler | undefined
  isListed = false

  constructor(
    core: SystemCore,
    definition: AnyDefinition,
    key: string,
    parent: CellParent,
    idle: IdleList | undefined,
  ) {
    this.core = core
    this.definition = definition
    this.key = key
    this.parent = parent
    this.#idle = idle
    this.#mailbox = new Mailbox(definition.mailbox.capacity)
  }

  get path(): string {
    return `${this.parent.path}/${this.key}`
  }

  get depth(): number {
    return this.#mailbox.size + this.#urgent.length
  }

  get children(): Iterable<Cell> {
    return this.#dependents.children
  }

  get #isReady(): boolean {
    if (this.#current || (this.#mailbox.size === 0 && this.#urgent.length === 0)) return false
    return this.status === 'running' || (this.status === 'stopping' && this.#context !== undefined)
  }

  get isBusy(): boolean {
    return this.#current !== undefined || this.depth > 0 || !this.#dependents.isEmpty
  }

  /** Nothing runs and nothing waits; children aside. */
  get #isQuiet(): boolean {
    return !this.#current && this.#dependents.running === 0 && this.depth === 0
  }

  get currentReply(): Reply | undefined {
    return this.#current?.reply
  }

  get currentTrace() {
    return this.#current?.trace
  }

  get stoppedSignal(): AbortSignal {
    this.#stopped ??= new AbortController()
    return this.#stopped.signal
  }

  // ---- messages ----

  /** @throws MailboxFull, ActorStopped */
  enqueue(envelope: Envelope): void {
    if (this.status === 'gone' || this.status === 'stopping') throw new ActorStopped(this.path)
    if (!this.#mailbox.push(envelope)) {
      this.core.counts.mailboxFull++
      throw new MailboxFull(this.path, this.definition.mailbox.capacity)
    }
    if (this.status === 'running') this.#schedule()
    else if (this.status === 'idle') this.#start()
  }

  /** A message from the actor to itself or from its supervision: overtakes, and is never refused. */
  #enqueueUrgent(type: string, handler: Handler, message: unknown): void {
    this.#urgent.push(new Envelope(type, handler, message, undefined, undefined, undefined))
    if (this.#context) this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled || this.#current) return
    this.#isScheduled = true
    this.core.dispatcher.schedule(this)
  }

  drain(budget: number): number {
    let handled = 0
    while (handled < budget && this.#isReady) {
      const envelope = this.#urgent.length > 0 ? this.#urgent.shift() : this.#mailbox.shift()
      if (!envelope) break
      handled++
      if (envelope.reply?.isSettled) continue
      this.#deliver(envelope)
      if (this.#wantsToFinish && this.status === 'running' && !this.#current) this.passivate()
    }
    this.hasMore = this.#isReady
    this.#isScheduled = this.hasMore
    if (!this.hasMore) this.#rest()
    return handled
  }

  /** Nothing to do right now: the idle clock starts, and whoever waits for quiet hears it. */
  #rest(): void {
    if (this.#idle && this.status === 'running') this.#idle.touch(this)
    if (this.#onRest && this.#isQuiet) this.#onRest()
  }

  #deliver(envelope: Envelope): void {
    this.#current = envelope
    let result: unknown
    try {
      result = this.core.tracer.isEnabled ? this.#handleTraced(envelope) : this.#handle(envelope)
    } catch (error) {
      this.#failed(envelope.reply, error)
      return
    }
    if (result instanceof Promise) {
      const context = this.#context
      result.then(
        (value) => this.#finishAsync(context, envelope, value),
        (error) => this.#failAsync(context, envelope, error),
      )
      return
    }
    this.#answer(envelope.reply, result)
  }

  #handle(envelope: Envelope): unknown {
    return envelope.handler(this.#context as never, envelope.message as never)
  }

  #handleTraced(envelope: Envelope): unknown {
    const span = this.core.tracer.span(`${this.definition.kind}.${envelope.type}`, envelope.trace)
    return traced(this.core.tracer, span, () => this.#handle(envelope))
  }

  /** The handler is done: its result is the answer, or says that work beside the mailbox will give it. */
  #answer(reply: Reply | undefined, result: unknown): void {
    this.#current = undefined
    if (result instanceof Beside) this.#runBeside(reply, result.work)
    else reply?.resolve(result)
  }

  #runBeside(reply: Reply | undefined, work: (signal: AbortSignal) => Promise<unknown>): void {
    const context = this.#context
    this.#dependents.begin(reply)
    work(reply?.signal ?? this.stoppedSignal).then(
      (value) => {
        reply?.resolve(value)
        if (this.#context !== context) return
        this.#dependents.end(reply)
        this.#afterAsync()
      },
      (error) => {
        if (this.#context !== context) return
        this.#dependents.end(reply)
        this.#failed(reply, error)
        this.#afterAsync()
      },
    )
  }

  #finishAsync(context: Context | undefined, envelope: Envelope, value: unknown): void {
    if (this.#context !== context) {
      envelope.reply?.resolve(value)
      return
    }
    this.#answer(envelope.reply, value)
    this.#afterAsync()
  }

  #failAsync(context: Context | undefined, envelope: Envelope, error: unknown): void {
    if (this.#context !== context) {
      envelope.reply?.reject(new ActorCrashed(this.path, error))
      return
    }
    this.#failed(envelope.reply, error)
    this.#afterAsync()
  }

  #afterAsync(): void {
    if (this.#wantsToFinish && this.status === 'running' && !this.#current) this.passivate()
    if (this.depth > 0) this.#schedule()
    else this.#rest()
  }

  #failed(reply: Reply | undefined, error: unknown): void {
    this.#current = undefined
    if (error instanceof Refusal && reply) {
      reply.reject(error)
      return
    }
    // The caller gave up and the work ended for that reason: cancelled as asked, not a crash.
    if (reply?.wasCancelledWith(error)) return
    const crash = new ActorCrashed(this.path, error)
    reply?.reject(crash)
    this.#crash(crash)
  }

  // ---- life ----

  #start(): void {
    this.status = 'starting'
    const context = new Context(this)
    this.core.live++
    this.#context = context
    let state: unknown
    try {
      state = this.definition.start(context)
    } catch (error) {
      this.#startFailed(error)
      return
    }
    if (state instanceof Promise) {
      state.then(
        (value) => this.#started(context, value),
        (error) => {
          if (this.#context === context) this.#startFailed(error)
        },
      )
      return
    }
    this.#started(context, state)
  }

  #started(context: Context, state: unknown): void {
    if (this.#context !== context) return
    context.state = state
    if (this.status === 'starting') this.status = 'running'
    if (this.depth > 0) this.#schedule()
    else this.#rest()
  }

  #startFailed(error: unknown): void {
    if (error instanceof Refusal) {
      this.#endInstance(error)
      this.#giveUp(error)
      return
    }
    this.#crash(new ActorCrashed(this.path, error))
  }

  /** Ends the instance and either starts it again after its backoff or hands the failure to the parent. */
  #crash(error: ActorCrashed): void {
    const { supervision } = this.definition
    const nowMs = this.core.clock.elapsed()
    const failures = (this.#failuresAtMs ?? []).filter((atMs) => atMs > nowMs - supervision.within)
    failures.push(nowMs)
    this.#failuresAtMs = failures
    this.core.counts.crashes++
    this.core.log.warn({ err: error, actor: this.path, failures: failures.length }, 'actor crashed')
    const wasStopping = this.status === 'stopping'
    this.#endInstance(error)
    if (wasStopping) {
      this.#onRest?.()
      return
    }
    const childrenGone = this.#dependents.stopChildren(0)
    if (failures.length > supervision.restarts) {
      this.status = 'stopping'
      childrenGone.then(() => {
        this.#giveUp(error)
        this.parent.childFailed(this, error)
      })
      return
    }
    this.status = 'restarting'
    const delayMs = supervision.backoff.delayMs(failures.length, this.core.random)
    this.core.clock.after(delayMs, () => {
      childrenGone.then(() => {
        if (this.status !== 'restarting') return
        this.restarts++
        this.core.counts.restarts++
        this.#start()
      })
    })
  }

  /** Cuts this instance off: its signals abort, its timers and tasks no longer reach the mailbox. */
  #endInstance(reason: unknown): void {
    if (this.#context) this.core.live--
    this.#context = undefined
    const current = this.#current
    this.#current = undefined
    this.#wantsToFinish = false
    this.#urgent = []
    this.#dependents.cutOff(reason)
    current?.reply?.cancel(reason)
    this.#stopped?.abort(reason)
    this.#stopped = undefined
  }

  /** Forgets the cell and answers whoever still waits. */
  #giveUp(error: Error): void {
    this.status = 'gone'
    this.#idle?.remove(this)
    for (const envelope of this.#mailbox.drain()) this.#refuse(envelope, error)
    this.parent.release(this)
    this.#onRest?.()
  }

  #refuse(envelope: Envelope, error: Error): void {
    if (envelope.reply) envelope.reply.reject(error)
    else this.core.deadLetter(this.path, envelope)
  }

  /** Leaves memory. What arrives meanwhile waits and starts the next instance. */
  passivate(): void {
    if (this.status !== 'running' || this.#current || this.#dependents.running > 0) return
    this.status = 'leaving'
    this.#wantsToFinish = false
    const context = this.#context as Context
    let stopped: unknown
    try {
      stopped = this.definition.stop?.(context)
    } catch (error) {
      this.core.log.warn({ err: error, actor: this.path }, 'actor failed while it was put away')
    }
    if (!(stopped instanceof Promise) && !this.#dependents.hasChildren) {
      this.#left()
      return
    }
    Promise.allSettled([stopped, this.#dependents.stopChildren(0)]).then(([own]) => {
      if (own.status === 'rejected') {
        this.core.log.warn({ err: own.reason, actor: this.path }, 'actor failed while it was put away')
      }
      if (this.status === 'leaving') this.#left()
    })
  }

  #left(): void {
    this.#endInstance(new ActorStopped(this.path))
    this.core.counts.passivations++
    if (this.#mailbox.size > 0) this.#start()
    else this.#giveUp(new ActorStopped(this.path))
  }

  /**
   * Ends for good, children first. Within `graceMs` what runs may finish and what is queued is handled;
   * then the signals abort, and what still does not end is left behind.
   */
  stop(graceMs: number): Promise<void> {
    this.#stopping ??= this.#stop(graceMs)
    return this.#stopping
  }

  async #stop(graceMs: number): Promise<void> {
    if (this.status === 'gone') return
    const { clock } = this.core
    const deadlineMs = clock.elapsed() + graceMs
    const leftMs = () => Math.max(0, deadlineMs - clock.elapsed())
    const wasStarted = this.#context !== undefined && this.status !== 'starting'
    this.status = 'stopping'
    this.isDraining = graceMs > 0
    if (wasStarted && graceMs > 0 && this.definition.drain) await this.#hook(this.definition.drain, leftMs())
    await this.#dependents.stopChildren(leftMs())
    if (wasStarted && graceMs > 0) await this.#quiet(leftMs())
    if (this.status !== 'stopping') return
    const reason = new ActorStopped(this.path)
    this.#current?.reply?.cancel(reason)
    this.#dependents.cancelReplies(reason)
    this.#stopped?.abort(reason)
    if (wasStarted && (this.#current || this.#dependents.running > 0)) await this.#quiet(abortGraceMs)
    if (wasStarted && this.#context && this.definition.stop) await this.#hook(this.definition.stop, abortGraceMs)
    this.#endInstance(reason)
    if (this.status === 'stopping') this.#giveUp(reason)
  }

  /** Runs a life-cycle hook, bounded in time; its failure is logged, since nobody is left to handle it. */
  async #hook(hook: (context: Context) => void | Promise<void>, limitMs: number): Promise<void> {
    const context = this.#context
    if (!context) return
    try {
      await this.core.within(limitMs, Promise.resolve(hook(context)))
    } catch (error) {
      this.core.log.warn({ err: error, actor: this.path }, 'actor failed while it was stopped')
    }
  }

  /** Resolves when nothing runs and nothing waits, or after `limitMs`. */
  #quiet(limitMs: number): Promise<void> {
    if (this.#isQuiet) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = this.core.clock.after(limitMs, done)
      const onRest = this
      function done() {
        timer.cancel()
        onRest.#onRest = undefined
        resolve()
      }
      this.#onRest = done
      this.#schedule()
    })
  }

  // ---- children, tasks, timers ----

  child(definition: AnyDefinition, key: string): Cell {
    const known = this.#dependents.findChild(definition, key)
    if (known) return known
    if (!this.#context || this.status === 'stopping') throw new ActorStopped(`${this.path}/${key}`)
    const child = new Cell(this.core, definition, key, this, this.core.idleOf(definition))
    this.#dependents.addChild(child)
    return child
  }

  async stopChild(definition: AnyDefinition, key: string): Promise<void> {
    await this.#dependents.findChild(definition, key)?.stop(0)
  }

  release(cell: Cell): void {
    this.#dependents.removeChild(cell)
  }

  childFailed(cell: Cell, error: Error): void {
    if (!this.#context) return
    const child = { kind: cell.definition.kind, key: cell.key }
    const handle: Handler = (context) => {
      if (!this.definition.childFailed) throw error
      return this.definition.childFailed(context, child, error)
    }
    this.#enqueueUrgent('childFailed', handle, undefined)
  }

  after(delayMs: number, type: string, message: unknown): Timer {
    const handler = handlerOf(this.definition, type)
    return this.#dependents.addTimer(this.core.clock, delayMs, () => this.#enqueueUrgent(type, handler, message))
  }

  task(work: (signal: AbortSignal) => Promise<unknown>, done: string): void {
    const handler = handlerOf(this.definition, done)
    const context = this.#context
    this.#runBeside(undefined, async (signal) => {
      const value = await work(signal)
      if (this.#context === context) this.#enqueueUrgent(done, handler, value)
    })
  }

  finish(): void {
    this.#wantsToFinish = true
  }
}
