/** A bound on working time: its clock stands still while somebody else has the word. */
import type { Clock, Timer } from '../../../runtime/time/clock.ts'

export interface TimeBound {
  /** Stands still until every pause is over. @returns goes on */
  pause(): () => void
  end(): void
}

/** @param leftMs what may still be worked; undefined: without a bound @param onOver called once */
export function timeBound(clock: Clock, leftMs: number | undefined, onOver: () => void): TimeBound {
  let remainingMs = leftMs ?? 0
  let runningSinceMs = 0
  let pauses = 0
  let timer: Timer | undefined
  let isEnded = leftMs === undefined

  function run(): void {
    runningSinceMs = clock.elapsed()
    timer = clock.after(Math.max(0, remainingMs), () => {
      isEnded = true
      onOver()
    })
  }
  if (!isEnded) run()

  return {
    pause() {
      if (pauses++ === 0 && !isEnded) {
        timer?.cancel()
        remainingMs -= clock.elapsed() - runningSinceMs
      }
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        if (--pauses === 0 && !isEnded) run()
      }
    },
    end() {
      isEnded = true
      timer?.cancel()
    },
  }
}
