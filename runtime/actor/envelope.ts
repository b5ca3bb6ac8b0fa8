/** A message on its way to an actor: its content, its trace, and where the answer goes. */
import type { TraceContext } from '../telemetry/trace.ts'
import type { Deadline, Deadlines } from './deadlines.ts'
import type { AnyDefinition } from './define.ts'
import { ActorMoved, AskTimeout } from './errors.ts'

export type Handler = (context: never, message: never) => unknown

export class Envelope {
  readonly type: string
  readonly handler: Handler
  readonly message: unknown
  readonly trace: TraceContext | undefined
  readonly reply: Reply | undefined
  /** Where the message came from, for the dead-letter log. */
  readonly sender: string | undefined
  /** Those that whoever asks reads while it waits. */
  readonly streams: readonly string[] | undefined

  constructor(
    type: string,
    handler: Handler,
    message: unknown,
    trace: TraceContext | undefined,
    reply: Reply | undefined,
    sender: string | undefined,
    streams?: readonly string[] | undefined,
  ) {
    this.type = type
    this.handler = handler
    this.message = message
    this.trace = trace
    this.reply = reply
    this.sender = sender
    this.streams = streams
  }
}

/** @throws TypeError for a message type that the definition does not receive */
export function handlerOf(definition: AnyDefinition, type: string): Handler {
  const handler = definition.receive[type]
  if (!handler) throw new TypeError(`${definition.kind} has no handler for ${type}`)
  return handler
}

/** The waiting side of an ask. Whoever settles it first wins; it then leaves its deadline and its caller's signal. */
export class Reply implements Deadline {
  next: Deadline | undefined
  previous: Deadline | undefined
  isSettled = false
  /** Sends the message on, and the ask goes on waiting. Absent: the caller learns that the actor has moved. */
  onMoved: (() => void) | undefined
  readonly #resolve: (value: unknown) => void
  readonly #reject: (error: unknown) => void
  readonly #deadlines: Deadlines
  readonly #cell: { readonly path: string }
  readonly #type: string
  readonly #deadlineMs: number
  #signal: AbortSignal | undefined
  #onAbort: (() => void) | undefined
  /** Set while the handler that read `context.signal` runs. */
  #controller: AbortController | undefined

  constructor(
    resolve: (value: unknown) => void,
    reject: (error: unknown) => void,
    deadlines: Deadlines,
    address: { cell: { readonly path: string }; type: string },
    limits: { deadlineMs: number; signal: AbortSignal | undefined },
  ) {
    this.#resolve = resolve
    this.#reject = reject
    this.#deadlines = deadlines
    this.#cell = address.cell
    this.#type = address.type
    this.#deadlineMs = limits.deadlineMs
    if (limits.deadlineMs !== Number.POSITIVE_INFINITY) deadlines.add(this, limits.deadlineMs)
    const { signal } = limits
    if (signal) {
      this.#signal = signal
      this.#onAbort = () => this.cancel(signal.reason)
      signal.addEventListener('abort', this.#onAbort, { once: true })
    }
  }

  /** Aborts when the caller gives up. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  resolve(value: unknown): void {
    if (this.#settle()) this.#resolve(value)
  }

  reject(error: unknown): void {
    if (error instanceof ActorMoved && this.onMoved && !this.isSettled) this.onMoved()
    else if (this.#settle()) this.#reject(error)
  }

  expire(): void {
    this.cancel(new AskTimeout(this.#cell.path, this.#type, this.#deadlineMs))
  }

  /** Rejects the ask and aborts the handler that works on it. */
  cancel(reason: unknown): void {
    this.reject(reason)
    this.#controller?.abort(reason)
  }

  /** True when the caller gave up and the handler threw `error` for that reason. */
  wasCancelledWith(error: unknown): boolean {
    const signal = this.#controller?.signal
    if (!signal?.aborted) return false
    return error === signal.reason || (error instanceof Error && error.name === 'AbortError')
  }

  #settle(): boolean {
    if (this.isSettled) return false
    this.isSettled = true
    if (this.next) this.#deadlines.remove(this)
    if (this.#signal && this.#onAbort) this.#signal.removeEventListener('abort', this.#onAbort)
    return true
  }
}
