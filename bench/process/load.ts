/** Load from a process of its own, so that whoever is measured shares neither loop nor heap with it. */
import type { FromLoad, Job } from '../load/job.ts'
import type { PhaseListeners } from '../load/phases.ts'
import type { Figures } from '../row.ts'
import { type Forked, forkProgram } from './forked.ts'
import { processorNs } from './processor-time.ts'

const program = new URL('../load/main.ts', import.meta.url)

/**
 * @param during called as warm-up ends, when what is counted begins, and as it ends
 * @throws Error when a contestant fails a request: one that fails fast would look fast
 */
export async function runLoad(job: Job, during: PhaseListeners = {}): Promise<Figures> {
  const load: Forked = forkProgram(program)
  try {
    await load.next('ready')
    const stopListening = load.onMessage(({ type }) => {
      if (type === 'begin') during.onBegin?.()
      else if (type === 'end') during.onEnd?.()
    })
    const ended = Promise.race([
      load.next<FromLoad & { type: 'done' }>('done'),
      load.next<FromLoad & { type: 'failed' }>('failed'),
    ])
    load.send({ type: 'run', job })
    const message = await ended
    stopListening()
    if (message.type === 'failed') throw new Error(`the load on ${job.target.port} failed: ${message.reason}`)
    return message.figures
  } finally {
    await load.stop()
  }
}

/** @returns also what each group of processes used of the processors in the time that counts */
export async function withProcessorTime(
  job: Job,
  groups: () => Promise<readonly (readonly number[])[]>,
): Promise<{ figures: Figures; ns: number[] }> {
  const used = async () => Promise.all((await groups()).map(processorNs))
  let before = used()
  let after = before
  const figures = await runLoad(job, {
    onBegin() {
      before = used()
    },
    onEnd() {
      after = used()
    },
  })
  const [from, to] = [await before, await after]
  return { figures, ns: to.map((ns, at) => ns - (from[at] ?? 0)) }
}
