/** The loop of an agent: the model answers, the tools it calls are run, until it calls none. */

import { withoutReasoning } from '../../models/reasoning-field.ts'
import type { ChatMessage } from '../../models/transport.ts'
import { type AgentRun, TurnPaused } from './agent-run.ts'
import { AnswerText, reachedBound, usedUpNote } from './answer-text.ts'
import { BoundReached } from './budget/budget.ts'
import type { LoopRequest, LoopResult } from './loop-request.ts'
import { callModel, type ModelReply } from './model/call-model.ts'
import { callTool, type ToolResult } from './tools/call-tool.ts'
import { Healing } from './tools/healing.ts'
import { type ToolCall, toolCallsOf, withCalls } from './tools/tool-calls.ts'
import { toolCapabilities } from './tools/tool-capabilities.ts'
import { toolMessage } from './tools/tool-message.ts'

/** Places of one round in the journal: the model's, and as many calls as a round may make. */
const roundPlaces = 100
const callsMax = roundPlaces - 1

/** Calls of one round that run at once. */
const parallelMax = 8

/**
 * Past a bound of the turn the text until then is the answer, with a note.
 * @throws ModelError, TurnPaused, BoundReached where there is no text, JournalMismatch, the run's signal's reason
 */
export async function toolLoop(run: AgentRun, request: LoopRequest): Promise<LoopResult> {
  const answer = new AnswerText(request.sink)
  try {
    return await runRounds(run, request, answer)
  } catch (error) {
    const bound = reachedBound(run, error)
    if (bound === undefined) throw error
    answer.cutStep()
    if (answer.isEmpty) throw new BoundReached(bound)
    return answer.endWith(usedUpNote(bound))
  }
}

async function runRounds(run: AgentRun, request: LoopRequest, answer: AnswerText): Promise<LoopResult> {
  const { agent, path } = request
  const messages = [...request.messages]
  const healing = new Healing(run.services.settings.get('SERVICE_AGENT_SELF_HEAL'))
  let { stepsMax } = request
  for (let round = 0; ; round++) {
    const isLast = round >= stepsMax - 1
    const tools = isLast ? [] : offeredTools(request)
    const reply = await callModel(run, { path, n: round * roundPlaces, agent, messages, tools, sink: answer.sink })
    answer.endStep(reply.text)
    const calls = toolCallsOf(reply.message, round)
    if (calls.some((call) => isClientTool(request, call))) {
      const before = messages.slice(request.messages.length)
      return await handToClient(run, request, { round, reply, calls, before, healing, text: answer.text })
    }
    if (isLast && (round > 0 || calls.length > 0))
      return answer.endWith(`The turn has made as many steps as it may (${stepsMax}).`)
    if (calls.length === 0) {
      const finishReason = reply.finishReason === 'tool_calls' ? 'stop' : reply.finishReason
      return { text: answer.text, clientCalls: null, finishReason }
    }
    const results = await runCalls(run, request, calls, round)
    messages.push(withCalls(reply.message, calls))
    messages.push(...results.map((result, at) => toolMessage(run, calls[at] as ToolCall, result, healing)))
    if (results.some(({ isFailure, isFinal }) => isFailure && !isFinal) && healing.takeRound()) stepsMax++
  }
}

/** Under one name there is one tool: the client's, which knows what it sent. */
function offeredTools(request: LoopRequest) {
  const own = request.toolset.advertised().filter((tool) => !isClientTool(request, tool))
  return [...own, ...(request.clientTools ?? [])]
}

function isClientTool({ clientTools = [] }: LoopRequest, { name }: { name: string }): boolean {
  return clientTools.some((tool) => tool.name === name)
}

interface ClientRound {
  round: number
  reply: ModelReply
  calls: readonly ToolCall[]
  /** Messages of earlier rounds. */
  before: readonly ChatMessage[]
  healing: Healing
  text: string
}

/** Ours are made first: the client's results come with a request of their own, and find them made. */
async function handToClient(run: AgentRun, request: LoopRequest, of: ClientRound): Promise<LoopResult> {
  const { round, reply, calls, before, healing, text } = of
  const ownCalls = calls.filter((call) => !isClientTool(request, call))
  const results = await runCalls(run, request, ownCalls, round)
  const clientCalls = calls.filter((call) => isClientTool(request, call))
  return {
    text,
    clientCalls: withCalls(withoutReasoning(reply.message), clientCalls),
    clientToolCalls: {
      before,
      message: withCalls(reply.message, calls),
      results: results.map((result, at) => toolMessage(run, ownCalls[at] as ToolCall, result, healing)),
    },
    finishReason: 'tool_calls',
  }
}

const tooManyCalls: ToolResult = {
  text: `Not made: at most ${callsMax} calls in one step.`,
  isFailure: true,
  isFinal: false,
  isUntrusted: false,
}

/** In parallel, within a bound; all are done when it returns or throws. */
async function runCalls(
  run: AgentRun,
  request: LoopRequest,
  calls: readonly ToolCall[],
  round: number,
): Promise<ToolResult[]> {
  const results: (ToolResult | undefined)[] = []
  const failures: unknown[] = []
  let next = 0
  async function work(): Promise<void> {
    for (let at = next++; at < calls.length; at = next++) {
      const call = calls[at] as ToolCall
      const n = round * roundPlaces + at + 1
      try {
        results[at] = at < callsMax ? await runCall(run, request, call, n) : tooManyCalls
      } catch (error) {
        failures.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(parallelMax, calls.length) }, work))
  // Anything but a pause is the end of the turn, and comes first.
  if (failures.length > 0) throw failures.find((error) => !(error instanceof TurnPaused)) ?? failures[0]
  return results as ToolResult[]
}

function runCall(run: AgentRun, { path, agent, toolset, depth }: LoopRequest, call: ToolCall, n: number) {
  const below = `${path === '' ? '' : `${path}/`}${n}`
  const capabilities = toolCapabilities(run, { agent, toolset, depth, path: below })
  return callTool(run, { path, n, agent, call, toolset, capabilities })
}
