/** Virtual time: nothing waits in real time, `advance` fires what is due in order and lets promises settle in between. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock, Timer } from '../../runtime/time/clock.ts'

interface Due {
  atMs: number
  order: number
  fire: () => void
}

export interface VirtualClock extends Clock {
  /** Moves time forward by `byMs`, firing timers at their own instant. */
  advance(byMs: number): Promise<void>
  /** Lets everything that needs no time run to rest. */
  settle(): Promise<void>
  readonly timersWaiting: number
}

export function virtualClock(startMs = 1_700_000_000_000): VirtualClock {
  let nowMs = 0
  let order = 0
  const waiting = new Set<Due>()

  function nextDue(untilMs: number): Due | undefined {
    let first: Due | undefined
    for (const due of waiting) {
      if (due.atMs > untilMs) continue
      if (!first || due.atMs < first.atMs || (due.atMs === first.atMs && due.order < first.order)) first = due
    }
    return first
  }

  async function settle(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) await nextTurn()
  }

  return {
    now: () => startMs + nowMs,
    elapsed: () => nowMs,
    after(delayMs, fire): Timer {
      const due: Due = { atMs: nowMs + Math.max(0, delayMs), order: order++, fire }
      waiting.add(due)
      return { cancel: () => waiting.delete(due) }
    },
    async advance(byMs) {
      const untilMs = nowMs + byMs
      await settle()
      for (let due = nextDue(untilMs); due; due = nextDue(untilMs)) {
        waiting.delete(due)
        nowMs = due.atMs
        due.fire()
        await settle()
      }
      nowMs = untilMs
      await settle()
    },
    settle,
    get timersWaiting() {
      return waiting.size
    },
  }
}
