/** The tool `calculator`: an expression in, its result out; worked out on a thread that is ended when it takes too long. */
import { z } from 'zod'
import { PoolClosed, PoolFull, TaskTimeout, WorkerDied } from '../runtime/pool/errors.ts'
import { createPool } from '../runtime/pool/pool.ts'
import { defineTool, ToolFailed, type ToolMaker } from './tool.ts'

const Arguments = z.object({
  expression: z.string().min(1).max(2_000).describe('For example: (12.5% of 800 + 3^4) / sqrt(2), or 5 inch to cm'),
})

const Outcome = z.discriminatedUnion('end', [
  z.object({ end: z.literal('done'), text: z.string(), isCut: z.boolean() }),
  z.object({ end: z.literal('refused'), text: z.string() }),
  z.object({ end: z.enum(['too_long', 'too_large']) }),
])

const resultCharactersMax = 4_000
/** Of the work itself; a thread that has to start first has the rest of `timeoutMs` for it. */
const workMs = 2_000
const timeoutMs = 12_000

const description = [
  'Works out an expression exactly as written: arithmetic, powers, roots, trigonometry, logarithms, statistics,',
  'matrices, complex numbers and units. Several lines may define names for later lines.',
].join(' ')

export const calculator: ToolMaker = (dependencies) => {
  const pool = createPool<Record<string, unknown>, unknown>({
    ...dependencies,
    name: 'calculator',
    file: new URL('../workers/calculate.ts', import.meta.url),
    size: 1,
    queueMax: 32,
    timeoutMs: timeoutMs - 1_000,
    memoryMb: 64,
    // The library is dear to load.
    idleMs: 300_000,
  })
  return defineTool({
    ...{ name: 'calculator', description, arguments: Arguments, timeoutMs },
    risk: 'read',
    idempotency: 'repeatable',
    async run({ signal }, { expression }) {
      const task = { expression, charactersMax: resultCharactersMax, timeoutMs: workMs }
      const answer = await pool.run(task, { signal }).catch((error: unknown) => {
        throw told(error)
      })
      return resultIn(Outcome.parse(answer))
    },
    close: () => pool.close(0),
  })
}

function resultIn(outcome: z.output<typeof Outcome>): string {
  switch (outcome.end) {
    case 'done':
      if (!outcome.isCut) return outcome.text
      return `${outcome.text}\n[the result is longer than ${resultCharactersMax} characters and was cut]`
    case 'refused':
      throw new ToolFailed('expression_refused', outcome.text)
    case 'too_long':
      throw tooLong()
    case 'too_large':
      throw new ToolFailed('too_large', 'the expression took too much memory: make it smaller')
    default:
      return outcome satisfies never
  }
}

function tooLong(): ToolFailed {
  return new ToolFailed('too_long', `the expression was not worked out within ${workMs / 1_000} s: make it smaller`)
}

function told(error: unknown): unknown {
  if (error instanceof TaskTimeout) return tooLong()
  if (error instanceof WorkerDied) {
    return new ToolFailed('calculator_failed', 'the calculator ended before the expression did', { cause: error })
  }
  if (error instanceof PoolFull) return new ToolFailed('busy', 'too much is being calculated: try again later')
  if (error instanceof PoolClosed) return new ToolFailed('closing', 'the service is closing')
  return error
}
