/** How the guard's time is measured. */
import { threadMs } from '../../support/processor-ms.ts'

export const filled = (part: string, length: number) => part.repeat(Math.ceil(length / part.length)).slice(0, length)

/** Least, not median: what others do to the processor's caches can only add to it. */
export function leastMs(run: () => unknown, rounds: number, times = 1): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const spentMs = threadMs(() => {
      for (let time = 0; time < times; time++) run()
    })
    least = Math.min(least, spentMs / times)
  }
  return least
}
