/** How long a task's way to a worker thread and back takes, one by one, and how many a second when several wait. */
import { collectGarbage } from '../process/measurement.ts'
import type { Figures } from '../row.ts'
import { median } from '../statistics.ts'

const together = 64

export type RunTask = (task: { text: string }) => Promise<{ text: string }>

export async function roundTrips(run: RunTask, tasks: number): Promise<Figures> {
  await oneByOne(run, Math.ceil(tasks / 4))
  await pipelined(run, Math.ceil(tasks / 4))
  collectGarbage()
  const roundTripUs = median(await oneByOne(run, tasks)) * 1_000
  const startedMs = performance.now()
  const done = await pipelined(run, tasks)
  return { roundTripUs, tasksPerS: done / ((performance.now() - startedMs) / 1_000) }
}

async function oneByOne(run: RunTask, tasks: number): Promise<number[]> {
  const tookMs: number[] = []
  for (let index = 0; index < tasks; index++) {
    const startedMs = performance.now()
    await run({ text: 'there and back' })
    tookMs.push(performance.now() - startedMs)
  }
  return tookMs
}

async function pipelined(run: RunTask, tasks: number): Promise<number> {
  const each = Math.ceil(tasks / together)
  await Promise.all(
    Array.from({ length: together }, async () => {
      for (let index = 0; index < each; index++) await run({ text: 'there and back' })
    }),
  )
  return each * together
}
