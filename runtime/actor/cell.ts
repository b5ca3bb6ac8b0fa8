/** The place of one actor: its mailbox outlives crashes and passivation, its instance does not. */
import { atMost } from '../time/at-most.ts'
import type { AnyDefinition } from './define.ts'
import type { Runnable } from './dispatcher.ts'
import type { Envelope } from './envelope.ts'
import { ActorCrashed, ActorStopped, MailboxFull, Refusal } from './errors.ts'
import type { IdleList, Idler } from './idle-list.ts'
import { Instance } from './instance.ts'
import { Mailbox } from './mailbox.ts'
import { RestartIntensity } from './restart-intensity.ts'
import type { SystemCore } from './system-core.ts'

/**
 * idle: no instance, the next message starts one. starting: `start` runs. running: takes messages.
 * restarting: crashed, waits for its backoff. leaving: passivating, the mailbox stays. stopping: ends for good. gone: forgotten.
 */
export type CellStatus = 'idle' | 'starting' | 'running' | 'restarting' | 'leaving' | 'stopping' | 'gone'

/** What holds a cell: the instance that started it as a child, or the supervisor of its kind under the root. */
export interface CellParent {
  readonly path: string
  release(cell: Cell): void
  childFailed(cell: Cell, error: Error): void
}

/** How long a handler may go on after its abort signal before a stop stops waiting for it. */
const abortGraceMs = 2_000

/** Made once: an error costs microseconds, and of an actor that leaves at rest nobody hears it. */
const passivated = new ActorStopped('an actor that left memory')

export class Cell implements Runnable, Idler {
  readonly core: SystemCore
  readonly definition: AnyDefinition
  readonly key: string
  readonly serial: number
  readonly bornMs: number
  readonly #parent: CellParent
  readonly #idle: IdleList | undefined
  readonly #mailbox: Mailbox<Envelope>
  status: CellStatus = 'idle'
  restarts = 0
  isDraining = false
  hasMore = false
  #instance: Instance | undefined
  #isScheduled = false
  #intensity: RestartIntensity | undefined
  #stopping: Promise<void> | undefined
  #onRest: (() => void) | undefined
  lastActiveMs = 0
  newer: Idler | undefined
  older: Idler | undefined
  isListed = false

  constructor(core: SystemCore, definition: AnyDefinition, key: string, parent: CellParent) {
    this.core = core
    this.definition = definition
    this.key = key
    this.serial = ++core.made
    this.bornMs = core.clock.elapsed()
    this.#parent = parent
    this.#idle = core.idleOf(definition)
    this.#mailbox = new Mailbox(definition.mailbox.capacity)
  }

  get path(): string {
    return `${this.#parent.path}/${this.key}`
  }

  get depth(): number {
    return this.#mailbox.size + (this.#instance?.urgentCount ?? 0)
  }

  get children(): Iterable<Cell> {
    return this.#instance?.dependents.children ?? []
  }

