/** Hands a task to a sub-agent as a child of the actor that asks, and waits for its end. */
import type { ActorContext } from '../../runtime/actor/define.ts'
import { ActorCrashed, ActorStopped } from '../../runtime/actor/errors.ts'
import { sleep } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import { ToolFailed } from '../../tools/tool.ts'
import { type AgentRun, type DelegateRequest, TurnPaused } from '../agent/agent-run.ts'
import { JournalMismatch } from '../agent/journal/journal.ts'
import { workingTimeMs } from '../agent/journal/working-time.ts'
import type { Services } from '../services.ts'
import type { SubagentKey, subagent } from './actor.ts'
import type { SubagentResult } from './run.ts'

type Asking = Pick<ActorContext<string, unknown, Services>, 'child' | 'services'>

/** Children are stopped before whoever waits for them: so long that one's own end may come after theirs. */
const stopMs = seconds(5)

/** @throws ToolFailed, TurnPaused, JournalMismatch, the signal's reason */
export async function delegateTo(
  context: Asking,
  definition: typeof subagent,
  run: AgentRun,
  order: DelegateRequest,
): Promise<string> {
  const { agent: name, task, path, depth, isReading, signal } = order
  const { agents, settings } = context.services
  const agent = agents.byName(run.workspaceId, name)
  if (!agent) throw new ToolFailed('unknown_agent', `The agent ${JSON.stringify(name)} is not there any more.`)
  const timeMs = settings.get('SERVICE_SUBAGENT_TIMEOUT_SEC') * 1_000
  const time = run.budget.share(path, timeMs - workingTimeMs(run.earlier, path))
  run.progress(`${name} works on a part of it`)
  try {
    const end = await context
      .child(definition, `${run.turnId} ${path}` as SubagentKey)
      .ask(
        'run',
        { turnId: run.turnId, agent: { name, definition: agent.definition }, task, path, depth, isReading },
        { deadlineMs: Number.POSITIVE_INFINITY, signal: AbortSignal.any([signal, time.signal]) },
      )
    return answerOf(name, end)
  } catch (error) {
    if (time.signal.aborted && error === time.signal.reason)
      throw new ToolFailed('subagent_timeout', `The agent ${name} did not finish within ${timeMs / 1_000} s.`)
    // The service stops: the call stays open, and the next start goes on in it.
    if (error instanceof ActorStopped) await sleep(run.clock, stopMs, signal)
    if (error instanceof ActorCrashed || error instanceof ActorStopped)
      throw new ToolFailed('subagent_failed', `The agent ${name} failed for a reason of the service’s own.`, {
        cause: error,
      })
    throw error
  } finally {
    time.end()
  }
}

function answerOf(name: string, end: SubagentResult): string {
  switch (end.status) {
    case 'answered':
      return end.text
    case 'paused':
      throw new TurnPaused()
    case 'mismatched':
      throw new JournalMismatch(end)
    case 'failed':
      throw new ToolFailed(end.code, `The agent ${name} failed: ${end.message}.`)
    default:
      return end satisfies never
  }
}
