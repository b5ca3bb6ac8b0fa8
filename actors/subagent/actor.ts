/** A sub-agent: the loop of another agent on a task of its own, as a child of the turn that handed it over. */
import type { ActorContext } from '../../runtime/actor/define.ts'
import { defineActor, type Services } from '../services.ts'
import type { SubagentHost } from './delegate.ts'
import { SubagentKey, type SubagentRequest, type SubagentResult } from './messages.ts'
import { runSubagent } from './run.ts'

export const subagent = defineActor({
  kind: 'subagent',
  key: SubagentKey,
  mailbox: { capacity: 4 },
  // One that crashes is not run again: the tool call that waits for it fails, and its agent is told so.
  supervision: 'temporary',
  start: (): object => ({}),
  /** The call that waits for it has failed and says so; what else its parent does goes on. */
  childFailed(): void {},
  receive: {
    run(context, request: SubagentRequest) {
      context.finish()
      return context.beside(
        (signal): Promise<SubagentResult> => runSubagent(context, subagentHost(context), request, signal),
      )
    },
  },
})

type HostContext = Pick<ActorContext<string, unknown, Services>, 'child' | 'stopChild' | 'streams'>

/** Sub-agents are children of the actor that hands work to them, be it the turn or a sub-agent. */
export function subagentHost(context: HostContext): SubagentHost {
  return {
    streams: context.streams,
    ask: (key, request, options) => context.child(subagent, key).ask('run', request, options),
    stop: (key) => context.stopChild(subagent, key),
  }
}
