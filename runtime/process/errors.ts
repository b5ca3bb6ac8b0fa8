/** The failures of sandboxes, not of what runs in them. */
import { Failure } from '../failure.ts'

/** sandbox_failed: the sandbox did not start or could not be ended. refused: nothing may run here as things are. */
export class SandboxFailed extends Failure {
  readonly code: 'sandbox_failed' | 'refused'
  constructor(code: SandboxFailed['code'], message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
