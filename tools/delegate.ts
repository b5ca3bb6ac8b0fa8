/** Hands a part of the work to another agent. */
import { z } from 'zod'
import { defineTool, type ToolMaker } from './tool.ts'

/** Beyond any time that a sub-agent may take: that bound is the turn's own. */
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
    // What it did is in the steps of the turn: begun again, it goes on from there.
    idempotency: 'repeatable',
    timeoutMs,
    // A sub-agent tells what it has read.
    isUntrusted: true,
    run: (context, { agent, task }) => context.turn.delegate(agent, task),
  })
