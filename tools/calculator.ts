/** The tool `calculator`: evaluates an expression on a thread that is ended when it takes too long. */
import { z } from 'zod'
import { PoolClosed, PoolFull, TaskTimeout, WorkerDied } from '../runtime/pool/errors.ts'
import { createPool } from '../runtime/pool/pool.ts'
import { type CalculateResult, type CalculateTask, calculateFile } from '../workers/calculate.task.ts'
import { defineTool, ToolFailed, type ToolMaker } from './tool.ts'

const Arguments = z.object({
  expression: z.string().min(1).max(2_000).describe('For example: (12.5% of 800 + 3^4) / sqrt(2), or 5 inch to cm'),
})

const resultCharactersMax = 4_000
/** For the evaluation; a thread that has to start first has the rest of `timeoutMs` for that. */
const workMs = 2_000
const timeoutMs = 12_000

const description = [
  'Evaluates an expression exactly as written: arithmetic, powers, roots, trigonometry, logarithms, statistics,',
  'matrices, complex numbers and units. Several lines may define names for later lines.',
].join(' ')

export const calculator: ToolMaker = (dependencies) => {
  const pool = createPool<CalculateTask, CalculateResult>({
    ...dependencies,
    name: 'calculator',
    file: calculateFile,
    size: 1,
    queueMax: 32,
    timeoutMs: timeoutMs - 1_000,
    memoryMb: 64,
    // The library is slow to load.
    idleMs: 300_000,
  })
  return defineTool({
    name: 'calculator',
    description,
    arguments: Arguments,
    timeoutMs,
    risk: 'read',
    idempotency: 'repeatable',
    async run({ signal }, { expression }) {
      const task = { expression, charactersMax: resultCharactersMax, timeoutMs: workMs }
      return resultText(await pool.run(task, { signal }).catch(failCall))
    },
    close: () => pool.close(0),
  })
}

/** @throws ToolFailed where there is no result */
function resultText(result: CalculateResult): string {
  switch (result.end) {
    case 'done':
      if (!result.isCut) return result.text
      return `${result.text}\n[the result is longer than ${resultCharactersMax} characters and was cut]`
    case 'refused':
      throw new ToolFailed('expression_refused', result.text)
    case 'too_long':
      throw tooLong()
    case 'too_large':
      throw new ToolFailed('too_large', 'the expression took too much memory: make it smaller')
    default:
      return result satisfies never
  }
}

function tooLong(): ToolFailed {
  return new ToolFailed('too_long', `the expression was not evaluated within ${workMs / 1_000} s: make it smaller`)
}

/** @throws ToolFailed for what the model can act on, else the error itself */
function failCall(error: unknown): never {
  if (error instanceof TaskTimeout) throw tooLong()
  if (error instanceof WorkerDied) {
    throw new ToolFailed('calculator_failed', 'the calculator ended before the expression did', { cause: error })
  }
  if (error instanceof PoolFull) throw new ToolFailed('busy', 'too much is being calculated: try again later')
  if (error instanceof PoolClosed) throw new ToolFailed('closing', 'the service is closing')
  throw error
}
