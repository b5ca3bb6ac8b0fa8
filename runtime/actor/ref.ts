/** A sender's handle on an actor: finds the living cell, or the place where one starts. */
import type { Deadlines } from './deadlines.ts'
import type { ActorRef, AnyDefinition, AskOptions, Handlers } from './define.ts'
import { Envelope, handlerOf, Reply } from './envelope.ts'
import { ActorStopped } from './errors.ts'
import type { Destination, SystemCore } from './system-core.ts'
import type { Transfer } from './transfer.ts'

const askDeadlineMs = 30_000

export class Ref implements ActorRef<Handlers<unknown>> {
  readonly key: string
  readonly #definition: AnyDefinition
  readonly #core: SystemCore
  readonly #deadlines: Deadlines
  readonly #resolve: () => Destination
  readonly #sendOn: ((envelope: Envelope) => void) | undefined
  readonly #sender: string | undefined
  #cell: Destination | undefined

  constructor(
    target: {
      definition: AnyDefinition
      key: string
      resolve: () => Destination
      /** Where its slot may be another node's: to whoever has it by then. */
      sendOn?: ((envelope: Envelope) => void) | undefined
    },
    core: SystemCore,
    deadlines: Deadlines,
    sender: string | undefined,
  ) {
    this.key = target.key
    this.#definition = target.definition
    this.#resolve = target.resolve
    this.#sendOn = target.sendOn
    this.#core = core
    this.#deadlines = deadlines
    this.#sender = sender
  }

  get path(): string {
    return this.#target().path
  }

  tell(type: string, message: unknown): void {
    this.#send(type, message, undefined)
  }

  ask<Answer>(type: string, message: unknown, options?: AskOptions): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const signal = options?.signal
      const { transfer } = this.#core
      if (signal?.aborted) return reject(signal.reason)
      const reply = new Reply(
        (transfer ? received(transfer, resolve, reject) : resolve) as (answer: unknown) => void,
        transfer ? refused(transfer, reject, signal) : reject,
        this.#deadlines,
        { cell: this.#target(), type },
        { deadlineMs: options?.deadlineMs ?? askDeadlineMs, signal },
      )
      try {
        this.#send(type, message, reply, options?.streams)
      } catch (error) {
        reply.reject(error)
      }
    })
  }

  #target(): Destination {
    const cell = this.#cell
    // One that stops may have been given up, and has a successor then.
    if (cell && cell.status !== 'gone' && cell.status !== 'stopping') return cell
    this.#cell = this.#resolve()
    return this.#cell
  }

  #send(type: string, message: unknown, reply: Reply | undefined, streams?: readonly string[]): void {
    const handler = handlerOf(this.#definition, type)
    const { tracer, transfer } = this.#core
    const trace = tracer.isEnabled ? tracer.current() : undefined
    const content = transfer ? transfer.data(message) : message
    const envelope = new Envelope(type, handler, content, trace, reply, this.#sender, streams)
    const sendOn = this.#sendOn
    if (reply && sendOn) reply.onMoved = () => sendOn(envelope)
    try {
      this.#target().enqueue(envelope)
    } catch (error) {
      if (error instanceof ActorStopped && !reply) {
        this.#core.deadLetter(error.path, envelope)
        return
      }
      throw error
    }
  }
}

function received<Answer>(
  transfer: Transfer,
  resolve: (answer: Answer) => void,
  reject: (error: unknown) => void,
): (answer: unknown) => void {
  return (answer) => {
    try {
      resolve(transfer.data(answer) as Answer)
    } catch (error) {
      reject(error)
    }
  }
}

/** The caller's own reason to give up has never left it. */
function refused(
  transfer: Transfer,
  reject: (error: unknown) => void,
  signal: AbortSignal | undefined,
): (error: unknown) => void {
  return (error) => {
    try {
      reject(error === signal?.reason ? error : transfer.failure(error))
    } catch (notPlain) {
      reject(notPlain)
    }
  }
}
