/** The row of one tool call in the ledger, from its beginning to its end. */
import type { Step, StepStatus } from '../../../store/turns/steps.ts'
import type { AgentRun } from '../agent-run.ts'
import type { ToolCall } from '../tools/tool-calls.ts'

export interface ToolResult {
  text: string
  isFailure: boolean
  /** It must not be made again: an operator decided so, or it may have taken effect. */
  isFinal: boolean
  /** Its words were written by strangers. */
  isUntrusted: boolean
}

/** What the ledger stores of a result. */
interface StoredResult {
  text: string
  is_untrusted: boolean
}

export interface EnteredCall {
  path: string
  n: number
  call: ToolCall
  digest: string
  /** Of an earlier attempt, where one made the call and did not see its end. */
  madeAt?: Date | undefined
}

export class LedgerEntry {
  readonly #run: AgentRun
  readonly #entered: EnteredCall
  #startedAt: Date
  #startedMs: number

  constructor(run: AgentRun, entered: EnteredCall) {
    this.#run = run
    this.#entered = entered
    this.#startedAt = entered.madeAt ?? new Date(run.clock.now())
    this.#startedMs = run.clock.elapsed()
  }

  wait(): Promise<void> {
    return this.#write(this.#step('waiting', undefined, null))
  }

  /** From here on it may have taken effect. */
  async open(): Promise<void> {
    this.#startedAt = new Date(this.#run.clock.now())
    await this.#write(this.#step('started', undefined, null))
    this.#startedMs = this.#run.clock.elapsed()
  }

  async close(status: StepStatus, text: string, errorCode: string | null, isUntrusted = false): Promise<ToolResult> {
    const step = this.#step(status, { text, is_untrusted: isUntrusted }, errorCode)
    await this.#write(step)
    return resultOf(step)
  }

  /**
   * As `close`, for a call that was opened and made: written at once, while the model is told of it already. Nothing that
   * comes later in the turn is written before it is.
   */
  closeBehind(status: 'succeeded' | 'failed', text: string, errorCode: string | null, isUntrusted = false): ToolResult {
    const step = this.#step(status, { text, is_untrusted: isUntrusted }, errorCode)
    this.#run.journal.writeBehind(step, () => this.#run.services.feed.wake())
    return resultOf(step)
  }

  async #write(step: Step): Promise<void> {
    await this.#run.journal.write(step)
    this.#run.services.feed.wake()
  }

  #step(status: StepStatus, result: StoredResult | undefined, errorCode: string | null): Step {
    const { path, n, call, digest } = this.#entered
    const isMeasured = result !== undefined && status !== 'unknown'
    return {
      turnId: this.#run.turnId,
      path,
      n,
      workspaceId: this.#run.workspaceId,
      conversationId: this.#run.conversationId,
      kind: 'tool',
      status,
      name: call.name,
      callId: call.id,
      digest,
      request: call.arguments,
      result,
      promptTokens: null,
      completionTokens: null,
      errorCode,
      startedAt: this.#startedAt,
      durationMs: isMeasured ? this.#run.clock.elapsed() - this.#startedMs : null,
    }
  }
}

/** Of a step that is closed. */
export function resultOf({ result, status, errorCode }: Step): ToolResult {
  const { text, is_untrusted: isUntrusted } = result as StoredResult
  // An operator's decision stands, and what may have happened must not happen again.
  const isFinal = status === 'unknown' || errorCode?.startsWith('approval_') === true
  return { text, isFailure: status !== 'succeeded', isFinal, isUntrusted }
}
