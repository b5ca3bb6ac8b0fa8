/** One tool call of an agent's turn: checked, approved where it must be, entered in the ledger before and closed after, made once. */
import type { StepPlace } from '../../../store/turns/steps.ts'
import {
  type PreparedCall,
  type Tool,
  type ToolCapabilities,
  type ToolContext,
  ToolFailed,
} from '../../../tools/tool.ts'
import type { Decision } from '../../approvals/desk.ts'
import { type AgentRun, TurnPaused } from '../agent-run.ts'
import type { AgentProfile } from '../directory/definition.ts'
import { digestOf, JournalMismatch } from '../journal/journal.ts'
import { LedgerEntry, resultOf, type ToolResult } from '../journal/ledger-entry.ts'
import { askOperator } from './ask-operator.ts'
import { awaitTool } from './await-tool.ts'
import type { ToolCall } from './tool-calls.ts'
import { type Toolset, toolSearchName } from './toolset.ts'

export type { ToolResult }

export interface ToolCallRequest {
  path: string
  n: number
  agent: AgentProfile
  call: ToolCall
  toolset: Toolset
  capabilities: ToolCapabilities
}

/** @throws TurnPaused, BoundReached, JournalMismatch, the run's signal's reason */
export async function callTool(run: AgentRun, request: ToolCallRequest): Promise<ToolResult> {
  const { path, n, agent, call, toolset } = request
  const place: StepPlace = { turnId: run.turnId, path, n }
  const digest = digestOf(call.name, call.arguments)
  // What a search reveals is revealed to this attempt: nothing of it is taken from an earlier one.
  const earlier = call.name === toolSearchName ? undefined : run.journal.find(place, digest)
  if (earlier && (earlier.status === 'succeeded' || earlier.status === 'failed' || earlier.status === 'unknown'))
    return resultOf(earlier)
  const tool = toolset.find(call.name) ?? (earlier ? await awaitTool(run, toolset, call.name) : undefined)
  const prepared = tool ? prepare(tool, call) : { problem: unknownTool(call.name, toolset) }
  const madeAt = earlier?.status === 'started' ? earlier.startedAt : undefined
  const entry = new LedgerEntry(run, { path, n, call, digest, madeAt })
  const isReady = tool !== undefined && !('problem' in prepared)
  // A tool that is gone now, with its server or a setting, was there when the call was made.
  if (madeAt && !(isReady && tool.idempotency === 'repeatable'))
    return await entry.close('unknown', cutShort(call.name), 'unknown_effect')
  if (!isReady) {
    const problem = 'problem' in prepared ? prepared.problem : ''
    return await entry.close('failed', `The call was not made. ${problem}`, tool ? 'bad_arguments' : 'unknown_tool')
  }
  // A call for which approval was requested needs it, whatever the settings say by now.
  if (toolset.needsApproval(tool.name) || earlier?.status === 'waiting') {
    const decision = await askOperator(run, { path, n, agent: agent.name, call, digest }, entry)
    if (decision.status !== 'approved')
      return await entry.close('failed', refusal(decision), `approval_${decision.status}`)
  }
  run.signal.throwIfAborted()
  await entry.open()
  return await carryOut(run, request, tool, prepared as PreparedCall, entry)
}

async function carryOut(
  run: AgentRun,
  { capabilities, path, n }: ToolCallRequest,
  tool: Tool,
  prepared: PreparedCall,
  entry: LedgerEntry,
): Promise<ToolResult> {
  const timeOver = new AbortController()
  const timer = run.clock.after(tool.timeoutMs, () => timeOver.abort(new ToolFailed('timeout', timedOut(tool))))
  const signal = AbortSignal.any([run.signal, timeOver.signal])
  const context: ToolContext = {
    workspaceId: run.workspaceId,
    turnId: run.turnId,
    conversationId: run.conversationId,
    callKey: `${run.turnId}:${path}:${n}`,
    signal,
    log: run.services.log,
    clock: run.clock,
    turn: capabilities,
  }
  const span = run.tracer.span(`tool ${tool.name}`)
  let text: string
  try {
    text = await Promise.race([prepared.run(context), aborted(signal)])
  } catch (error) {
    if (error instanceof TurnPaused || error instanceof JournalMismatch) throw error
    if (run.signal.aborted) return await cutOff(run, tool, entry)
    // Nobody waits for its end any more: it may take effect yet.
    if (error === timeOver.signal.reason && tool.idempotency === 'once')
      return await entry.close('unknown', timedOut(tool), 'timeout', tool.isUntrusted)
    if (error instanceof ToolFailed) return entry.closeBehind('failed', error.message, error.code, tool.isUntrusted)
    run.services.log.error({ err: error, tool: tool.name, turn: run.turnId }, 'a tool failed for a reason of our own')
    return entry.closeBehind('failed', 'The tool failed for a reason of the service’s own.', 'SVC-TOOL')
  } finally {
    timer.cancel()
    span.end()
  }
  // The call was made: a failure to store its result is not one of the tool.
  return entry.closeBehind('succeeded', text, null, tool.isUntrusted)
}

/**
 * The turn ends under the call. One that may be made again is left open, and the next attempt, if there is one, makes it;
 * of one that may not, nobody can tell whether it took effect.
 * @throws the run's signal's reason
 */
async function cutOff(run: AgentRun, tool: Tool, entry: LedgerEntry): Promise<never> {
  if (tool.idempotency === 'once') {
    try {
      await entry.close('unknown', cutShort(tool.name), 'unknown_effect')
    } catch (error) {
      run.services.log.warn({ err: error, tool: tool.name, turn: run.turnId }, 'a call that was cut short stays open')
    }
  }
  throw run.signal.reason
}

/** Rejects when the signal aborts, also for a tool that does not listen to it. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function prepare(tool: Tool, call: ToolCall): PreparedCall | { problem: string } {
  if (call.problem !== undefined) return { problem: call.problem }
  return tool.prepare(call.arguments)
}

function unknownTool(name: string, toolset: Toolset): string {
  if (toolset.withheld.some((tool) => tool.name === name))
    return `${name} changes something, and several answers are written side by side: it can be called once one of them is chosen. Say what should be done with it.`
  const names = toolset.advertised().map((tool) => tool.name)
  return `There is no tool ${JSON.stringify(name.slice(0, 100))}. ${names.length > 0 ? `There are: ${names.join(', ')}.` : 'There are none.'}`
}

function refusal({ status, reason }: Decision): string {
  if (status === 'refused') return `An operator refused this call${reason ? `: ${reason}` : '.'}\nDo not make it again.`
  if (status === 'expired') return 'No operator approved this call in time. It was not made.'
  return 'The call was withdrawn. It was not made.'
}

function cutShort(tool: string): string {
  return (
    `The service was interrupted while ${tool} ran, and whether the call took effect is not known. It may have. ` +
    'It is not repeated; an operator has been told. Say so instead of making the call again.'
  )
}

function timedOut({ name, timeoutMs, idempotency }: Tool): string {
  const effect =
    idempotency === 'once' ? ' It may have taken effect all the same: find out before you make it again.' : ''
  return `${name} did not finish within ${timeoutMs / 1_000} s and was ended.${effect}`
}
