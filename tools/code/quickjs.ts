/** Runs JavaScript in an interpreter on worker threads: it has no files, no network and no processes to begin with. */
import type { Log } from '../../runtime/log/log.ts'
import { PoolClosed, PoolFull, TaskTimeout, WorkerDied } from '../../runtime/pool/errors.ts'
import { createPool } from '../../runtime/pool/pool.ts'
import { defaultLimits } from '../../runtime/process/limits.ts'
import type { Metrics } from '../../runtime/telemetry/metrics.ts'
import type { Tracer } from '../../runtime/telemetry/trace.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { type QuickjsResult, type QuickjsTask, quickjsFile } from '../../workers/quickjs.task.ts'
import { ToolFailed } from '../tool.ts'
import type { CodeJob, CodeResult, CodeSandbox } from './sandbox.ts'

const mib = 1_024 * 1_024
const runMs = 5_000
const limits = { memoryBytes: 64 * mib, stackBytes: 256 * 1_024, outputBytes: defaultLimits.outputBytes }
/** Sorting a long list or a huge power is one step of the interpreter, during which nothing stops it: then its thread is ended. */
const graceMs = 2_500

export interface QuickjsOptions {
  clock: Clock
  log?: Log
  metrics?: Metrics
  tracer?: Tracer
  /** Each runs one program at a time. */
  threads: number
}

export function quickjsSandbox({ threads, clock, log, metrics, tracer }: QuickjsOptions): CodeSandbox {
  const pool = createPool<QuickjsTask, QuickjsResult>({
    name: 'sandbox',
    file: quickjsFile,
    size: threads,
    queueMax: threads,
    timeoutMs: runMs + graceMs,
    memoryMb: 64,
    clock,
    ...(log && { log }),
    ...(metrics && { metrics }),
    ...(tracer && { tracer }),
  })

  async function run(job: CodeJob, signal: AbortSignal): Promise<CodeResult> {
    const startedMs = clock.elapsed()
    const task = { code: job.code, stdin: job.stdin, timeoutMs: Math.min(runMs, job.timeoutMs), ...limits }
    const { hasFailed, ...result } = await pool.run(task, { signal }).catch(resultOfFailure)
    return { ...result, exitCode: hasFailed ? 1 : 0, signal: null, durationMs: clock.elapsed() - startedMs }
  }

  return { name: 'quickjs', languages: ['javascript'], run, close: () => pool.close(0) }
}

const noOutput = { text: '', droppedBytes: 0 }
const stuck: QuickjsResult = { end: 'timed_out', hasFailed: true, stdout: noOutput, stderr: noOutput }

/** @throws ToolFailed `busy`, `sandbox_failed` */
function resultOfFailure(error: unknown): QuickjsResult {
  if (error instanceof TaskTimeout) return stuck
  if (error instanceof PoolFull) throw new ToolFailed('busy', 'too much code runs at this moment: try again later')
  if (error instanceof WorkerDied || error instanceof PoolClosed) {
    throw new ToolFailed('sandbox_failed', 'the sandbox ended before the code did', { cause: error })
  }
  throw error
}
