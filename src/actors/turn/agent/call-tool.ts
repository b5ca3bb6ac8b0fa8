/** One tool call of an agent's turn: checked, approved where it must be, entered before and closed after, done once. */

import { requestApproval } from '../../../store/approvals.ts'
import { newApprovalId } from '../../../store/id.ts'
import type { Step, StepPlace, StepStatus } from '../../../store/turn-steps.ts'
import { type PreparedCall, type Tool, type ToolContext, ToolFailed, type TurnPowers } from '../../../tools/tool.ts'
import type { Decision } from '../../approvals/desk.ts'
import { type AgentProfile, type AgentRun, TurnPaused } from './agent-run.ts'
import { digestOf } from './journal.ts'
import type { ToolCall } from './tool-calls.ts'
import { type Toolset, toolSearchName } from './toolset.ts'

export interface ToolResult {
  text: string
  isFailure: boolean
  /** Its words were written by strangers. */
  isUntrusted: boolean
}

export interface ToolCallRequest {
  path: string
  n: number
  agent: AgentProfile
  call: ToolCall
  toolset: Toolset
  powers: TurnPowers
}

interface Kept {
  text: string
  is_untrusted: boolean
}

/** @throws TurnPaused, BoundReached, JournalMismatch, the run's signal's reason */
export async function callTool(run: AgentRun, request: ToolCallRequest): Promise<ToolResult> {
  const { path, n, call, toolset } = request
  const place: StepPlace = { turnId: run.turnId, path, n }
  const digest = digestOf(call.name, call.arguments)
  // What it reveals is revealed to this try: nothing of it is kept.
  const earlier = call.name === toolSearchName ? undefined : run.journal.earlier(place, digest)
  if (earlier && (earlier.status === 'succeeded' || earlier.status === 'failed' || earlier.status === 'unknown'))
    return resultOf(earlier)
  const tool = toolset.find(call.name)
  const prepared = tool ? prepare(tool, call) : { problem: unknownTool(call.name, toolset) }
  const entry = new Entry(run, request, digest)
  if (!tool || 'problem' in prepared) {
    const problem = 'problem' in prepared ? prepared.problem : ''
    return await entry.close('failed', `The call was not made. ${problem}`, tool ? 'bad_arguments' : 'unknown_tool')
  }
  if (earlier?.status === 'started' && tool.idempotency === 'once')
    return await entry.close('unknown', cutShort(tool.name), 'unknown_effect')
  if (toolset.needsApproval(tool.name)) {
    const decision = await askOperator(run, request, digest, entry)
    if (decision.status !== 'approved')
      return await entry.close('failed', refusal(decision), `approval_${decision.status}`)
  }
  await entry.open()
  return await carryOut(run, request, tool, prepared, entry)
}

async function carryOut(
  run: AgentRun,
  { powers, path, n }: ToolCallRequest,
  tool: Tool,
  prepared: PreparedCall,
  entry: Entry,
): Promise<ToolResult> {
  const timeOver = new AbortController()
  const timer = run.clock.after(tool.timeoutMs, () => timeOver.abort(new ToolFailed('timeout', timedOut(tool))))
  const signal = AbortSignal.any([run.signal, timeOver.signal])
  const context: ToolContext = {
    ...{ workspaceId: run.workspaceId, turnId: run.turnId, conversationId: run.conversationId, signal },
    ...{ callKey: `${run.turnId}:${path}:${n}`, log: run.services.log, clock: run.clock, turn: powers },
  }
  const span = run.tracer.span(`tool ${tool.name}`)
  try {
    const text = await Promise.race([prepared.run(context), aborted(signal)])
    return await entry.close('succeeded', text, null, tool.isUntrusted)
  } catch (error) {
    if (error instanceof TurnPaused) throw error
    // The turn ends: what a crash at this moment would leave is left. The next try, if there is one, knows what to do.
    if (run.signal.aborted) throw run.signal.reason
    if (error instanceof ToolFailed) return await entry.close('failed', error.message, error.code, tool.isUntrusted)
    run.services.log.error({ err: error, tool: tool.name, turn: run.turnId }, 'a tool failed for a reason of our own')
    return await entry.close('failed', 'The tool failed for a reason of the service’s own.', 'SVC-TOOL')
  } finally {
    timer.cancel()
    span.end()
  }
}

