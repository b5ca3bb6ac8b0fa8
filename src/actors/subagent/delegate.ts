/** Hands a task to a sub-agent as a child of the actor that asks, and waits for its end. */
import type { ActorContext } from '../../runtime/actor/define.ts'
import { ActorCrashed, ActorStopped, AskTimeout } from '../../runtime/actor/errors.ts'
import { ToolFailed } from '../../tools/tool.ts'
import type { Services } from '../services.ts'
import { type AgentRun, type DelegateOrder, TurnPaused } from '../turn/agent/agent-run.ts'
import type { SubagentKey, subagent } from './actor.ts'

type Asking = Pick<ActorContext<string, unknown, Services>, 'child' | 'services'>

/** @throws ToolFailed, TurnPaused, the signal's reason */
export async function delegateTo(
  context: Asking,
  definition: typeof subagent,
  run: AgentRun,
  { agent: name, task, path, depth, signal }: DelegateOrder,
): Promise<string> {
  const { agents, settings } = context.services
  const agent = agents.byName(run.workspaceId, name)
  if (!agent) throw new ToolFailed('unknown_agent', `The agent ${JSON.stringify(name)} is not there any more.`)
  const deadlineMs = settings.get('SERVICE_SUBAGENT_TIMEOUT_SEC') * 1_000
  run.progress(`${name} works on a part of it`)
  try {
    const end = await context
      .child(definition, `${run.turnId} ${path}` as SubagentKey)
      .ask(
        'run',
        { turnId: run.turnId, agent: { name, definition: agent.definition }, task, path, depth },
        { deadlineMs, signal },
      )
    if (end.status === 'paused') throw new TurnPaused()
    if (end.status === 'failed') throw new ToolFailed(end.code, `The agent ${name} failed: ${end.message}.`)
    return end.text
  } catch (error) {
    if (error instanceof AskTimeout)
      throw new ToolFailed('subagent_timeout', `The agent ${name} did not finish within ${deadlineMs / 1_000} s.`)
    if (error instanceof ActorCrashed || error instanceof ActorStopped)
      throw new ToolFailed('subagent_failed', `The agent ${name} failed for a reason of the service’s own.`, {
        cause: error,
      })
    throw error
  }
}
