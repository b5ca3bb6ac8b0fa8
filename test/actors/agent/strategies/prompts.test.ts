/** Prompts of the operator's own take the place of the built-in ones, each where it belongs. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../../support/gateway.ts'
import { answer, ask, makeAgent, textOf } from '../../turn/support/agents.ts'
import {
  changeSettings,
  conversationOf,
  messagesOf,
  partOf,
  requestsOfPart,
  scriptParts,
} from '../../turn/support/parts.ts'

let service: GatewayUnderTest

beforeAll(async () => {
  service = await gatewayUnderTest({
    SERVICE_AGENT_JUDGE_PROMPT: 'OVERRIDE judge',
    SERVICE_AGENT_DEBATE_PROMPT: 'Debate in rhymes.',
    SERVICE_AGENT_DEBATE_JUDGE_PROMPT: 'OVERRIDE debate-judge',
    SERVICE_AGENT_PLAN_PROMPT: 'OVERRIDE plan of {steps} steps, no more than {steps}, $& {number}',
    SERVICE_AGENT_REFLECT_PROMPT: 'OVERRIDE critic',
  })
  await makeAgent(service, 'poet', { instructions: 'You are a poet.', tools: [] })
})
afterAll(() => service.stop())

const systemOf = (part: Parameters<typeof requestsOfPart>[1]) => messagesOf(requestsOfPart(service, part)[0])[0].content

test('those of the judge, of the planner and of the critic', async () => {
  await changeSettings(service, {
    SERVICE_AGENT_BEST_OF_N: '2',
    SERVICE_AGENT_PLAN_STEPS: '5',
    SERVICE_AGENT_REFLECT: '1',
  })
  scriptParts(service, {
    plan: [answer('["one"]')],
    step: [answer('1')],
    synthesis: [answer('A'), answer('A')],
    judge: [answer('2')],
    critic: [answer('No.')],
    revise: [answer('B')],
  })
  expect(textOf(await ask(service, 'poet', 'x'))).toBe('B')
  expect(systemOf('plan')).toBe('OVERRIDE plan of 5 steps, no more than 5, $& {number}')
  expect(systemOf('judge')).toBe('OVERRIDE judge')
  expect(systemOf('critic')).toBe('OVERRIDE critic')
})

test('those of a debate: its experts have theirs behind the agent’s own instructions', async () => {
  await changeSettings(service, {
    SERVICE_AGENT_PLAN_STEPS: '',
    SERVICE_AGENT_REFLECT: '',
    SERVICE_AGENT_DEBATE_N: '2',
  })
  scriptParts(service, { answer: [answer('A'), answer('B')], 'debate-judge': [answer('C')] })
  expect(textOf(await ask(service, 'poet', 'x'))).toBe('C')
  expect(systemOf('answer')).toMatch(/You are a poet\.[\s\S]*\n\nDebate in rhymes\.$/)
  expect(systemOf('debate-judge')).toBe('OVERRIDE debate-judge')
  expect(conversationOf(requestsOfPart(service, 'debate-judge')[0])[0]).toBe('user: x')
  // One round is what there is where the settings say nothing.
  expect(service.endpoint.requests.map(partOf)).toEqual(['answer', 'answer', 'debate-judge'])
})
