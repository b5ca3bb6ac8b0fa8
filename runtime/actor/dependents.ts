/** What one instance has besides its messages: children, work beside the mailbox, timers. */
import type { Clock, Timer } from '../time/clock.ts'
import type { AnyDefinition } from './define.ts'
import type { Reply } from './envelope.ts'
import type { ActorCell } from './system-core.ts'

export class Dependents {
  #children: Map<string, ActorCell> | undefined
  #timers: Set<Timer> | undefined
  /** Asks that are being answered beside the mailbox. */
  #replies: Set<Reply> | undefined
  /** Pieces of work beside the mailbox, with a reply or without. */
  running = 0

  get isEmpty(): boolean {
    return this.running === 0 && !this.#children?.size && !this.#timers?.size
  }

  get children(): Iterable<ActorCell> {
    return this.#children?.values() ?? []
  }

  get hasChildren(): boolean {
    return (this.#children?.size ?? 0) > 0
  }

  findChild(definition: AnyDefinition, key: string): ActorCell | undefined {
    return this.#children?.get(childName(definition, key))
  }

  addChild(cell: ActorCell): void {
    this.#children ??= new Map()
    this.#children.set(childName(cell.definition, cell.key), cell)
  }

  removeChild(cell: ActorCell): void {
    const name = childName(cell.definition, cell.key)
    if (this.#children?.get(name) === cell) this.#children.delete(name)
  }

  async stopChildren(graceMs: number): Promise<void> {
    if (!this.hasChildren) return
    await Promise.all(Array.from(this.children, (child) => child.stop(graceMs)))
  }

  addTimer(clock: Clock, delayMs: number, fire: () => void): Timer {
    this.#timers ??= new Set()
    const timers = this.#timers
    const timer = clock.after(delayMs, () => {
      timers.delete(timer)
      fire()
    })
    timers.add(timer)
    return {
      cancel() {
        timers.delete(timer)
        timer.cancel()
      },
    }
  }

  begin(reply?: Reply): void {
    this.running++
    if (!reply) return
    this.#replies ??= new Set()
    this.#replies.add(reply)
  }

  end(reply?: Reply): void {
    this.running--
    if (reply) this.#replies?.delete(reply)
  }

  /** The callers of work beside the mailbox get the reason, and its signals abort. */
  cancelReplies(reason: unknown): void {
    if (this.#replies) for (const reply of this.#replies) reply.cancel(reason)
  }

  /** No timer fires any more, and work that still runs is no longer counted. Children are stopped separately. */
  cutOff(reason: unknown): void {
    this.cancelReplies(reason)
    this.#replies = undefined
    this.running = 0
    if (this.#timers) for (const timer of this.#timers) timer.cancel()
    this.#timers = undefined
  }
}

function childName(definition: AnyDefinition, key: string): string {
  return `${definition.kind}/${key}`
}
