/** Failures of a sandbox itself, not of the program in it. */
import { Failure } from '../failure.ts'

/** sandbox_failed: the sandbox did not start or could not be ended. refused: programs must not run on this host as it is. */
export class SandboxFailed extends Failure {
  readonly code: 'sandbox_failed' | 'refused'
  constructor(code: SandboxFailed['code'], message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
