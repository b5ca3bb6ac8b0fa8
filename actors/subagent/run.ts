/** What a sub-agent does with a task, and how that ends: plain data for whoever asked. */
import { ModelError } from '../../models/errors.ts'
import type { ActorContext } from '../../runtime/actor/define.ts'
import type { Step } from '../../store/turns/steps.ts'
import { type AgentRun, TurnPaused } from '../agent/agent-run.ts'
import { BoundReached, limitsElsewhere, openBudget } from '../agent/budget/budget.ts'
import { JournalMismatch } from '../agent/journal/journal.ts'
import { isUnderPath } from '../agent/journal/working-time.ts'
import { toolLoop } from '../agent/loop.ts'
import { earlierSteps, openRun } from '../agent/open-run.ts'
import { agentPrompt } from '../agent/prompt/agent-prompt.ts'
import { isCutShort } from '../agent/retry-outages.ts'
import { withoutAnswerFormat } from '../agent/strategies/side-question.ts'
import { agentToolset } from '../agent/tools/agent-toolset.ts'
import type { Services } from '../services.ts'
import type { SubagentHost } from './delegate.ts'
import {
  type BoundNotice,
  boundStream,
  reportStream,
  type SubagentKey,
  type SubagentReport,
  type SubagentRequest,
  type SubagentResult,
} from './messages.ts'

type SubagentContext = ActorContext<SubagentKey, object, Services>

/** @param signal aborts when whoever asked gives up */
export async function runSubagent(
  context: SubagentContext,
  host: SubagentHost,
  request: SubagentRequest,
  signal: AbortSignal,
): Promise<SubagentResult> {
  const { clock, key, streams } = context
  const reports = streams.open<SubagentReport>(reportStream(key))
  const report = (of: SubagentReport) => void reports.write(of)
  const budget = openBudget(limitsElsewhere, clock, report)
  const bounds = streams.subscribe<BoundNotice>(boundStream(key), {
    item({ bound }) {
      budget.reach(bound)
      return true
    },
    end() {},
  })
  report({ kind: 'started' })
  try {
    const turn = { ...request.turn, parameters: parametersFor(request) }
    const earlier = request.hasEarlierSteps ? await stepsOfLoop(context, request, signal) : []
    const run = openRun(context, turn, { earlier, budget, signal, report, host })
    return await ended(run, () => work(run, request))
  } catch (error) {
    if (isCutShort(signal, error)) return cancelled
    throw error
  } finally {
    bounds.leave()
    budget.end()
  }
}

async function work(run: AgentRun, { agent, task, path, depth, isReading }: SubagentRequest): Promise<string> {
  const toolset = agentToolset(run.services, agent, { workspaceId: run.workspaceId, depth, isReading })
  const { text } = await toolLoop(run, {
    path,
    agent,
    depth,
    toolset,
    messages: [
      { role: 'system', content: agentPrompt(run, agent, toolset) },
      { role: 'user', content: task },
    ],
    stepsMax: run.services.settings.get('SERVICE_AGENT_STEPS_MAX'),
  })
  return text
}

/** Whoever asked has left, or knows that the turn ends: no failure of this agent. */
const cancelled: SubagentResult = { status: 'failed', code: 'cancelled', message: 'it was ended' }

/** What was done is stored before whoever asked goes on, or resumes the turn. @throws what is not for the agent that asked */
async function ended(run: AgentRun, answer: () => Promise<string>): Promise<SubagentResult> {
  try {
    const text = await answer()
    await run.journal.flushed()
    return { status: 'answered', text }
  } catch (error) {
    await run.subagentsEnded()
    const failure = await run.journal.flushed().catch((reason: unknown) => reason)
    if (failure !== undefined && failure !== error && !isCutShort(run.signal, failure)) throw failure
    if (error instanceof TurnPaused) return { status: 'paused' }
    if (error instanceof JournalMismatch) return { status: 'mismatched', ...error.place }
    if (error instanceof ModelError || error instanceof BoundReached)
      return { status: 'failed', code: error.code, message: error.message }
    throw error
  }
}

async function stepsOfLoop(context: SubagentContext, request: SubagentRequest, signal: AbortSignal): Promise<Step[]> {
  const steps = await earlierSteps(context, request.turn, signal)
  return steps.filter((step) => isUnderPath(step.path, request.path))
}

/** How the client wants its answer is nothing to a sub-agent; how it thinks is in its own definition. */
function parametersFor({ turn }: SubagentRequest): Record<string, unknown> {
  const {
    temperature: _t,
    top_p: _p,
    reasoning_effort: _e,
    tool_choice: _c,
    ...others
  } = withoutAnswerFormat(turn.parameters)
  return others
}
