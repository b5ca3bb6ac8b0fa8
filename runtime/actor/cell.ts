/** The place of one actor: its mailbox survives crashes and passivation, its instance does not. */
import { atMost } from '../time/at-most.ts'
import type { AnyDefinition, RestartPolicy } from './define.ts'
import type { Runnable } from './dispatcher.ts'
import type { Envelope } from './envelope.ts'
import { ActorCrashed, ActorStopped, MailboxFull, Refusal } from './errors.ts'
import type { IdleList, Idler } from './idle-list.ts'
import { Instance } from './instance.ts'
import { Mailbox } from './mailbox.ts'
import { RestartIntensity } from './restart-intensity.ts'
import type { ActorCell, CellParent, CellStatus, SystemCore } from './system-core.ts'

/** How long a stop waits for a handler whose signal has aborted. */
const abortGraceMs = 2_000

/** Made once: an error costs microseconds, and nobody waits for an actor that leaves at rest. */
const passivated = new ActorStopped('an actor that left memory')

export class Cell implements ActorCell, Runnable, Idler {
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

  get children(): Iterable<ActorCell> {
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

  worked(): void {
    if (this.#instance?.wantsToFinish) this.passivate()
    if (this.#isReady) this.schedule()
    else this.#rest()
  }

  /** Nothing to do for now: the idle time begins, and a stop that waits for this goes on. */
  #rest(): void {
    if (this.#idle && this.status === 'running') this.#idle.touch(this)
    if (this.#onRest && this.#isQuiet) this.#onRest()
  }

  get #isQuiet(): boolean {
    return this.depth === 0 && (this.#instance?.isAtRest ?? true)
  }

  // ---- life ----

  startAfter(previous: Promise<unknown>): void {
    this.status = 'restarting'
    void previous.then(() => {
      if (this.status !== 'restarting') return
      this.status = 'idle'
      if (this.#mailbox.size > 0) this.#start()
    })
  }

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

  /** Ends the instance; then a new one starts after the backoff, or the failure goes to the parent. */
  crashed(error: ActorCrashed): void {
    const { core, definition } = this
    const policy = definition.supervision
    const failures = policy === 'temporary' ? 1 : this.#failuresUnder(policy)
    core.counts.crashes++
    core.log.warn({ err: error, actor: this.path, failures }, 'actor crashed')
    const childrenGone = this.#instance?.dependents.stopChildren(0)
    this.#endInstance(error)
    if (this.status === 'stopping') {
      this.#onRest?.()
      return
    }
    if (policy === 'temporary' || failures > policy.restarts) {
      this.status = 'stopping'
      Promise.resolve(childrenGone).then(() => {
        this.#leave(error)
        this.#parent.childFailed(this, error)
      })
      return
    }
    this.status = 'restarting'
    core.clock.after(policy.backoff.delayMs(failures, core.random), async () => {
      await childrenGone
      if (this.status !== 'restarting') return
      this.restarts++
      core.counts.restarts++
      this.#start()
    })
  }

  #failuresUnder(policy: RestartPolicy): number {
    this.#intensity ??= new RestartIntensity(policy)
    return this.#intensity.count(this.core.clock.elapsed())
  }

  #endInstance(reason: unknown): void {
    if (!this.#instance) return
    this.core.live--
    this.#instance.end(reason)
    this.#instance = undefined
  }

  /** Forgets the cell. Callers that still wait get the error. */
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

  /** Leaves memory. Messages that arrive before it has left wait, and start the next instance. */
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
   * Ends the actor, its children first. Within `graceMs` running work may finish and waiting messages are handled.
   * Then the signals abort; what does not end even so is left behind.
   */
  stop(graceMs: number): Promise<void> {
    this.#stopping ??= this.#stop(this.definition.isAbortedByDrain ? 0 : graceMs)
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

  /** The children and then the actor itself finish their work, as long as time is left. */
  async #drainInstance(leftMs: () => number): Promise<void> {
    if (leftMs() > 0 && this.definition.drain) await this.#hook(this.definition.drain, leftMs())
    await this.#instance?.dependents.stopChildren(leftMs())
    if (leftMs() > 0) await this.#quiet(leftMs())
  }

  /** Runs a life-cycle hook, bounded in time. Its failure is logged: nobody else can handle it. */
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
