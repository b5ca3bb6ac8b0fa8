/** Plan, execute, combine: what becomes of a plan in whatever form it comes, and who is told which results. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../../support/gateway.ts'
import { answer, ask, calls, makeAgent, textAndCalls, textOf } from '../../turn/support/agents.ts'
import {
  changeSettings,
  conversationOf,
  lastSteps,
  messagesOf,
  placesOf,
  requestsOfPart,
  scriptParts,
  streamed,
} from '../../turn/support/parts.ts'

let service: GatewayUnderTest

beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_AGENT_PLAN_STEPS: '3' })
  await makeAgent(service, 'planner', { instructions: 'You are thorough.', tools: ['time_now'] })
})
afterAll(() => service.stop())
beforeEach(() => changeSettings(service, { SERVICE_AGENT_PLAN_STEP_ITERS: '' }))

const steps = (...names: string[]) => answer(JSON.stringify(names))

const instruction = (number: number, count: number, step: string) =>
  `user: You work on one step of a plan for the request above. Do this step and no other, and report its result in full.\n\nStep ${number} of ${count}: ${step}`

test('the planner is told the conversation and how many steps there may be, and no tools', async () => {
  scriptParts(service, { plan: [steps('look')], step: [answer('seen')], synthesis: [answer('Done.')] })
  await ask(service, 'planner', 'Do it')
  const [plan] = requestsOfPart(service, 'plan')
  expect(plan?.body).toEqual({
    model: 'planner',
    messages: [
      {
        role: 'system',
        content:
          'Divide the work that the user asks for into steps that can be done one after the other, each a short instruction. Reply with a JSON array of strings and nothing else. Use as few steps as the work needs, and at most 3.',
      },
      { role: 'user', content: 'Do it' },
    ],
  })
})

test('each step is told the results before it, and the answer is written from all of them', async () => {
  scriptParts(service, {
    plan: [steps('look', 'count')],
    step: [answer('two cats'), answer('2')],
    synthesis: [answer('There are two.')],
  })
  const completion = await ask(service, 'planner', 'How many?')
  expect(textOf(completion)).toBe('There are two.')
  expect(completion.usage.total_tokens).toBe(4 * 12)
  const [first, second] = requestsOfPart(service, 'step')
  expect(conversationOf(first)).toEqual(['user: How many?', instruction(1, 2, 'look')])
  expect(conversationOf(second)).toEqual([
    'user: How many?',
    'assistant: Step 1: look\nResult: two cats',
    instruction(2, 2, 'count'),
  ])
  const [synthesis] = requestsOfPart(service, 'synthesis')
  expect(conversationOf(synthesis)).toEqual([
    'user: How many?',
    'assistant: Step 1: look\nResult: two cats\n\nStep 2: count\nResult: 2',
    'user: The steps of a plan for the request above were carried out. Their results follow. Write the final answer to the user from them. Do not mention the plan unless the user asked for it.',
  ])
  for (const modelRequest of [first, second, synthesis])
    expect(messagesOf(modelRequest)[0].content).toContain('You are thorough.')
})

test('a step uses tools, and all of it stands under its path', async () => {
  scriptParts(service, {
    plan: [steps('look', 'count')],
    step: [calls({ name: 'time_now', arguments: {} }), answer('late'), answer('2')],
    synthesis: [answer('Done.')],
  })
  await ask(service, 'planner', 'x')
  expect(placesOf(await lastSteps(service))).toEqual([
    ...['answer#0 model', 'plan#0 model', 'step-1#0 model', 'step-1#1 time_now', 'step-1#100 model', 'step-2#0 model'],
  ])
})

test('a client that streams hears each step as a comment, and the answer alone in words', async () => {
  scriptParts(service, {
    plan: [steps('look\nclosely', 'count')],
    step: [answer('two cats'), answer('2')],
    synthesis: [answer('There are two.')],
  })
  const heard = await streamed(service, 'planner', 'x')
  expect(heard.order).toEqual([
    ...[': planning', ': step 1 of 2: look closely', ': step 2 of 2: count', 'There are two.'],
  ])
})

test('numbered lines are a plan as well', async () => {
  scriptParts(service, {
    plan: [answer('Here is the plan:\r\n1. look\r\n2) count\r\nGood luck!')],
    step: [answer('two cats'), answer('2')],
    synthesis: [answer('Done.')],
  })
  await ask(service, 'planner', 'x')
  expect(requestsOfPart(service, 'step').map((step) => conversationOf(step).at(-1))).toEqual([
    instruction(1, 2, 'look'),
    instruction(2, 2, 'count'),
  ])
})

test('where there is nothing to divide the answer is given at once, as without a plan', async () => {
  scriptParts(service, { plan: [answer('This needs no plan.')], answer: [answer('Hello!')] })
  expect(textOf(await ask(service, 'planner', 'Hi'))).toBe('Hello!')
  expect(conversationOf(requestsOfPart(service, 'answer')[0])).toEqual(['user: Hi'])
  expect(placesOf(await lastSteps(service))).toEqual(['#0 model', 'plan#0 model'])
})

test('steps past the bound are not done', async () => {
  scriptParts(service, {
    plan: [steps('a', 'b', 'c', 'd', 'e')],
    step: [answer('A'), answer('B'), answer('C')],
    synthesis: [answer('Done.')],
  })
  expect(textOf(await ask(service, 'planner', 'x'))).toBe('Done.')
  expect(conversationOf(requestsOfPart(service, 'step')[2]).at(-1)).toBe(instruction(3, 3, 'c'))
})

describe('model calls of one step', () => {
  const timeCall = calls({ name: 'time_now', arguments: {} })

  test.each([
    [0, 4],
    [2, 2],
  ])('with SERVICE_AGENT_PLAN_STEP_ITERS %i are at most %i, the last without tools', async (value, most) => {
    // 0 is the default.
    await changeSettings(service, { SERVICE_AGENT_PLAN_STEP_ITERS: value === 0 ? '' : String(value) })
    scriptParts(service, {
      plan: [steps('look')],
      step: [...Array.from({ length: most - 1 }, () => timeCall), answer('as far as I got')],
      synthesis: [answer('Done.')],
    })
    expect(textOf(await ask(service, 'planner', 'x'))).toBe('Done.')
    const rounds = service.endpoint.requests.slice(1, -1)
    expect(rounds.map(({ body }) => body.tools !== undefined)).toEqual([
      ...Array.from({ length: most - 1 }, () => true),
      false,
    ])
    expect(conversationOf(requestsOfPart(service, 'synthesis')[0])[1]).toContain(
      `Result: as far as I got\n\n[The turn has made as many steps as it may (${most}).]`,
    )
  })
})

test('the client’s tools and the form of its answer are the answer’s, not the steps’', async () => {
  const tools = [{ type: 'function', function: { name: 'open_door', parameters: { type: 'object' } } }]
  const form = { response_format: { type: 'json_object' }, max_tokens: 7 }
  scriptParts(service, {
    plan: [steps('look')],
    step: [answer('seen')],
    synthesis: [textAndCalls('', { name: 'open_door', arguments: {}, id: 'd' })],
  })
  const { choices } = await ask(service, 'planner', 'x', { tools, ...form, tool_choice: 'required' })
  expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { tool_calls: [{ id: 'd' }] } })
  const [step] = requestsOfPart(service, 'step')
  expect(step?.body.tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual(['time_now'])
  for (const part of [step, requestsOfPart(service, 'plan')[0]])
    for (const field of ['response_format', 'max_tokens', 'tool_choice']) expect(part?.body).not.toHaveProperty(field)
  expect(requestsOfPart(service, 'synthesis')[0]?.body).toMatchObject({ ...form, tool_choice: 'required' })
})
