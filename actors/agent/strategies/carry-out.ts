/**
 * Answers that are written side by side must not act side by side: each of them would place the order. They are written
 * with tools that only read, and the chosen one is carried out once.
 */
import type { AgentRun, AnswerSink } from '../agent-run.ts'
import { toolLoop } from '../loop.ts'
import type { LoopResult } from '../loop-request.ts'
import { agentToolset } from '../tools/agent-toolset.ts'
import { delegateName, messageUserName, type Toolset } from '../tools/toolset.ts'
import { defaultPrompts } from './prompts.ts'
import { type StrategyRequest, sendText, subPath, withMoreInstructions } from './strategy.ts'

/** The same without tools that change something; whoever answers is told which these are. */
export function readOnlyRequest(run: AgentRun, request: StrategyRequest): StrategyRequest {
  const toolset = request.toolset.reading()
  const names = actingTools(run, request)
  if (names.length === 0) return { ...request, toolset }
  const instructions = defaultPrompts.reading.replace('{tools}', () => names.join(', '))
  return { ...request, toolset, messages: withMoreInstructions(request.messages, instructions) }
}

/** Whether the chosen answer may have to be carried out. */
export function canAct(run: AgentRun, request: StrategyRequest): boolean {
  return actingTools(run, request).length > 0
}

/** @param chosen not sent to anybody yet @returns the answer with what came of it */
export async function carryOut(
  run: AgentRun,
  request: StrategyRequest,
  chosen: LoopResult,
  sink: AnswerSink | undefined,
): Promise<LoopResult> {
  if (!canAct(run, request)) {
    sendText(sink, chosen.text)
    return chosen
  }
  run.progress('carrying out the chosen answer')
  return await toolLoop(run, {
    ...request,
    path: subPath(request.path, 'act'),
    sink,
    messages: [
      ...request.messages,
      { role: 'assistant', content: chosen.text },
      { role: 'user', content: defaultPrompts.act },
    ],
  })
}

function actingTools(run: AgentRun, { toolset, agent, depth }: StrategyRequest): string[] {
  return [...actingToolNames(run, toolset, { agent, depth, visited: new Set() })]
}

/** Names of the tools that change something, those of the agents that work may be handed to among them. */
function* actingToolNames(
  run: AgentRun,
  toolset: Toolset,
  at: Pick<StrategyRequest, 'agent' | 'depth'> & { visited: Set<string> },
): Iterable<string> {
  const { agent, depth, visited } = at
  for (const { name } of toolset.reading().withheld) {
    // An interim message to the user is nothing that an answer could want done.
    if (name !== messageUserName) yield depth === 0 ? name : `${name} of the agent ${agent.name}`
  }
  if (!toolset.find(delegateName)) return
  for (const name of agent.definition.sub_agents) {
    const below = run.services.agents.find(run.workspaceId, name)
    if (!below || visited.has(name)) continue
    visited.add(name)
    const profile = { name, definition: below.definition }
    const toolsetBelow = agentToolset(run.services, profile, {
      workspaceId: run.workspaceId,
      depth: depth + 1,
      isReading: false,
    })
    yield* actingToolNames(run, toolsetBelow, { agent: profile, depth: depth + 1, visited })
  }
}
