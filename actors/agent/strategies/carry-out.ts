/**
 * What is written side by side must not act side by side: several answers would order several times. They are written with
 * tools that only read, and what the chosen one wants done is done once.
 */
import type { AgentRun, AnswerSink } from '../agent-run.ts'
import { toolLoop } from '../loop.ts'
import type { LoopResult } from '../loop-request.ts'
import { agentToolset } from '../tools/agent-toolset.ts'
import { delegateName, messageUserName, type Toolset } from '../tools/toolset.ts'
import { defaultPrompts } from './prompts.ts'
import { type StrategyRequest, sendText, subPath, withMoreInstructions } from './strategy.ts'

/** The same without tools that change something; whoever answers is told which these are. */
export function readOnlyRequest(run: AgentRun, ask: StrategyRequest): StrategyRequest {
  const toolset = ask.toolset.reading()
  const names = actingIn(run, ask)
  if (names.length === 0) return { ...ask, toolset }
  const words = defaultPrompts.reading.replace('{tools}', () => names.join(', '))
  return { ...ask, toolset, messages: withMoreInstructions(ask.messages, words) }
}

/** Whether the chosen answer may have to be carried out. */
export function canAct(run: AgentRun, ask: StrategyRequest): boolean {
  return actingIn(run, ask).length > 0
}

/** @param chosen nobody has heard it yet @returns the answer with what came of it */
export async function carryOut(
  run: AgentRun,
  ask: StrategyRequest,
  chosen: LoopResult,
  sink: AnswerSink | undefined,
): Promise<LoopResult> {
  if (!canAct(run, ask)) {
    sendText(sink, chosen.text)
    return chosen
  }
  run.progress('carrying out the chosen answer')
  return await toolLoop(run, {
    ...{ ...ask, path: subPath(ask.path, 'act'), sink },
    messages: [
      ...ask.messages,
      { role: 'assistant', content: chosen.text },
      { role: 'user', content: defaultPrompts.act },
    ],
  })
}

function actingIn(run: AgentRun, { toolset, agent, depth }: StrategyRequest): string[] {
  return [...acting(run, toolset, { agent, depth, seen: new Set() })]
}

/** Names of the tools that change something, those of the agents that work may be handed to among them. */
function* acting(
  run: AgentRun,
  toolset: Toolset,
  at: Pick<StrategyRequest, 'agent' | 'depth'> & { seen: Set<string> },
): Iterable<string> {
  const { agent, depth, seen } = at
  for (const { name } of toolset.reading().withheld) {
    // A word to the user before the answer is no deed that an answer could want.
    if (name !== messageUserName) yield depth === 0 ? name : `${name} of the agent ${agent.name}`
  }
  if (!toolset.find(delegateName)) return
  for (const name of agent.definition.sub_agents) {
    const below = run.services.agents.byName(run.workspaceId, name)
    if (!below || seen.has(name)) continue
    seen.add(name)
    const profile = { name, definition: below.definition }
    const theirs = agentToolset(run.services, profile, { depth: depth + 1, isReading: false })
    yield* acting(run, theirs, { agent: profile, depth: depth + 1, seen })
  }
}
