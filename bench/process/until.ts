/** Waits for a condition of another process, with an end. */
import { setTimeout as pause } from 'node:timers/promises'

/** @throws when `isTrue` is not true within `limitMs` */
export async function until(what: string, limitMs: number, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`not within ${limitMs} ms: ${what}`)
    await pause(25)
  }
}
