/** Reflection, and the order in which the strategies combine. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { approvesDraft } from '../../../../actors/agent/strategies/reflect.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../../support/gateway.ts'
import { answer, ask, calls, makeAgent, textAndCalls, textOf } from '../../turn/support/agents.ts'
import {
  changeSettings,
  conversationOf,
  lastSteps,
  messagesOf,
  partOf,
  placesOf,
  requestsOfPart,
  scriptParts,
  streamed,
} from '../../turn/support/parts.ts'

let service: GatewayUnderTest

beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_AGENT_REFLECT: '1' })
  await makeAgent(service, 'writer', { instructions: 'You write.', tools: ['time_now'] })
})
afterAll(() => service.stop())

describe('reflection', () => {
  test('gives the draft as it is where the critic finds nothing', async () => {
    scriptParts(service, { answer: [answer('The draft.')], critic: [answer('**OK**.')] })
    const completion = await ask(service, 'writer', 'Write')
    expect(textOf(completion)).toBe('The draft.')
    expect(completion.usage.total_tokens).toBe(24)
    const [critic] = requestsOfPart(service, 'critic')
    expect(messagesOf(critic)[0].content).toBe(
      'Read your draft of an answer to the conversation above as its strictest critic. Look for errors, gaps, claims without support, and parts of the request that are not answered. List what has to change, in short sentences. Where nothing has to, reply with OK alone.',
    )
    expect(conversationOf(critic)).toEqual(['user: Write', 'assistant: The draft.', 'user: Criticise the draft.'])
    expect(critic?.body.tools).toBeUndefined()
  })

  test('has the answer written anew from draft and criticism', async () => {
    scriptParts(service, {
      answer: [answer('The draft.')],
      critic: [answer('Too short.')],
      revise: [answer('Longer.')],
    })
    expect(textOf(await ask(service, 'writer', 'Write'))).toBe('Longer.')
    const [revise] = requestsOfPart(service, 'revise')
    expect(messagesOf(revise)[0].content).toContain('You write.')
    expect(conversationOf(revise)).toEqual([
      'user: Write',
      'assistant: The draft.',
      'user: Criticism of the draft:\nToo short.\n\nWrite the final answer to the user: your draft, changed as the criticism asks where it is right. Do not mention the draft or the criticism.',
    ])
  })

  test('lets the draft use tools, whose words are no part of the criticism', async () => {
    scriptParts(service, {
      answer: [textAndCalls('Looking.', { name: 'time_now', arguments: {} }), answer('It is late.')],
      critic: [answer('OK')],
    })
    expect(textOf(await ask(service, 'writer', 'x'))).toBe('Looking.\n\nIt is late.')
    expect(conversationOf(requestsOfPart(service, 'critic')[0])[1]).toBe('assistant: Looking.\n\nIt is late.')
    expect(placesOf(await lastSteps(service))).toEqual([
      ...['#0 model', '#1 time_now', '#100 model', 'reflect#0 model'],
    ])
  })

  test.each([
    ['OK', [answer('OK')], 'The draft.', []],
    ['criticism', [answer('No.')], 'Longer.', [': writing the answer anew']],
  ])('after %s a client that streams hears one answer, and comments before it', async (_, critic, text, more) => {
    scriptParts(service, { answer: [answer('The draft.')], critic, revise: [answer('Longer.')] })
    const heard = await streamed(service, 'writer', 'x')
    expect(heard.order).toEqual([': criticising the draft', ...more, text])
    expect(heard.finish).toBe('stop')
  })

  test('takes for OK what says it alone, in Latin or Cyrillic letters, and nothing else', () => {
    for (const text of ['OK', 'ok.', '**OK**', ' "Ok!"\n', 'ОК', '«Ок».', '', ' '])
      expect([text, approvesDraft(text)]).toEqual([text, true])
    for (const text of ['Not ok', 'OK, but too short', 'Ответ не ok: слишком коротко', 'Неверно', '1. ok', '不好'])
      expect([text, approvesDraft(text)]).toEqual([text, false])
  })

  test('leaves a call of the client’s own tool alone', async () => {
    const tools = [{ type: 'function', function: { name: 'open_door', parameters: { type: 'object' } } }]
    scriptParts(service, { answer: [calls({ name: 'open_door', arguments: {}, id: 'd' })] })
    const heard = await streamed(service, 'writer', 'x', { tools })
    expect([heard.finish, heard.toolCalls]).toMatchObject(['tool_calls', [{ id: 'd', index: 0 }]])
  })
})

describe('all together', () => {
  beforeEach(() => changeSettings(service, { SERVICE_AGENT_PLAN_STEPS: '2', SERVICE_AGENT_BEST_OF_N: '2' }))

  const order = () => service.endpoint.requests.map(partOf)

  test('a plan goes first, its answer is the best of several, and that one is criticised', async () => {
    scriptParts(service, {
      plan: [answer('["look", "count"]')],
      step: [answer('two cats'), answer('2')],
      synthesis: [answer('There are two.'), answer('There are two.')],
      judge: [answer('2')],
      critic: [answer('Say what.')],
      revise: [answer('There are two cats.')],
    })
    const heard = await streamed(service, 'writer', 'How many?')
    expect(heard.order).toEqual([
      ...[': planning', ': step 1 of 2: look', ': step 2 of 2: count', ': writing 2 candidates'],
      ...[': judging the candidates', ': criticising the draft', ': writing the answer anew', 'There are two cats.'],
    ])
    expect(order()).toEqual(['plan', 'step', 'step', 'synthesis', 'synthesis', 'judge', 'critic', 'revise'])
    const results = 'assistant: Step 1: look\nResult: two cats\n\nStep 2: count\nResult: 2'
    for (const part of ['judge', 'critic', 'revise'] as const)
      expect(conversationOf(requestsOfPart(service, part)[0])).toContain(results)
    expect(placesOf(await lastSteps(service))).toEqual([
      ...['answer/best-1#0 model', 'answer/best-2#0 model', 'answer/judge#0 model', 'answer/reflect#0 model'],
      ...['answer/revise#0 model', 'plan#0 model', 'step-1#0 model', 'step-2#0 model'],
    ])
  })

  test('a debate takes the place of the best of several', async () => {
    await changeSettings(service, { SERVICE_AGENT_DEBATE_N: '2' })
    scriptParts(service, {
      plan: [answer('["look"]')],
      step: [answer('two cats')],
      synthesis: [answer('A'), answer('B')],
      'debate-judge': [answer('Two.')],
      critic: [answer('OK')],
    })
    expect(textOf(await ask(service, 'writer', 'How many?'))).toBe('Two.')
    expect(order()).toEqual(['plan', 'step', 'synthesis', 'synthesis', 'debate-judge', 'critic'])
  })

  test('with no plan to be made the best of several is criticised all the same', async () => {
    await changeSettings(service, { SERVICE_AGENT_DEBATE_N: '' })
    scriptParts(service, {
      plan: [answer('No.')],
      answer: [answer('A'), answer('A')],
      judge: [answer('1')],
      critic: [answer('OK')],
    })
    expect(textOf(await ask(service, 'writer', 'x'))).toBe('A')
    expect(order()).toEqual(['plan', 'answer', 'answer', 'judge', 'critic'])
  })
})
