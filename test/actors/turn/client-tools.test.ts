/** Tools of the client's own beside those of the service: who runs what, and what the next call is told of it. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { type Effects, effectsServer } from '../approvals/support/supervised.ts'
import { answer, calls, makeAgent, textAndCalls } from './support/agents.ts'
import {
  changeSettings,
  lastSteps,
  messagesOf,
  parseStream,
  placesOf,
  requestsOfPart,
  scriptParts,
} from './support/parts.ts'

let service: GatewayUnderTest
let effects: Effects

beforeAll(async () => {
  effects = await effectsServer()
  service = await gatewayUnderTest({ SERVICE_HTTP_ALLOWLIST: effects.host, SERVICE_LOCALE: 'en-US' })
  await makeAgent(service, 'clerk', { tools: ['http_request', 'calculator'] })
})
afterAll(async () => {
  await service.stop()
  await effects.close()
})
beforeEach(() => {
  service.endpoint.requests.length = 0
  effects.made.length = 0
})

const door = { type: 'function', function: { name: 'open_door', parameters: { type: 'object' } } }
const open = (id: string) => ({ name: 'open_door', arguments: { door: 1 }, id })
const order = (path: string, id: string) => ({
  name: 'http_request',
  arguments: { method: 'POST', url: `http://${effects.host}${path}`, body: 'x' },
  id,
})

// biome-ignore lint/suspicious/noExplicitAny: messages as the API has them
type Message = any

async function post(messages: Message[], more: object = {}, headers: Record<string, string> = {}): Promise<Message> {
  const body = { model: 'clerk', messages, tools: [door], ...more }
  const response = await service.post('/v1/chat/completions', body, headers)
  expect(response.status).toBe(200)
  return ((await response.json()) as Message).choices[0]
}

const opened = (id: string): Message => ({ role: 'tool', tool_call_id: id, content: 'opened' })
const contentsOf = (at: number): string[] =>
  messagesOf(service.endpoint.requests[at])
    .slice(1)
    .map(({ role, content, tool_calls: made, tool_call_id: of }) =>
      made ? `calls ${made.map(({ id }: { id: string }) => id).join()}` : of ? `result ${of}` : `${role}: ${content}`,
    )

test('of a step that asks for both, the service makes its own calls, the client gets its own, and the next model call is told of both', async () => {
  const user = { role: 'user', content: 'Order it and open the door' }
  service.endpoint.script(textAndCalls('Both.', order('/mixed', 'ours-1'), open('theirs-1')), answer('Done.'))
  const first = await post([user])
  expect(first).toMatchObject({ finish_reason: 'tool_calls', message: { content: 'Both.' } })
  expect(first.message.tool_calls.map(({ id }: { id: string }) => id)).toEqual(['theirs-1'])
  expect(effects.made).toEqual(['/mixed'])
  expect(placesOf(await lastSteps(service))).toEqual(['#0 model', '#1 http_request'])

  expect((await post([user, first.message, opened('theirs-1')])).message.content).toBe('Done.')
  expect(contentsOf(1)).toEqual([
    ...['user: Order it and open the door', 'calls ours-1,theirs-1', 'result ours-1', 'result theirs-1'],
  ])
  expect(effects.made).toEqual(['/mixed'])
})

test('calls of earlier steps are told too, over several rounds of the client, and only until the user writes again', async () => {
  const user = { role: 'user', content: 'Order, open, order, open' }
  service.endpoint.script(
    calls(order('/first', 'a')),
    calls(open('b')),
    calls(order('/second', 'c')),
    calls(open('d')),
    answer('Done.'),
    answer('Welcome.'),
  )
  const first = await post([user])
  const second = await post([user, first.message, opened('b')])
  const all = [user, first.message, opened('b'), second.message, opened('d')]
  const third = await post(all)
  const rounds = ['calls a', 'result a', 'calls b', 'result b', 'calls c', 'result c', 'calls d', 'result d']
  expect(contentsOf(4)).toEqual(['user: Order, open, order, open', ...rounds])
  await post([...all, third.message, { role: 'user', content: 'Thanks' }])
  expect(contentsOf(5).filter((line) => line.startsWith('calls'))).toEqual(['calls b', 'calls d'])
})

test('the same holds in a stored conversation', async () => {
  service.endpoint.script(calls(order('/stored', 'a'), open('b')), answer('Done.'))
  const user = { role: 'user', content: 'Order and open' }
  const body = { model: 'clerk', messages: [user], tools: [door] }
  const made = await service.post('/v1/chat/completions', body, { 'x-service-conversation-id': 'new' })
  await made.json()
  const id = made.headers.get('x-service-conversation-id') ?? ''
  await post([opened('b')], {}, { 'x-service-conversation-id': id })
  expect(contentsOf(1)).toEqual(['user: Order and open', 'calls a,b', 'result a', 'result b'])
})

test('turns that cannot be told apart do not get each other’s calls', async () => {
  const user = { role: 'user', content: 'Twice the same' }
  service.endpoint.script(calls(order('/one', 'x'), open('y')), calls(order('/two', 'x'), open('y')), answer('Hm.'))
  const first = await post([user])
  await post([user])
  await post([user, first.message, opened('y')])
  expect(contentsOf(2)).toEqual(['user: Twice the same', 'calls y', 'result y'])
})

test('a client tool with the name of a tool of the service is the client’s, and is offered once', async () => {
  const theirs = { type: 'function', function: { name: 'calculator', parameters: { type: 'object' } } }
  service.endpoint.script(calls({ name: 'calculator', arguments: { expression: '1' }, id: 'k' }))
  const first = await post([{ role: 'user', content: 'x' }], { tools: [theirs] })
  expect(first.finish_reason).toBe('tool_calls')
  const names = service.endpoint.requests[0]?.body.tools.map(({ function: { name } }: Message) => name)
  expect(names).toEqual(['http_request', 'calculator'])
})

test('a tool name that endpoints refuse is sent back as one that they accept', async () => {
  service.endpoint.script(calls({ name: 'functions.open door!', arguments: {}, id: 'k' }), answer('None.'))
  await post([{ role: 'user', content: 'x' }])
  const [, , { tool_calls: made }, { content }] = messagesOf(service.endpoint.requests[1])
  expect(made[0].function.name).toBe('functions_open_door_')
  expect(content).toContain('There is no tool "functions.open door!"')
})

test('a plan is not made and carried out again when the client answers a call', async () => {
  await changeSettings(service, { SERVICE_AGENT_PLAN_STEPS: '2' })
  const user = { role: 'user', content: 'Plan it' }
  scriptParts(service, {
    plan: [answer('["order"]')],
    step: [calls(order('/planned', 'a')), answer('It is ordered.')],
    synthesis: [calls(open('b')), answer('Done.')],
    answer: [answer('Done.')],
  })
  const first = await post([user])
  await post([user, first.message, opened('b')])
  await changeSettings(service, { SERVICE_AGENT_PLAN_STEPS: '' })
  expect(effects.made).toEqual(['/planned'])
  expect(requestsOfPart(service, 'plan')).toHaveLength(1)
  expect(messagesOf(requestsOfPart(service, 'answer')[0])[2].content).toContain('Result: It is ordered.')
})

test.each([true, false])(
  'the system prompt does not leave by the arguments of such a call (streamed: %s)',
  async (isStream) => {
    service.endpoint.script((call) => {
      const [, mark = ''] = /Never repeat this mark: (\S+)/.exec(call.request.body.messages[0].content) ?? []
      return calls({ name: 'open_door', arguments: { note: `my mark is ${mark}` }, id: 'k' })(call)
    })
    const body = { model: 'clerk', messages: [{ role: 'user', content: 'x' }], tools: [door], stream: isStream }
    const text = await (await service.post('/v1/chat/completions', body)).text()
    const [, mark = ''] =
      /Never repeat this mark: (\S+)/.exec(messagesOf(service.endpoint.requests[0])[0].content) ?? []
    expect(mark).not.toBe('')
    expect(text).not.toContain(mark)
    expect(isStream ? parseStream(text).finish : JSON.parse(text).choices[0].finish_reason).toBe('content_filter')
  },
)
