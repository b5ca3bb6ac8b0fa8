/** Opens what an agent's loop works with, for the agent of a turn and for a sub-agent alike. */
import type { ActorContext } from '../../runtime/actor/define.ts'
import type { Step } from '../../store/turns/steps.ts'
import type { Services } from '../services.ts'
import { delegate, type SubagentHost } from '../subagent/delegate.ts'
import type { AgentRun, RunReport, TurnFacts } from './agent-run.ts'
import type { Budget } from './budget/budget.ts'
import { openJournal } from './journal/journal.ts'
import { retryOutages } from './retry-outages.ts'

export type RunContext = Pick<ActorContext<string, unknown, Services>, 'services' | 'clock' | 'tracer' | 'trace'>

export interface RunParts {
  /** What earlier attempts have done in this loop and below it. */
  earlier: readonly Step[]
  budget: Budget
  /** Aborts when whoever asked for the work gives up. */
  signal: AbortSignal
  report(report: RunReport): void
  host: SubagentHost
}

export function openRun(context: RunContext, facts: TurnFacts, parts: RunParts): AgentRun {
  const { services, clock, tracer, trace } = context
  const { earlier, budget, report, host } = parts
  const signal = AbortSignal.any([parts.signal, budget.signal])
  const subagents = new Set<Promise<unknown>>()
  const writer = {
    write: (...steps: Step[]) => retryOutages({ clock, signal }, () => services.steps.write(facts.lease, ...steps)),
  }
  const run: AgentRun = {
    ...facts,
    services,
    clock,
    tracer,
    trace,
    transport: services.model(),
    journal: openJournal(writer, earlier, { takeStep: () => budget.takeStep(), yieldToLoop: services.yieldToLoop }),
    earlier,
    budget,
    signal,
    report,
    progress: (words) => report({ kind: 'progress', words }),
    delegate(request) {
      const answer = delegate(run, host, request)
      const ended: Promise<unknown> = answer.then(
        () => subagents.delete(ended),
        () => subagents.delete(ended),
      )
      subagents.add(ended)
      return answer
    },
    async subagentsEnded() {
      await Promise.all(subagents)
    },
  }
  return run
}

/** What earlier attempts of the turn have done. @throws what is no outage; an outage or the signal's reason once it has aborted */
export function earlierSteps(
  { services, clock }: RunContext,
  { workspaceId, turnId }: Pick<TurnFacts, 'workspaceId' | 'turnId'>,
  signal: AbortSignal,
): Promise<Step[]> {
  return retryOutages({ clock, signal }, () => services.stepsOf(services.db, workspaceId, turnId))
}
