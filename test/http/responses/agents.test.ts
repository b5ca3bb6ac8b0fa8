/** Whoever answers, and whatever style the model's endpoint speaks, the client sees the same responses. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { answer, makeAgent, textAndCalls } from '../../actors/turn/support/agents.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { events, modelEndpoint } from '../../support/model-endpoint.ts'
import { type Json, type ResponsesClient, responsesClient, typesOf } from './support/client.ts'

const sentTo = ({ endpoint }: GatewayUnderTest) => endpoint.requests.at(-1)?.body as Json

describe('an agent as the model', () => {
  let service: GatewayUnderTest
  let client: ResponsesClient
  beforeAll(async () => {
    service = await gatewayUnderTest()
    client = responsesClient(service)
    await makeAgent(service, 'clerk', { tools: ['time_now'], instructions: 'Own instructions.' })
  })
  afterAll(() => service.stop())

  const told = () => sentTo(service)['messages'] as Json[]
  const withTool = [
    textAndCalls('Let me see.', { name: 'time_now', arguments: { timezone: 'UTC' } }),
    answer('It is late.'),
  ]
  const said = 'Let me see.\n\nIt is late.'

  test('its own tools do not show, and its words are one message, whole and streamed', async () => {
    service.endpoint.script(...withTool)
    const whole = await client.created({ model: 'clerk', input: 'What time is it?' })
    expect(whole['output']).toMatchObject([{ type: 'message', content: [{ text: said }] }])
    expect(whole['usage']['total_tokens']).toBe(24)
    service.endpoint.script(...withTool)
    const streamed = await client.streamed({ model: 'clerk', input: 'What time is it?' })
    expect(streamed.at(-1)?.['response'].output).toMatchObject([{ content: [{ text: said }] }])
    expect(typesOf(streamed).filter((type) => type.includes('function_call'))).toEqual([])
  })

  test('a client’s tool is called, and the response goes on with its output', async () => {
    const tools = [{ type: 'function', name: 'weather', parameters: { type: 'object' } }]
    service.endpoint.script(textAndCalls('', { name: 'weather', arguments: { city: 'Riga' }, id: 'call_9' }))
    const first = await client.created({ model: 'clerk', input: 'Weather?', tools })
    expect(first['output']).toMatchObject([{ type: 'function_call', call_id: 'call_9', name: 'weather' }])
    service.endpoint.script(answer('Rain.'))
    const output = { type: 'function_call_output', call_id: 'call_9', output: 'rain' }
    const second = await client.created({ model: 'clerk', input: [output], tools, previous_response_id: first['id'] })
    expect(second['output']).toMatchObject([{ content: [{ text: 'Rain.' }] }])
    expect(told().slice(1)).toMatchObject([
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', tool_calls: [{ id: 'call_9' }] },
      { role: 'tool', tool_call_id: 'call_9', content: 'rain' },
    ])
  })

  test('instructions stand in its system prompt: its own, those of the call, and those in the conversation', async () => {
    service.endpoint.script(answer('a'))
    const input = [
      { role: 'developer', content: 'In the conversation.' },
      { role: 'user', content: 'one' },
    ]
    const first = await client.created({ model: 'clerk', input, instructions: 'Of the first.' })
    service.endpoint.script(answer('b'))
    await client.created({
      ...{ model: 'clerk', input: 'two', instructions: 'Of the second.' },
      previous_response_id: first['id'],
    })
    const [system, ...rest] = told()
    for (const text of ['Own instructions.', 'In the conversation.', 'Of the second.'])
      expect(system?.['content']).toContain(text)
    expect(system?.['content']).not.toContain('Of the first.')
    expect(rest.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'one'],
      ['assistant', 'a'],
      ['user', 'two'],
    ])
  })
})

describe('an endpoint that speaks this API itself', () => {
  let service: GatewayUnderTest
  let client: ResponsesClient
  const sealed = (id: string) => ({ type: 'reasoning', id, summary: [], encrypted_content: `sealed ${id}` })
  const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{}', status: 'completed' }
  const reply = events(
    { type: 'response.created', response: { status: 'in_progress', model: 'native-1' } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning', id: 'r1', summary: [] } },
    { type: 'response.reasoning_summary_part.added', output_index: 0, item_id: 'r1' },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, item_id: 'r1', delta: 'Hm.' },
    { type: 'response.output_item.done', output_index: 0, item: sealed('r1') },
    { type: 'response.output_item.added', output_index: 1, item: { ...call, arguments: '' } },
    { type: 'response.function_call_arguments.done', output_index: 1, item_id: 'fc_1', arguments: '{}' },
    { type: 'response.output_item.done', output_index: 1, item: call },
    {
      type: 'response.completed',
      response: {
        status: 'completed',
        model: 'native-1',
        output: [sealed('r1'), call],
        usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
      },
    },
  )

  beforeAll(async () => {
    const endpoint = await modelEndpoint()
    service = await gatewayUnderTest({
      SERVICE_LLM_GATEWAY_URL: '',
      SERVICE_NATIVE_API: 'responses',
      SERVICE_NATIVE_BASE_URL: endpoint.url,
      SERVICE_NATIVE_API_KEY: 'sk-native',
    })
    await service.endpoint.close()
    Object.assign(service, { endpoint })
    client = responsesClient(service)
  })
  afterAll(() => service.stop())

  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }]
  const sent = () => sentTo(service)

  test('gets what only it understands, and sealed reasoning comes back to it before what it led to', async () => {
    service.endpoint.script(reply)
    const body = { tools, store: false, include: ['reasoning.encrypted_content'], truncation: 'auto' }
    const streamed = await client.streamed({ ...body, input: 'go', reasoning: { effort: 'low', summary: 'auto' } })
    expect(sent()).toMatchObject({
      reasoning: { effort: 'low', summary: 'auto' },
      truncation: 'auto',
      include: ['reasoning.encrypted_content'],
      store: false,
    })
    const done = streamed.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
    expect(done).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Hm.' }], encrypted_content: 'sealed r1' },
      { type: 'function_call', call_id: 'c1' },
    ])
    expect(streamed.at(-1)?.['response'].output).toEqual(done)
    service.endpoint.script(reply)
    const output = { type: 'function_call_output', call_id: 'c1', output: 'x' }
    await client.streamed({ ...body, input: [{ role: 'user', content: 'go' }, ...done, output] })
    expect(sent()['input']).toMatchObject([
      { type: 'message', role: 'user' },
      { type: 'reasoning', encrypted_content: 'sealed r1' },
      { type: 'function_call', call_id: 'c1' },
      { type: 'function_call_output', call_id: 'c1' },
    ])
  })

  test('a stored response sends it its reasoning, which the client does not see unasked', async () => {
    service.endpoint.script(reply)
    const streamed = await client.streamed({ input: 'go', tools })
    expect(JSON.stringify(streamed)).not.toContain('sealed r1')
    const { id } = streamed.at(-1)?.['response'] ?? {}
    expect(JSON.stringify(await client.retrieved(id))).not.toContain('sealed r1')
    expect(JSON.stringify(await (await client.items(id)).json())).not.toContain('sealed r1')
    service.endpoint.script(reply)
    const output = { type: 'function_call_output', call_id: 'c1', output: 'x' }
    const second = await client.streamed({ previous_response_id: id, input: [output], tools })
    expect((sent()['input'] as Json[]).map(({ type }) => type)).toEqual([
      'message',
      'reasoning',
      'function_call',
      'function_call_output',
    ])
    expect(second.at(-1)?.['type']).toBe('response.completed')
  })
})