/** Rejects when the signal aborts, also for a tool that does not listen to it. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** Asks, and waits as the turn does. @throws TurnPaused */
async function askOperator(
  run: AgentRun,
  { path, n, agent, call }: ToolCallRequest,
  digest: string,
  entry: Entry,
): Promise<Decision> {
  const { db, settings, approvals, feed } = run.services
  const id = newApprovalId()
  const leave = new AbortController()
  const word = run.approvals === 'wait' ? approvals.wait(id, AbortSignal.any([run.signal, leave.signal])) : undefined
  word?.catch(() => {}) // heard below, or not needed
  try {
    const approval = await requestApproval(db, {
      ...{ id, workspaceId: run.workspaceId, turnId: run.turnId, path, n, conversationId: run.conversationId },
      ...{ agent: agent.name, tool: call.name, arguments: call.arguments, digest },
      expiresAt: new Date(run.clock.now() + settings.get('SERVICE_APPROVAL_EXPIRY')),
    })
    feed.wake()
    if (approval.digest !== digest) throw new Error('an approval is for other arguments')
    if (approval.status !== 'pending') return approval
    await entry.wait()
    run.progress(`waiting for an operator to approve ${call.name}`)
    if (!word) throw new TurnPaused()
    const resume = run.budget.pause()
    try {
      return await word
    } finally {
      resume()
    }
  } finally {
    leave.abort()
  }
}

function prepare(tool: Tool, call: ToolCall): PreparedCall | { problem: string } {
  if (call.problem !== undefined) return { problem: call.problem }
  return tool.prepare(call.arguments)
}

/** The row of one call, from its beginning to its end. */
class Entry {
  readonly #run: AgentRun
  readonly #request: ToolCallRequest
  readonly #digest: string
  #startedAt: Date
  #startedMs: number

  constructor(run: AgentRun, request: ToolCallRequest, digest: string) {
    this.#run = run
    this.#request = request
    this.#digest = digest
    this.#startedAt = new Date(run.clock.now())
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
    const kept: Kept = { text, is_untrusted: isUntrusted }
    const step = this.#step(status, kept, errorCode)
    await this.#write(step)
    return resultOf(step)
  }

  async #write(step: Step): Promise<void> {
    await this.#run.journal.write(step)
    this.#run.services.feed.wake()
  }

  #step(status: StepStatus, result: Kept | undefined, errorCode: string | null): Step {
    const { path, n, call } = this.#request
    return {
      ...{ turnId: this.#run.turnId, path, n, kind: 'tool', status, name: call.name, callId: call.id },
      ...{ workspaceId: this.#run.workspaceId, conversationId: this.#run.conversationId, digest: this.#digest },
      ...{ request: call.arguments, result, promptTokens: null, completionTokens: null, errorCode },
      startedAt: this.#startedAt,
      durationMs: result === undefined ? null : this.#run.clock.elapsed() - this.#startedMs,
    }
  }
}

function resultOf({ result, status }: Step): ToolResult {
  const { text, is_untrusted: isUntrusted } = result as Kept
  return { text, isFailure: status !== 'succeeded', isUntrusted }
}

function unknownTool(name: string, toolset: Toolset): string {
  const names = toolset.advertised().map((tool) => tool.name)
  return `There is no tool ${JSON.stringify(name.slice(0, 100))}. ${names.length > 0 ? `There are: ${names.join(', ')}.` : 'There are none.'}`
}

function refusal({ status, reason }: Decision): string {
  if (status === 'refused') return `An operator refused this call${reason ? `: ${reason}` : '.'} Do not make it again.`
  if (status === 'expired') return 'No operator approved this call in time. It was not made.'
  return 'The call was withdrawn. It was not made.'
}

function cutShort(tool: string): string {
  return (
    `The service was interrupted while ${tool} ran, and whether the call took effect is not known. It may have. ` +
    'It is not repeated; an operator has been told. Say so instead of making the call again.'
  )
}

const timedOut = (tool: Tool): string => `${tool.name} did not finish within ${tool.timeoutMs / 1_000} s and was ended.`
