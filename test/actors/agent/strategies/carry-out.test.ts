/** What several write side by side is done once: they read, one is chosen, and that one is carried out. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../../support/gateway.ts'
import type { ScriptedAnswer } from '../../../support/model-endpoint.ts'
import { type Effects, effectsServer } from '../../approvals/support/supervised.ts'
import { answer, ask, calls, makeAgent, textOf, toolResults } from '../../turn/support/agents.ts'
import {
  changeSettings,
  lastSteps,
  messagesOf,
  placesOf,
  requestsOfPart,
  scriptParts,
  streamed,
} from '../../turn/support/parts.ts'

let service: GatewayUnderTest
let effects: Effects

beforeAll(async () => {
  effects = await effectsServer()
  service = await gatewayUnderTest({ SERVICE_HTTP_ALLOWLIST: effects.host })
  await makeAgent(service, 'clerk', { tools: ['http_request', 'calculator'] })
  await makeAgent(service, 'boss', { tools: [], sub_agents: ['clerk'] })
  await makeAgent(service, 'reader', { tools: ['calculator', 'message_user'] })
})
afterAll(async () => {
  await service.stop()
  await effects.close()
})
afterEach(() => {
  effects.made.length = 0
  return changeSettings(service, {
    SERVICE_AGENT_BEST_OF_N: '',
    SERVICE_AGENT_DEBATE_N: '',
    SERVICE_AGENT_TOKENS_MAX: '',
  })
})

const order = () =>
  calls({ name: 'http_request', arguments: { method: 'POST', url: `http://${effects.host}/order`, body: 'x' } })

/** Asks for the call first, whatever it is told of it. */
const after =
  (call: ScriptedAnswer, words: string): ScriptedAnswer =>
  (given) =>
    (messagesOf(given.request).at(-1).role === 'tool' ? answer(words) : call)(given)

const orders = (words: string) => after(order(), words)

const namesIn = (at: number, part: 'answer' | 'act'): string[] =>
  (requestsOfPart(service, part)[at]?.body.tools ?? []).map(
    (tool: { function: { name: string } }) => tool.function.name,
  )

describe('the best of several', () => {
  beforeEach(() => changeSettings(service, { SERVICE_AGENT_BEST_OF_N: '2' }))

  test('has read all it wanted and changed nothing until it is chosen; then it is carried out, once', async () => {
    scriptParts(service, {
      answer: Array.from({ length: 4 }, () => orders('I would order.')),
      judge: [answer('2')],
      act: [order(), answer('It is ordered.')],
    })
    const heard = await streamed(service, 'clerk', 'Order it')
    expect(heard.order).toEqual([
      ...[': writing 2 candidates', ': judging the candidates', ': carrying out the chosen answer', 'It is ordered.'],
    ])
    expect(effects.made).toEqual(['/order'])
    expect(namesIn(0, 'answer')).toEqual(['calculator'])
    expect(namesIn(0, 'act').sort()).toEqual(['calculator', 'http_request'])
    expect(messagesOf(requestsOfPart(service, 'answer')[0])[0].content).toContain('cannot be called: http_request.')
    expect(toolResults(requestsOfPart(service, 'answer')[3])[0]).toContain(
      'it can be called once one of them is chosen',
    )
    expect(messagesOf(requestsOfPart(service, 'act')[0]).at(-2).content).toBe('I would order.')
    expect(placesOf(await lastSteps(service)).filter((place) => place.startsWith('act'))).toEqual([
      ...['act#0 model', 'act#1 http_request', 'act#100 model'],
    ])
  })

  test('is carried out where one candidate is left, and given as it is where nothing can be spent on that', async () => {
    scriptParts(service, { answer: [answer('same'), answer('same')], judge: [answer('1')], act: [] })
    await changeSettings(service, { SERVICE_AGENT_TOKENS_MAX: '30' })
    expect(textOf(await ask(service, 'clerk', 'x'))).toBe('same\n\n[The turn has used up its tokens.]')
  })

  test('has sub-agents that change nothing either, and may hand them what is to be done', async () => {
    const hand = calls({ name: 'delegate', arguments: { agent: 'clerk', task: 'Order it' } })
    const either: ScriptedAnswer = (call) =>
      (messagesOf(call.request)[0].content.includes('"clerk"')
        ? orders('Clerk: as you say.')
        : after(hand, 'The clerk would order.'))(call)
    scriptParts(service, {
      answer: Array.from({ length: 10 }, () => either),
      judge: [answer('1')],
      act: [hand, answer('Ordered.')],
    })
    expect(textOf(await ask(service, 'boss', 'Have it ordered'))).toBe('Ordered.')
    expect(effects.made).toEqual(['/order'])
  })

  test('costs no call more where its agent has no such tools', async () => {
    scriptParts(service, { answer: [answer('same'), answer('same')], judge: [answer('1')] })
    expect(textOf(await ask(service, 'reader', 'x'))).toBe('same')
    expect(service.endpoint.requests).toHaveLength(3)
    expect(namesIn(0, 'answer')).toEqual(['calculator'])
  })
})

test('a debate is held without such tools too, and what its judge has written is carried out', async () => {
  await changeSettings(service, { SERVICE_AGENT_DEBATE_N: '2' })
  scriptParts(service, {
    answer: Array.from({ length: 4 }, () => orders('I would order.')),
    'debate-judge': [answer('Order it.')],
    act: [order(), answer('It is ordered.')],
  })
  const heard = await streamed(service, 'clerk', 'Order it')
  expect(heard.text).toBe('It is ordered.')
  expect(effects.made).toEqual(['/order'])
})
