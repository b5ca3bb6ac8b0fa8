/** A wait with an end: the work's result, or what is done instead when it is late. */
import type { Clock } from './clock.ts'

/**
 * Waits for `work`, at most `limitMs`. Late work goes on, and what becomes of it is ignored; where that matters it takes
 * a signal that `onLate` aborts.
 * @returns the work's result, or that of `onLate` (undefined without one)
 * @throws what the work or `onLate` throws
 */
export function atMost<Result, Late = undefined>(
  limitMs: number,
  work: PromiseLike<Result>,
  { clock, onLate }: { clock: Clock; onLate?: () => Late },
): Promise<Result | Late> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(limitMs, () => {
      try {
        resolve(onLate?.() as Late)
      } catch (error) {
        reject(error)
      }
    })
    work.then(
      (result) => {
        timer.cancel()
        resolve(result)
      },
      (error) => {
        timer.cancel()
        reject(error)
      },
    )
  })
}
