/** Runs JavaScript in an interpreter of its own on worker threads: it has no files, no network, no processes to begin with. */
import { z } from 'zod'
import type { Log } from '../../runtime/log/log.ts'
import { PoolClosed, PoolFull, TaskTimeout, WorkerDied } from '../../runtime/pool/errors.ts'
import { createPool } from '../../runtime/pool/pool.ts'
import type { Metrics } from '../../runtime/telemetry/metrics.ts'
import type { Tracer } from '../../runtime/telemetry/trace.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { ToolFailed } from '../tool.ts'
import { limits } from './limits.ts'
import type { RunResult, Sandbox, SandboxJob } from './sandbox.ts'

const mib = 1_024 * 1_024
const runMs = 5_000
const bounds = { memoryBytes: 64 * mib, stackBytes: 256 * 1_024, outputBytes: limits.outputBytes }
/** Sorting a long list or a huge power is one step of the interpreter, in which it hears nothing: then its thread is ended. */
const graceMs = 2_500

const Text = z.object({ text: z.string(), droppedBytes: z.int().min(0) })
const Outcome = z.object({
  end: z.enum(['exited', 'timed_out', 'memory_limit']),
  hasFailed: z.boolean(),
  stdout: Text,
  stderr: Text,
  value: z.string().optional(),
})

export interface QuickjsParts {
  clock: Clock
  log?: Log
  metrics?: Metrics
  tracer?: Tracer
  /** Threads, each with a program of its own. */
  size: number
}

export function quickjsSandbox({ size, ...dependencies }: QuickjsParts): Sandbox {
  const pool = createPool<Record<string, unknown>, unknown>({
    ...dependencies,
    name: 'sandbox',
    file: new URL('../../workers/quickjs.ts', import.meta.url),
    size,
    queueMax: size,
    timeoutMs: runMs + graceMs,
    memoryMb: 64,
  })

  async function run(job: SandboxJob, signal: AbortSignal): Promise<RunResult> {
    const startedMs = dependencies.clock.elapsed()
    const timeoutMs = Math.min(runMs, job.timeoutMs)
    const task = { code: job.code, stdin: job.stdin, timeoutMs, ...bounds }
    const answer = await pool.run(task, { signal }).catch((error: unknown) => {
      if (error instanceof TaskTimeout) return heldFast
      throw failed(error)
    })
    const { end, hasFailed, stdout, stderr, value } = Outcome.parse(answer)
    return {
      ...{ end, exitCode: hasFailed ? 1 : 0, signal: null, stdout, stderr },
      ...(value !== undefined && { value }),
      durationMs: dependencies.clock.elapsed() - startedMs,
    }
  }

  return { name: 'quickjs', languages: ['javascript'], run, close: () => pool.close(0) }
}

const nothing = { text: '', droppedBytes: 0 }
const heldFast: z.input<typeof Outcome> = { end: 'timed_out', hasFailed: true, stdout: nothing, stderr: nothing }

function failed(error: unknown): unknown {
  if (error instanceof PoolFull) return new ToolFailed('busy', 'too much code runs at this moment: try again later')
  if (error instanceof WorkerDied || error instanceof PoolClosed) {
    return new ToolFailed('sandbox_failed', 'the sandbox ended before the code did', { cause: error })
  }
  return error
}
