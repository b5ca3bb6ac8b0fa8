/** The interface of a process sandbox: it runs one program to its end within limits, and returns its output. */
import type { Log } from '../log/log.ts'
import type { Clock } from '../time/clock.ts'
import type { CappedText } from './capped-output.ts'
import type { ProcessLimits } from './limits.ts'

export type SandboxKind = 'container' | 'bubblewrap' | 'plain'

/** One program to run. */
export interface ProcessJob {
  /** The file to execute: an absolute path of this host, in a container a program of its image. */
  file: string
  arguments: readonly string[]
  /** The sandbox stores this text as a file that the process cannot change, and appends its path to the arguments. */
  program: string
  stdin: string
  timeoutMs: number
}

/** exited: by itself, with any exit code. The others: ended by us at that limit. */
export type ProcessEnd = 'exited' | 'timed_out' | 'output_limit' | 'memory_limit'

export interface ProcessResult {
  end: ProcessEnd
  /** Null: it was ended by a signal. */
  exitCode: number | null
  signal: string | null
  stdout: CappedText
  stderr: CappedText
  durationMs: number
}

export interface ProcessSandbox {
  readonly kind: SandboxKind
  /**
   * Resolves when no process and no file of the run is left.
   * @throws SandboxFailed where the sandbox itself does not work; the signal's reason when it aborts
   */
  run(job: ProcessJob, signal: AbortSignal): Promise<ProcessResult>
}

/** What every sandbox is opened with. */
export interface SandboxOptions {
  clock: Clock
  log?: Log
  /** Default: `defaultLimits`. */
  limits?: ProcessLimits
}
