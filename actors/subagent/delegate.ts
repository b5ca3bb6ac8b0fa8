/** Hands a task to a sub-agent as a child of the actor that asks, follows its reports, and waits for its end. */
import type { AskOptions } from '../../runtime/actor/define.ts'
import { ActorCrashed, ActorStopped } from '../../runtime/actor/errors.ts'
import type { Streams } from '../../runtime/actor/streams.ts'
import { sleep } from '../../runtime/time/clock.ts'
import { seconds } from '../../runtime/time/duration.ts'
import { ToolFailed } from '../../tools/tool.ts'
import { type AgentRun, type DelegateRequest, type TurnFacts, TurnPaused } from '../agent/agent-run.ts'
import type { BudgetShare } from '../agent/budget/budget.ts'
import { JournalMismatch } from '../agent/journal/journal.ts'
import { isUnderPath, workingTimeMs } from '../agent/journal/working-time.ts'
import { TurnFailed } from '../turn/turn-failed.ts'
import {
  type BoundNotice,
  boundStream,
  reportStream,
  type SubagentKey,
  type SubagentReport,
  type SubagentRequest,
  type SubagentResult,
} from './messages.ts'

/** The actor whose children the sub-agents are. */
export interface SubagentHost {
  streams: Streams
  ask(key: SubagentKey, request: SubagentRequest, options: AskOptions): Promise<SubagentResult>
  /** Resolves when the sub-agent is gone. */
  stop(key: SubagentKey): Promise<void>
}

/** Children are stopped before whoever waits for them: the caller's own end comes within this time after theirs. */
const stopMs = seconds(5)

/** @throws ToolFailed, TurnPaused, JournalMismatch, the run's signal's reason */
export async function delegate(run: AgentRun, host: SubagentHost, request: DelegateRequest): Promise<string> {
  const { agent: name, path } = request
  const { agents, settings } = run.services
  const agent = agents.find(run.workspaceId, name)
  if (!agent) throw new ToolFailed('unknown_agent', `The agent ${JSON.stringify(name)} is not there any more.`)
  await checkBudget(run, name)
  const timeMs = settings.get('SERVICE_SUBAGENT_TIMEOUT_SEC') * 1_000
  const share = run.budget.share(timeMs - workingTimeMs(run.earlier, path))
  const signal = AbortSignal.any([run.signal, share.signal])
  const key = `${run.turnId} ${path}` as SubagentKey
  const stopFollowing = followReports(run, host.streams, key, share)
  run.progress(`${name} works on a part of it`)
  try {
    const turn = factsOf(run)
    const hasEarlierSteps = run.earlier.some((step) => isUnderPath(step.path, path))
    const profile = { name, version: agent.version, definition: agent.definition }
    const message = { ...request, turn, agent: profile, hasEarlierSteps }
    const result = await host.ask(key, message, { deadlineMs: Number.POSITIVE_INFINITY, signal })
    return answerOf(name, result)
  } catch (error) {
    if (share.signal.aborted && error === share.signal.reason)
      throw new ToolFailed('subagent_timeout', `The agent ${name} did not finish within ${timeMs / 1_000} s.`)
    // The service stops: the call stays open, and the next start goes on in it.
    if (error instanceof ActorStopped) await sleep(run.clock, stopMs, run.signal)
    if (error instanceof ActorCrashed || error instanceof ActorStopped)
      throw new ToolFailed('subagent_failed', `The agent ${name} failed for a reason of the service’s own.`, {
        cause: error,
      })
    throw error
  } finally {
    // Given up, it still writes how its own calls ended.
    if (signal.aborted) await host.stop(key)
    stopFollowing()
    share.end()
  }
}

/** That of the agent; all others were checked when the turn began. @throws ToolFailed */
async function checkBudget({ services, workspaceId }: AgentRun, agent: string): Promise<void> {
  // The origin is of no account here.
  const payer = { workspaceId, agent, origin: 'call' } as const
  try {
    await services.budgets.check(payer)
  } catch (error) {
    if (error instanceof TurnFailed) throw new ToolFailed('budget_exceeded', error.message)
    throw error
  }
}

/** What it reports happens in the turn; what the turn has used up it is told. @returns ends both */
function followReports(run: AgentRun, streams: Streams, key: SubagentKey, share: BudgetShare): () => void {
  const waits: (() => void)[] = []
  let stopTelling = () => {}

  function receive(report: SubagentReport): void {
    switch (report.kind) {
      case 'started': {
        const notices = streams.open<BoundNotice>(boundStream(key))
        stopTelling = run.budget.onReached((bound) => notices.write({ bound }))
        return
      }
      case 'spent':
        run.budget.spend(report.usage, report.isEstimated)
        return
      case 'step_taken':
        run.budget.takeStep()
        return
      case 'wait_began':
        waits.push(share.pause())
        return
      case 'wait_ended':
        waits.pop()?.()
        return
      default:
        run.report(report)
    }
  }

  const reports = streams.subscribe<SubagentReport>(reportStream(key), {
    item(report) {
      receive(report)
      return true
    },
    end() {},
  })
  return () => {
    reports.leave()
    stopTelling()
    for (const resume of waits) resume()
  }
}

function factsOf(run: AgentRun): TurnFacts {
  return {
    turnId: run.turnId,
    lease: run.lease,
    workspaceId: run.workspaceId,
    conversationId: run.conversationId,
    channelId: run.channelId,
    isWebChat: run.isWebChat,
    approvals: run.approvals,
    model: run.model,
    routedModel: run.routedModel,
    parameters: run.parameters,
  }
}

function answerOf(name: string, result: SubagentResult): string {
  switch (result.status) {
    case 'answered':
      return result.text
    case 'paused':
      throw new TurnPaused()
    case 'mismatched':
      throw new JournalMismatch(result)
    case 'failed':
      throw new ToolFailed(result.code, `The agent ${name} failed: ${result.message}.`)
    default:
      return result satisfies never
  }
}