  get isBusy(): boolean {
    return (
      this.depth > 0 ||
      (this.#instance !== undefined && !(this.#instance.isAtRest && this.#instance.dependents.isEmpty))
    )
  }

  get #isReady(): boolean {
    const instance = this.#instance
    if (!instance || instance.current) return false
    if (this.#mailbox.size === 0 && instance.urgentCount === 0) return false
    return this.status === 'running' || this.status === 'stopping'
  }

  // ---- messages ----

  /** @throws MailboxFull, ActorStopped */
  enqueue(envelope: Envelope): void {
    if (this.status === 'gone' || this.status === 'stopping') throw new ActorStopped(this.path)
    if (!this.#mailbox.push(envelope)) {
      this.core.counts.mailboxFull++
      throw new MailboxFull(this.path, this.definition.mailbox.capacity)
    }
    if (this.status === 'running') this.schedule()
    else if (this.status === 'idle') this.#start()
  }

  schedule(): void {
    if (this.#isScheduled || this.#instance?.current) return
    this.#isScheduled = true
    this.core.dispatcher.schedule(this)
  }

  drain(budget: number): number {
    let handled = 0
    while (handled < budget && this.#isReady) {
      const instance = this.#instance as Instance
      const envelope = instance.takeUrgent() ?? this.#mailbox.shift()
      if (!envelope) break
      handled++
      if (envelope.reply?.isSettled) continue
      instance.handle(envelope)
      if (instance.wantsToFinish) this.passivate()
    }
    this.hasMore = this.#isReady
    this.#isScheduled = this.hasMore
    if (!this.hasMore) this.#rest()
    return handled
  }

  /** An asynchronous handler or a piece of work beside the mailbox has ended. */
  worked(): void {
    if (this.#instance?.wantsToFinish) this.passivate()
    if (this.#isReady) this.schedule()
    else this.#rest()
  }

  /** Nothing to do right now: the idle clock starts, and whoever waits for quiet hears it. */
  #rest(): void {
    if (this.#idle && this.status === 'running') this.#idle.touch(this)
    if (this.#onRest && this.#isQuiet) this.#onRest()
  }

  get #isQuiet(): boolean {
    return this.depth === 0 && (this.#instance?.isAtRest ?? true)
  }

  // ---- life ----

  #start(): void {
    this.status = 'starting'
    const instance = new Instance(this)
    this.core.live++
    this.#instance = instance
    let state: unknown
    try {
      state = this.definition.start(instance.context)
    } catch (error) {
      this.#startFailed(error)
      return
    }
    if (!(state instanceof Promise)) {
      this.#started(instance, state)
      return
    }
    state.then(
      (value) => this.#started(instance, value),
      (error) => {
        if (this.#instance === instance) this.#startFailed(error)
      },
    )
  }

  #started(instance: Instance, state: unknown): void {
    if (this.#instance !== instance) return
    instance.context.state = state
    if (this.status === 'starting') this.status = 'running'
    if (this.#isReady) this.schedule()
    else this.#rest()
  }

  #startFailed(error: unknown): void {
    if (!(error instanceof Refusal)) {
      this.crashed(new ActorCrashed(this.path, error))
      return
    }
    this.#endInstance(error)
    this.#leave(error)
  }

  /** Ends the instance and either starts a new one after its backoff or hands the failure to the parent. */
  crashed(error: ActorCrashed): void {
    const { core, definition } = this
    this.#intensity ??= new RestartIntensity(definition.supervision)
    const failures = this.#intensity.count(core.clock.elapsed())
    core.counts.crashes++
    core.log.warn({ err: error, actor: this.path, failures }, 'actor crashed')
    const childrenGone = this.#instance?.dependents.stopChildren(0)
    this.#endInstance(error)
    if (this.status === 'stopping') {
      this.#onRest?.()
      return
    }
    if (failures > definition.supervision.restarts) {
      this.status = 'stopping'
      Promise.resolve(childrenGone).then(() => {
        this.#leave(error)
        this.#parent.childFailed(this, error)
      })
      return
    }
    this.status = 'restarting'
    core.clock.after(definition.supervision.backoff.delayMs(failures, core.random), async () => {
      await childrenGone
      if (this.status !== 'restarting') return
      this.restarts++
      core.counts.restarts++
      this.#start()
    })
  }

  #endInstance(reason: unknown): void {
    if (!this.#instance) return
    this.core.live--
    this.#instance.end(reason)
    this.#instance = undefined
  }

  /** Forgets the cell and answers whoever still waits. */
  #leave(error: Error): void {
    this.status = 'gone'
    this.#idle?.remove(this)
    for (const envelope of this.#mailbox.drain()) {
      if (envelope.reply) envelope.reply.reject(error)
      else this.core.deadLetter(this.path, envelope)
    }
    this.#parent.release(this)
    this.#onRest?.()
  }

  /** Leaves memory. What arrives meanwhile waits and starts the next instance. */
  passivate(): void {
    const instance = this.#instance
    if (!instance?.isAtRest || this.status !== 'running') return
    this.status = 'leaving'
    if (!this.definition.stop && !instance.dependents.hasChildren) this.#left()
    else void this.#putAway(instance)
  }

  async #putAway(instance: Instance): Promise<void> {
    if (this.definition.stop) await this.#hook(this.definition.stop, abortGraceMs)
    await instance.dependents.stopChildren(0)
    if (this.status === 'leaving') this.#left()
  }

  #left(): void {
    this.#endInstance(passivated)
    this.core.counts.passivations++
    if (this.#mailbox.size > 0) this.#start()
    else this.#leave(passivated)
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
    const wasRunning = this.status === 'running'
    this.status = 'stopping'
    this.isDraining = graceMs > 0
    if (wasRunning) await this.#drainInstance(leftMs)
    const reason = new ActorStopped(this.path)
    this.#instance?.abort(reason)
    if (wasRunning && !this.#instance?.isAtRest) await this.#quiet(abortGraceMs)
    if (wasRunning && this.definition.stop) await this.#hook(this.definition.stop, abortGraceMs)
    this.#endInstance(reason)
    if (this.status === 'stopping') this.#leave(reason)
  }

  /** Lets the children and then the actor itself finish what they have, as long as time is left. */
  async #drainInstance(leftMs: () => number): Promise<void> {
    if (leftMs() > 0 && this.definition.drain) await this.#hook(this.definition.drain, leftMs())
    await this.#instance?.dependents.stopChildren(leftMs())
    if (leftMs() > 0) await this.#quiet(leftMs())
  }

  /** Runs a life-cycle hook, bounded in time; its failure is logged, since nobody is left to handle it. */
  async #hook(hook: (context: never) => void | Promise<void>, limitMs: number): Promise<void> {
    const context = this.#instance?.context
    if (!context) return
    try {
      await atMost(limitMs, Promise.resolve(hook(context as never)), { clock: this.core.clock })
    } catch (error) {
      this.core.log.warn({ err: error, actor: this.path }, 'actor failed while it was stopped')
    }
  }

  /** Resolves when nothing runs and nothing waits, or after `limitMs`. */
  #quiet(limitMs: number): Promise<void> {
    if (this.#isQuiet) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        timer.cancel()
        this.#onRest = undefined
        resolve()
      }
      const timer = this.core.clock.after(limitMs, done)
      this.#onRest = done
      this.schedule()
    })
  }
}
