/** A sub-agent: the loop of another agent on a task of its own, as a child of the turn that handed it over. */
import type { TurnId } from '../../store/id.ts'
import type { AgentProfile } from '../agent/agent-run.ts'
import { defineActor } from '../services.ts'
import { delegateTo } from './delegate.ts'
import { runSubagent, type SubagentResult } from './run.ts'

/** Names the turn, and the path of the loop in it. */
export type SubagentKey = string & { readonly brand: 'SubagentKey' }

export interface SubagentRequest {
  turnId: TurnId
  agent: AgentProfile
  task: string
  path: string
  depth: number
  isReading: boolean
}

export const subagent = defineActor({
  kind: 'subagent',
  key: { parse: (value: unknown) => String(value) as SubagentKey },
  mailbox: { capacity: 4 },
  // One that crashes is not run again: the tool call that waits for it fails, and its agent hears so.
  supervision: 'temporary',
  start: (): object => ({}),
  /** The call that waits for it has failed and says so; what else its parent does goes on. */
  childFailed(): void {},
  receive: {
    run(context, order: SubagentRequest) {
      context.finish()
      return context.beside(
        (signal): Promise<SubagentResult> =>
          // Its own sub-agents are children of its own.
          runSubagent(context, order, signal, (run, next) => delegateTo(context, subagent, run, next)),
      )
    },
  },
})
