/** What runs the code of a model: a program in some language in, its output back. */
import type { ProcessResult, SandboxKind } from '../../runtime/process/sandbox.ts'

export type SandboxName = SandboxKind | 'quickjs'

export interface CodeJob {
  language: string
  code: string
  stdin: string
  timeoutMs: number
}

export interface CodeResult extends ProcessResult {
  /** Of the last expression, where the language has one. */
  value?: string
}

export interface CodeSandbox {
  readonly name: SandboxName
  readonly languages: readonly string[]
  /**
   * Resolves when nothing of the run is left.
   * @throws ToolFailed where the sandbox itself does not work; the signal's reason when it aborts
   */
  run(job: CodeJob, signal: AbortSignal): Promise<CodeResult>
  close?(): Promise<void>
}
