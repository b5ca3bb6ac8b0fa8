/** What a sub-agent does, and how that ends: plain data for the one who asked. */
import { ModelError } from '../../models/errors.ts'
import type { ActorContext } from '../../runtime/actor/define.ts'
import type { FailureCode } from '../../runtime/failure.ts'
import type { TurnId } from '../../store/id.ts'
import { type AgentRun, type DelegateRequest, TurnPaused } from '../agent/agent-run.ts'
import { BoundReached } from '../agent/budget/budget.ts'
import { JournalMismatch } from '../agent/journal/journal.ts'
import { toolLoop } from '../agent/loop.ts'
import { isCutShort } from '../agent/patiently.ts'
import { agentPrompt } from '../agent/prompt/agent-prompt.ts'
import { withoutAnswerFormat } from '../agent/strategies/side-question.ts'
import { agentToolset } from '../agent/tools/agent-toolset.ts'
import type { Services } from '../services.ts'
import type { SubagentKey, SubagentRequest } from './actor.ts'

export type SubagentResult =
  | { status: 'answered'; text: string }
  | { status: 'failed'; code: FailureCode; message: string }
  /** An operator's word is waited for. */
  | { status: 'paused' }
  /** Begun again it came to a place where another step is stored: the turn ends. */
  | { status: 'mismatched'; path: string; n: number }

/** @param signal aborts when the one who asked gives up */
export async function runSubagent(
  context: ActorContext<SubagentKey, object, Services>,
  { turnId, agent, task, path, depth, isReading }: SubagentRequest,
  signal: AbortSignal,
  delegate: (run: AgentRun, order: DelegateRequest) => Promise<string>,
): Promise<SubagentResult> {
  const { services } = context
  const parent = services.agentRuns.get(turnId as TurnId)
  if (!parent) return { status: 'failed', code: 'turn_over', message: 'the turn that handed this over is over' }
  const run: AgentRun = {
    ...parent,
    signal: AbortSignal.any([parent.signal, signal]),
    parameters: parametersOf(parent),
    delegate: (order) => delegate(parent, order),
  }
  try {
    const toolset = agentToolset(services, agent, { depth, isReading })
    const { text } = await toolLoop(run, {
      ...{ path, agent, depth, toolset },
      messages: [
        { role: 'system', content: agentPrompt(run, agent, toolset) },
        { role: 'user', content: task },
      ],
      stepsMax: services.settings.get('SERVICE_AGENT_STEPS_MAX'),
    })
    return { status: 'answered', text }
  } catch (error) {
    if (error instanceof TurnPaused) return { status: 'paused' }
    if (error instanceof JournalMismatch) return { status: 'mismatched', path: error.place.path, n: error.place.n }
    if (error instanceof ModelError) return { status: 'failed', code: error.code, message: error.message }
    if (error instanceof BoundReached)
      return { status: 'failed', code: `out_of_${error.bound}`, message: error.message }
    // Whoever asked has left, or knows by itself that the turn ends: no failure of this agent.
    if (isCutShort(run.signal, error)) return { status: 'failed', code: 'cancelled', message: 'it was ended' }
    throw error
  }
}

/** How the client wants its answer is nothing to a sub-agent; how it thinks is in its own definition. */
function parametersOf({ parameters }: AgentRun): Record<string, unknown> {
  const {
    temperature: _,
    top_p: __,
    reasoning_effort: ___,
    tool_choice: ____,
    ...others
  } = withoutAnswerFormat(parameters)
  return others
}
