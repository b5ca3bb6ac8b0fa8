/** Actors of one kind in order of their last activity, so that finding the idle ones costs nothing per live one. */
import type { Clock } from '../time/clock.ts'

export interface Idler {
  lastActiveMs: number
  newer: Idler | undefined
  older: Idler | undefined
  isListed: boolean
  /** True while it has work that no message shows: a child, a task, a timer. */
  readonly isBusy: boolean
  passivate(): void
}

export interface IdleList {
  touch(idler: Idler): void
  remove(idler: Idler): void
}

const sweepMax = 1_000

export function idleList(clock: Clock, idleMs: number): IdleList {
  let oldest: Idler | undefined
  let newest: Idler | undefined
  let isSweepDue = false

  function unlink(idler: Idler): void {
    if (idler.older) idler.older.newer = idler.newer
    else oldest = idler.newer
    if (idler.newer) idler.newer.older = idler.older
    else newest = idler.older
    idler.older = undefined
    idler.newer = undefined
    idler.isListed = false
  }

  function append(idler: Idler): void {
    idler.older = newest
    if (newest) newest.newer = idler
    else oldest = idler
    newest = idler
    idler.isListed = true
  }

  function arm(delayMs: number): void {
    isSweepDue = true
    clock.after(delayMs, sweep)
  }

  function sweep(): void {
    isSweepDue = false
    const nowMs = clock.elapsed()
    let swept = 0
    for (let idler = oldest; idler && idler.lastActiveMs + idleMs <= nowMs; idler = oldest) {
      // A hundred thousand idle at once leave in portions, so that nothing else waits for them.
      if (swept++ === sweepMax) break
      unlink(idler)
      if (idler.isBusy) {
        idler.lastActiveMs = nowMs
        append(idler)
      } else {
        idler.passivate()
      }
    }
    // At least a tenth of the idle time between sweeps: a steady stream of actors does not become a stream of timers.
    if (!oldest) return
    arm(swept > sweepMax ? 0 : Math.max(oldest.lastActiveMs + idleMs - nowMs, idleMs / 10))
  }

  return {
    touch(idler) {
      idler.lastActiveMs = clock.elapsed()
      if (idler !== newest) {
        if (idler.isListed) unlink(idler)
        append(idler)
      }
      if (!isSweepDue) arm(idleMs)
    },
    remove(idler) {
      if (idler.isListed) unlink(idler)
    },
  }
}
