/** The loop of an agent against a scripted model on a real socket: what the model is told, what the client gets. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { eventsOf, type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { answer, ask, calls, makeAgent, textAndCalls, textOf, toolResults } from './support/agents.ts'

let service: GatewayUnderTest

beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_AGENT_STEPS_MAX: '4' })
  await makeAgent(service, 'clerk', { instructions: 'You are a clerk.', tools: ['calculator', 'time_now'] })
  await makeAgent(service, 'mute', { tools: [] })
})
afterAll(() => service.stop())
beforeEach(() => {
  service.endpoint.requests.length = 0
})

test('a tool runs between two calls of the model, and its result follows the call that asked for it', async () => {
  service.endpoint.script(
    calls({ name: 'calculator', arguments: { expression: '6*7' }, id: 'c1' }),
    answer('It is 42.'),
  )
  const completion = await ask(service, 'clerk', 'What is 6*7?')
  expect(textOf(completion)).toBe('It is 42.')
  expect(completion.usage.total_tokens).toBe(24)
  const [first, second] = service.endpoint.requests
  expect(first?.body.tools.map((tool: { function: { name: string } }) => tool.function.name).sort()).toEqual([
    'calculator',
    'time_now',
  ])
  expect(first?.body.messages[0].content).toContain('You are a clerk.')
  expect(second?.body.messages.slice(2)).toEqual([
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'calculator', arguments: '{"expression":"6*7"}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: '42' },
  ])
})

test('a streamed answer has every word of the model once, and nothing of its calls', async () => {
  service.endpoint.script(
    textAndCalls('Let me see.', { name: 'calculator', arguments: { expression: '1+1' } }),
    answer('Two.'),
  )
  const response = await service.post('/v1/chat/completions', {
    model: 'clerk',
    messages: [{ role: 'user', content: '1+1?' }],
    stream: true,
  })
  const chunks = eventsOf(await response.text())
    .slice(0, -1)
    .map((event) => JSON.parse(event).choices[0])
  expect(chunks.map((choice) => choice?.delta.content ?? '').join('')).toBe('Let me see.\n\nTwo.')
  expect(chunks.some((choice) => choice?.delta.tool_calls)).toBe(false)
  expect(chunks.at(-1)?.finish_reason).toBe('stop')
})

test.each([
  ['no JSON', '{"expression": ', 'no valid JSON'],
  ['wrong types', { expression: 5 }, 'expression'],
  ['nested too deeply', `${'['.repeat(70)}${']'.repeat(70)}`, 'nested'],
])('arguments that are %s go back to the model as words, and the turn goes on', async (_, given, words) => {
  service.endpoint.script(calls({ name: 'calculator', arguments: given }), answer('I cannot.'))
  expect(textOf(await ask(service, 'clerk', 'x'))).toBe('I cannot.')
  expect(toolResults(service.endpoint.requests[1])[0]).toContain(words)
})

test('a tool that the agent does not have is refused by name, whatever the settings switch on', async () => {
  service.endpoint.script(calls({ name: 'calculator', arguments: { expression: '1' } }), answer('None.'))
  await ask(service, 'mute', 'x')
  expect(service.endpoint.requests[0]?.body.tools).toBeUndefined()
  expect(toolResults(service.endpoint.requests[1])[0]).toMatch(/no tool "calculator"/)
})

test('a model that never stops calling tools is offered none in its last step, and the answer says that a bound was reached', async () => {
  const again = calls({ name: 'calculator', arguments: { expression: '1' } })
  service.endpoint.script(again, again, again, answer('As far as I got: 1.'))
  const completion = await ask(service, 'clerk', 'x')
  expect(service.endpoint.requests).toHaveLength(4)
  expect(service.endpoint.requests[3]?.body.tools).toBeUndefined()
  expect(textOf(completion)).toBe('As far as I got: 1.\n\n[The turn has made as many steps as it may (4).]')
  expect(completion.choices[0].finish_reason).toBe('length')
})

test('several calls of one step are all answered, in the order of the calls', async () => {
  service.endpoint.script(
    calls(
      { name: 'calculator', arguments: { expression: '1+1' }, id: 'a' },
      { name: 'calculator', arguments: { expression: '2+2' }, id: 'b' },
      { name: 'nothing', arguments: {}, id: 'c' },
    ),
    answer('Done.'),
  )
  await ask(service, 'clerk', 'x')
  const addedMessages = service.endpoint.requests[1]?.body.messages.slice(3)
  expect(addedMessages.map((message: { tool_call_id: string }) => message.tool_call_id)).toEqual(['a', 'b', 'c'])
  expect(toolResults(service.endpoint.requests[1]).slice(0, 2)).toEqual(['2', '4'])
})

test('a call of a client tool ends the turn, and the client’s result continues it', async () => {
  const tools = [{ type: 'function', function: { name: 'open_door', parameters: { type: 'object' } } }]
  service.endpoint.script(
    textAndCalls('Opening.', { name: 'open_door', arguments: { door: 1 }, id: 'mine' }),
    answer('It is open.'),
  )
  const first = await ask(service, 'clerk', 'Open the door', { tools })
  expect(first.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      content: 'Opening.',
      tool_calls: [{ id: 'mine', function: { name: 'open_door', arguments: '{"door":1}' } }],
    },
  })
  const response = await service.post('/v1/chat/completions', {
    model: 'clerk',
    tools,
    messages: [
      { role: 'user', content: 'Open the door' },
      first.choices[0].message,
      { role: 'tool', tool_call_id: 'mine', content: 'opened' },
    ],
  })
  expect(textOf((await response.json()) as never)).toBe('It is open.')
})

test('every model call and tool of a turn can be read afterwards with what it cost', async () => {
  service.endpoint.script(calls({ name: 'calculator', arguments: { expression: '2^10' } }), answer('1024.'))
  await ask(service, 'clerk', 'x')
  const [turn] = await service.db.system<{ id: string }>`select id from turns order by started_at desc limit 1`
  const id = `turn_${turn?.id.replaceAll('-', '')}`
  const { items } = (await (await service.get(`/v1/admin/turns/steps?turn_id=${id}`)).json()) as { items: object[] }
  expect(items).toMatchObject([
    { kind: 'model', status: 'succeeded', name: 'scripted-1', prompt_tokens: 9, completion_tokens: 3 },
    {
      kind: 'tool',
      status: 'succeeded',
      name: 'calculator',
      request: { expression: '2^10' },
      result: { text: '1024' },
    },
    { kind: 'model', status: 'succeeded' },
  ])
})

test('a name that is no agent’s is a model’s, which gets the request as the client sent it', async () => {
  service.endpoint.script(answer('plain'))
  await ask(service, 'gpt-x', 'hello')
  expect(service.endpoint.requests[0]?.body).toEqual({ model: 'gpt-x', messages: [{ role: 'user', content: 'hello' }] })
})
