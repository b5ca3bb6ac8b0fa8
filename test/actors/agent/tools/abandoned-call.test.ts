/** A call whose tool does not end in its time, on virtual time: nobody knows whether one that may be made once takes effect yet. */
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { AgentRun } from '../../../../actors/agent/agent-run.ts'
import { limitsElsewhere, openBudget } from '../../../../actors/agent/budget/budget.ts'
import { AgentDefinition } from '../../../../actors/agent/directory/definition.ts'
import { openJournal } from '../../../../actors/agent/journal/journal.ts'
import { callTool } from '../../../../actors/agent/tools/call-tool.ts'
import { toolCapabilities } from '../../../../actors/agent/tools/tool-capabilities.ts'
import { createToolset } from '../../../../actors/agent/tools/toolset.ts'
import { noTracer } from '../../../../runtime/telemetry/trace.ts'
import { firstWorkspaceId, newTurnId } from '../../../../store/id.ts'
import type { Step } from '../../../../store/turns/steps.ts'
import { defineTool } from '../../../../tools/tool.ts'
import { type OpenChannels, openChannels } from '../../channel/support/open-channels.ts'

const unbounded = { takeStep: () => true, yieldToLoop: async () => {} }

function runIn({ services, clock }: OpenChannels, written: Step[]): AgentRun {
  const budget = openBudget(limitsElsewhere, clock)
  const write = async (...steps: Step[]) => void written.push(...steps)
  return {
    turnId: newTurnId(),
    lease: null,
    workspaceId: firstWorkspaceId,
    conversationId: null,
    channelId: null,
    isWebChat: false,
    services,
    clock,
    tracer: noTracer,
    trace: undefined,
    transport: services.model(),
    parameters: {},
    model: 'm',
    routedModel: undefined,
    journal: openJournal({ write }, [], unbounded),
    earlier: [],
    budget,
    approvals: 'wait',
    signal: budget.signal,
    report() {},
    progress() {},
    delegate: () => Promise.reject(new Error('there are no sub-agents here')),
    subagentsEnded: async () => {},
  }
}

test.each([
  ['once', 'unknown', /may have taken effect/],
  ['repeatable', 'failed', /did not finish within 1 s and was ended\.$/],
] as const)('a call that may be made %s and is given up ends as %s', async (idempotency, status, words) => {
  const open = await openChannels()
  const tool = defineTool({
    name: 'stands_still',
    description: 'x',
    arguments: z.object({}),
    risk: 'write',
    idempotency,
    timeoutMs: 1_000,
    run: () => new Promise<string>(() => {}),
  })
  const agent = { name: 'clerk', definition: AgentDefinition.parse({}) }
  const rules = { approvalTools: [], isSearchOn: false, searchCore: [], searchThreshold: 0, mayDelegate: false }
  const toolset = createToolset([tool], agent.definition, rules)
  const written: Step[] = []
  const run = runIn(open, written)
  const capabilities = toolCapabilities(run, { agent, toolset, depth: 0, path: '1' })
  const call = { id: 'c', name: 'stands_still', arguments: {} }
  const ended = callTool(run, { path: '', n: 1, agent, call, toolset, capabilities })
  await open.clock.advance(1_000)
  const result = await ended
  await run.journal.flushed()
  expect(result).toMatchObject({ isFailure: true, isFinal: status === 'unknown' })
  expect(result.text).toMatch(words)
  expect(written.map((step) => step.status)).toEqual(['started', status])
})
