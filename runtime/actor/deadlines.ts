/** Many deadlines, few timers: they share one timer per `tickMs`, and leaving is constant time. */
import type { Clock } from '../time/clock.ts'

export interface Deadline {
  expire(): void
  slot?: Set<Deadline> | undefined
}

export interface Deadlines {
  /** Calls `deadline.expire()` between `delayMs` and `delayMs + tickMs` from now. */
  add(deadline: Deadline, delayMs: number): void
  remove(deadline: Deadline): void
}

export function deadlines(clock: Clock, tickMs = 20): Deadlines {
  const slots = new Map<number, Set<Deadline>>()

  function open(tick: number): Set<Deadline> {
    const slot = new Set<Deadline>()
    slots.set(tick, slot)
    clock.after(tick * tickMs - clock.elapsed(), () => {
      slots.delete(tick)
      for (const deadline of slot) {
        deadline.slot = undefined
        deadline.expire()
      }
    })
    return slot
  }

  return {
    add(deadline, delayMs) {
      const tick = Math.ceil((clock.elapsed() + delayMs) / tickMs)
      const slot = slots.get(tick) ?? open(tick)
      slot.add(deadline)
      deadline.slot = slot
    },
    remove(deadline) {
      deadline.slot?.delete(deadline)
      deadline.slot = undefined
    },
  }
}
