/** How fast an actor takes messages that nobody waits for: bursts, each awaited as a whole. */
import { collectGarbage } from '../process/measurement.ts'
import type { Figures } from '../row.ts'

/** Larger than what one handler wakes for, small enough for a bounded mailbox. */
export const burst = 1_000

/** The receiving handler calls `hit`: the same few instructions for every contestant. */
export class Tally {
  sum = 0
  #awaited = 0
  #received = 0
  #wake: () => void = () => {}

  hit(amount: number): void {
    this.sum += amount
    if (++this.#received === this.#awaited) this.#wake()
  }

  /** Resolves when `count` more messages have been handled. */
  after(count: number): Promise<void> {
    this.#awaited = this.#received + count
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

export async function tellRate(tally: Tally, tell: (amount: number) => void, messages: number): Promise<Figures> {
  const warmUp = Math.ceil(messages / 4)
  await tellAll(tally, tell, warmUp)
  collectGarbage()
  const startedMs = performance.now()
  const sent = await tellAll(tally, tell, messages)
  const tookS = (performance.now() - startedMs) / 1_000
  return { tellsPerS: sent / tookS }
}

async function tellAll(tally: Tally, tell: (amount: number) => void, messages: number): Promise<number> {
  let sent = 0
  const before = tally.sum
  while (sent < messages) {
    const handled = tally.after(burst)
    for (let index = 0; index < burst; index++) tell(1)
    await handled
    sent += burst
  }
  if (tally.sum - before !== sent) throw new Error(`${sent} messages were sent, ${tally.sum - before} handled`)
  return sent
}
