/** Many deadlines, few timers: they share one timer per `tickMs`, and leaving is constant time. */
import type { Clock } from '../time/clock.ts'

/** One at a time in a ring, which makes leaving it cheaper than leaving a set: most asks are answered long before. */
export interface Deadline {
  next?: Deadline | undefined
  previous?: Deadline | undefined
  expire(): void
}

export interface Deadlines {
  /** Calls `deadline.expire()` once, between `delayMs` and `delayMs + tickMs` from now; any earlier time of it is forgotten. */
  add(deadline: Deadline, delayMs: number): void
  /** Nothing happens when it is in none. */
  remove(deadline: Deadline): void
}

export function deadlines(clock: Clock, tickMs = 20): Deadlines {
  const rings = new Map<number, Deadline>()

  function open(tick: number): Deadline {
    const ring = emptyRing()
    rings.set(tick, ring)
    clock.after(tick * tickMs - clock.elapsed(), () => {
      rings.delete(tick)
      for (let first = ring.next; first && first !== ring; first = ring.next) {
        remove(first)
        first.expire()
      }
    })
    return ring
  }

  return {
    add(deadline, delayMs) {
      const tick = Math.ceil((clock.elapsed() + delayMs) / tickMs)
      const ring = rings.get(tick) ?? open(tick)
      remove(deadline)
      const last = ring.previous as Deadline
      deadline.previous = last
      deadline.next = ring
      last.next = deadline
      ring.previous = deadline
    },
    remove,
  }
}

/** Its first and its last member are itself. */
function emptyRing(): Deadline {
  const ring: Deadline = { next: undefined, previous: undefined, expire() {} }
  ring.next = ring
  ring.previous = ring
  return ring
}

function remove(deadline: Deadline): void {
  const { next, previous } = deadline
  if (!next || !previous) return
  previous.next = next
  next.previous = previous
  deadline.next = undefined
  deadline.previous = undefined
}
