/** How fast an actor answers: callers who each wait for their answer before they ask again. */
import { collectGarbage } from '../process/measurement.ts'
import type { Figures } from '../row.ts'

const callers = 100

export async function askRate(ask: (amount: number) => Promise<number>, messages: number): Promise<Figures> {
  await askAll(ask, Math.ceil(messages / 4))
  collectGarbage()
  const startedMs = performance.now()
  const result = await askAll(ask, messages)
  const tookS = (performance.now() - startedMs) / 1_000
  return { asksPerS: result / tookS }
}

async function askAll(ask: (amount: number) => Promise<number>, messages: number): Promise<number> {
  const each = Math.ceil(messages / callers)
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let index = 0; index < each; index++) {
        const answer = await ask(index)
        if (answer !== index + 1) throw new Error(`asked with ${index}, answered ${answer}`)
      }
    }),
  )
  return each * callers
}
