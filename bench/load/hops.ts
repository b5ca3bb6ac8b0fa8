/** Questions to another process, from callers who each wait for their answer before they ask again. */
import { type Forked, forkProgram } from '../process/forked.ts'
import { processorNs } from '../process/processor-time.ts'
import type { Figures } from '../row.ts'
import { percentile } from '../statistics.ts'
import { runPhases } from './phases.ts'

export const callers = 64
/** What is asked, and answered again: a short message of a person. */
export const askedText = 'Where is my order 1042? It was to come on Monday. '.repeat(4)

/** The process that answers. It says when it can. */
export async function answering(program: URL): Promise<Forked> {
  const forked = forkProgram(program, { environment: environmentOfBench() })
  await forked.next('ready')
  return forked
}

/** What the program that measures was told about server and database. */
function environmentOfBench(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (name.startsWith('BENCH_') ? [[name, value ?? '']] : [])),
  )
}

/** @param ask resolves with the text that was asked */
export async function hopLoad(
  ask: (text: string) => Promise<string>,
  other: Forked,
  times: { warmUpMs: number; measureMs: number },
): Promise<Figures> {
  const tookMs: number[] = []
  const processorTime = () => processorNs([process.pid, other.pid])
  let before = processorTime()
  let after = before
  const { measuredS } = await runPhases(
    {
      connections: callers,
      ...times,
      onBegin() {
        before = processorTime()
      },
      onEnd() {
        after = processorTime()
      },
    },
    async (phases) => {
      while (!phases.isOver) {
        const startedMs = performance.now()
        const answer = await ask(askedText)
        if (answer !== askedText) throw new Error(`another answer than was asked for: ${answer}`)
        if (phases.isMeasuring) tookMs.push(performance.now() - startedMs)
      }
    },
  )
  const calls = tookMs.length
  return {
    callUs: (measuredS * 1e6) / calls,
    callsPerS: calls / measuredS,
    // Each call is one message that a node takes and one that it gives.
    messagesPerS: (2 * calls) / measuredS,
    latencyP50Ms: percentile(tookMs, 50),
    latencyP99Ms: percentile(tookMs, 99),
    processorUs: ((await after) - (await before)) / 1_000 / calls,
  }
}
