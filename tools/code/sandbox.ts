/** What a sandbox is: a place where a program of a stranger runs, bounded, and from which only text comes back. */

export type SandboxName = 'container' | 'bubblewrap' | 'plain' | 'quickjs'

export interface SandboxJob {
  language: string
  code: string
  stdin: string
  timeoutMs: number
}

/** exited: by itself, with whatever code. The others: ended by us at that bound. */
export type RunEnd = 'exited' | 'timed_out' | 'output_limit' | 'memory_limit'

/** The head of what a program wrote, and how much more it was. */
export interface KeptText {
  text: string
  droppedBytes: number
}

export interface RunResult {
  end: RunEnd
  /** Null: it was ended by a signal, or has none. */
  exitCode: number | null
  signal: string | null
  stdout: KeptText
  stderr: KeptText
  /** Of the last expression, where the language has one. */
  value?: string
  durationMs: number
}

export interface Sandbox {
  readonly name: SandboxName
  readonly languages: readonly string[]
  /**
   * Resolves when nothing of the run is left.
   * @throws ToolFailed where the sandbox itself does not work; the signal's reason when it aborts
   */
  run(job: SandboxJob, signal: AbortSignal): Promise<RunResult>
  close?(): Promise<void>
}
