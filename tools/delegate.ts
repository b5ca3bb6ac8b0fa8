/** The tool `delegate`: gives a part of the work to another agent. */
import { z } from 'zod'
import { defineTool, type ToolMaker } from './tool.ts'

/** Longer than any sub-agent may take: the turn has its own limit for that. */
const timeoutMs = 25 * 3_600_000

export const delegate: ToolMaker = () =>
  defineTool({
    name: 'delegate',
    description:
      'Hands a task to another agent and returns its answer. The agent knows nothing of this conversation: put everything ' +
      'it needs into the task. Several calls in one step run in parallel.',
    arguments: z.object({
      agent: z.string().min(1).max(64).describe('The name of the agent.'),
      task: z.string().min(1).max(100_000).describe('What it is to do, in full.'),
    }),
    risk: 'read',
    // Its steps are in the journal of the turn: a repeated call continues from there.
    idempotency: 'repeatable',
    timeoutMs,
    // A sub-agent's answer may repeat what it has read.
    isUntrusted: true,
    run: (context, { agent, task }) => context.turn.delegate(agent, task),
  })
