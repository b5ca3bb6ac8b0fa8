/** Creating responses: what the model is asked, what the client gets, in one piece and as events. */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import {
  chunkOf,
  completionOf,
  cutAfter,
  events,
  failure,
  json,
  streamOf,
  usageChunk,
} from '../../support/model-endpoint.ts'
import { eventsIn, type Json, type ResponsesClient, responsesClient, typesOf } from './support/client.ts'

let service: GatewayUnderTest
let client: ResponsesClient
beforeAll(async () => {
  service = await gatewayUnderTest()
  client = responsesClient(service)
})
afterAll(() => service.stop())
beforeEach(() => {
  service.endpoint.requests.length = 0
})

const asked = () => service.endpoint.requests.at(-1)?.body as Json
const weather = { type: 'function', name: 'weather', description: 'd', parameters: { type: 'object' }, strict: true }
const callMessage = (name: string, text: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: text } }],
})

test('a text is answered with a message, usage and the fields of the request', async () => {
  service.endpoint.script(
    json(
      completionOf('Hello.', {
        usage: {
          prompt_tokens: 9,
          completion_tokens: 3,
          total_tokens: 12,
          prompt_tokens_details: { cached_tokens: 4 },
          completion_tokens_details: { reasoning_tokens: 2 },
        },
      }),
    ),
  )
  const response = await client.created({
    input: 'hi',
    instructions: 'Be brief.',
    metadata: { a: 'b' },
    temperature: 0.5,
  })
  expect(response).toMatchObject({
    object: 'response',
    status: 'completed',
    error: null,
    incomplete_details: null,
    instructions: 'Be brief.',
    metadata: { a: 'b' },
    model: 'scripted-1',
    temperature: 0.5,
    store: true,
    parallel_tool_calls: true,
    previous_response_id: null,
    tools: [],
    tool_choice: 'auto',
    text: { format: { type: 'text' } },
    truncation: 'disabled',
    usage: {
      input_tokens: 9,
      input_tokens_details: { cached_tokens: 4 },
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 12,
    },
  })
  expect(response.id).toMatch(/^resp_[0-9a-f]{32}$/)
  expect(response.output).toEqual([
    {
      id: expect.stringMatching(/^msg_/),
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hello.', annotations: [], logprobs: [] }],
    },
  ])
  expect(asked().messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'hi' },
  ])
  expect(asked()).toMatchObject({ temperature: 0.5 })
  expect(asked()).not.toHaveProperty('metadata')
  expect(asked()).not.toHaveProperty('store')
})

test('items become messages: parts, calls with their outputs, developer messages in their place', async () => {
  const url = 'data:image/png;base64,AA=='
  await client.created({
    store: false,
    input: [
      { role: 'developer', content: 'Rules.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look:' },
          { type: 'input_image', image_url: url, detail: 'low' },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }] },
      {
        type: 'message',
        role: 'assistant',
        id: 'msg_1',
        status: 'completed',
        content: [{ type: 'output_text', text: 'I call.', annotations: [] }],
      },
      { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"a":1}' },
      { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: 'free' },
      { type: 'function_call_output', call_id: 'c1', output: 'rain' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'done' }] },
      { role: 'user', content: 'So?' },
    ],
  })
  expect(asked().messages).toEqual([
    { role: 'developer', content: 'Rules.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image_url', image_url: { url, detail: 'low' } },
      ],
    },
    {
      role: 'assistant',
      content: 'I call.',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"a":1}' } },
        { id: 'c2', type: 'function', function: { name: 'patch', arguments: '{"input":"free"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'rain' },
    { role: 'tool', tool_call_id: 'c2', content: 'done' },
    { role: 'user', content: 'So?' },
  ])
})

test('parameters reach the model under the names of the chat API', async () => {
  const schema = { type: 'object', properties: {} }
  await client.created({
    input: 'hi',
    tools: [
      weather,
      {
        type: 'custom',
        name: 'patch',
        description: 'Edits.',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
      },
    ],
    tool_choice: { type: 'function', name: 'weather' },
    parallel_tool_calls: false,
    max_output_tokens: 50,
    top_p: 0.5,
    top_logprobs: 2,
    text: { format: { type: 'json_schema', name: 'n', schema, strict: true }, verbosity: 'low' },
    reasoning: { effort: 'low', summary: 'auto' },
    truncation: 'auto',
  })
  const { tools, ...body } = asked()
  expect(body).toMatchObject({
    tool_choice: { type: 'function', function: { name: 'weather' } },
    parallel_tool_calls: false,
    max_completion_tokens: 50,
    top_p: 0.5,
    logprobs: true,
    top_logprobs: 2,
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
    verbosity: 'low',
    reasoning_effort: 'low',
  })
  for (const name of ['reasoning', 'text', 'truncation', 'max_output_tokens', 'include'])
    expect(body).not.toHaveProperty(name)
  const { type, ...called } = weather
  expect(tools[0]).toEqual({ type, function: called })
  expect(tools[1].function.name).toBe('patch')
  expect(tools[1].function.description).toContain('start: "x"')
  expect(tools[1].function.parameters.required).toEqual(['input'])
})

test('calls are items; a tool that takes free text is called with it', async () => {
  service.endpoint.script(json(completionOf(callMessage('weather', '{"city":"Riga"}'))))
  const called = await client.created({ input: 'hi', tools: [weather] })
  expect(called.output).toEqual([
    {
      id: expect.stringMatching(/^fc_/),
      type: 'function_call',
      status: 'completed',
      call_id: 'call_1',
      name: 'weather',
      arguments: '{"city":"Riga"}',
    },
  ])
  service.endpoint.script(json(completionOf(callMessage('patch', '{"input":"*** Begin"}'))))
  const custom = await client.created({ input: 'hi', tools: [{ type: 'custom', name: 'patch' }] })
  expect(custom.output).toEqual([
    {
      id: expect.stringMatching(/^ctc_/),
      type: 'custom_tool_call',
      status: 'completed',
      call_id: 'call_1',
      name: 'patch',
      input: '*** Begin',
    },
  ])
})

test('tools of a namespace are called by the names that the client gave them', async () => {
  const tools = [{ type: 'namespace', name: 'crm', description: 'd', tools: [{ ...weather, name: 'find' }] }]
  service.endpoint.script(json(completionOf(callMessage('crm__find', '{}'))))
  const called = await client.created({ input: 'hi', tools })
  expect(asked()['tools']).toMatchObject([{ function: { name: 'crm__find' } }])
  expect(called['output']).toMatchObject([{ type: 'function_call', namespace: 'crm', name: 'find', call_id: 'call_1' }])
  const output = { type: 'function_call_output', call_id: 'call_1', output: 'x' }
  await client.created({ input: [{ role: 'user', content: 'hi' }, ...called['output'], output], tools })
  expect(asked()['messages'][1]['tool_calls']).toMatchObject([{ function: { name: 'crm__find' } }])
})

test.each([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
])('an answer that ends by %s is incomplete', async (finish, reason) => {
  const choice = { index: 0, message: { role: 'assistant', content: 'Hel' }, finish_reason: finish }
  service.endpoint.script(json(completionOf('', { choices: [choice] })))
  const whole = await client.created({ input: 'hi' })
  expect(whole).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason },
    output: [{ status: 'incomplete' }],
  })
  service.endpoint.script(streamOf(['Hel'], { finish }))
  const last = (await client.streamed({ input: 'hi' })).at(-1)
  expect(last).toMatchObject({
    type: 'response.incomplete',
    response: { status: 'incomplete', incomplete_details: { reason } },
  })
  expect(await client.retrieved(last?.['response'].id)).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason },
  })
})

test('a refusal is a part of its own, whole and streamed', async () => {
  service.endpoint.script(json(completionOf({ role: 'assistant', content: null, refusal: 'I will not.' })))
  const { output } = await client.created({ input: 'hi' })
  expect(output[0].content).toEqual([{ type: 'refusal', refusal: 'I will not.' }])
  service.endpoint.script(
    events(
      chunkOf({ role: 'assistant', refusal: 'I will ' }),
      chunkOf({ refusal: 'not.' }),
      chunkOf({}, { finish: 'stop' }),
      '[DONE]',
    ),
  )
  const streamed = await client.streamed({ input: 'hi' })
  expect(typesOf(streamed).slice(2, -1)).toEqual([
    'response.output_item.added',
    'response.content_part.added',
    'response.refusal.delta',
    'response.refusal.delta',
    'response.refusal.done',
    'response.content_part.done',
    'response.output_item.done',
  ])
  expect(streamed.at(-1)?.['response'].output[0].content).toEqual([{ type: 'refusal', refusal: 'I will not.' }])
})

test('a streamed text comes as events in order, numbered without a gap, and ends with the whole response', async () => {
  service.endpoint.script(streamOf(['Hel', 'lo "A"\n']))
  const streamed = await client.streamed({ input: 'hi' })
  expect(typesOf(streamed)).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect(streamed.map(({ sequence_number }) => sequence_number)).toEqual(streamed.map((_, at) => at))
  const [created, , added, part, delta] = streamed
  expect(created).toMatchObject({ response: { status: 'in_progress', output: [], usage: null } })
  const item_id = added?.['item'].id
  expect(added).toMatchObject({ output_index: 0, item: { type: 'message', status: 'in_progress', content: [] } })
  expect(part).toMatchObject({ item_id, output_index: 0, content_index: 0, part: { type: 'output_text', text: '' } })
  expect(delta).toMatchObject({ item_id, output_index: 0, content_index: 0, delta: 'Hel', logprobs: [] })
  const { response } = streamed.at(-1) ?? {}
  expect(response).toMatchObject({ status: 'completed', usage: { input_tokens: 9, output_tokens: 3 } })
  expect(response.output).toMatchObject([{ id: item_id, status: 'completed', content: [{ text: 'Hello "A"\n' }] }])
  const { completed_at: _, ...retrieved } = await client.retrieved(response.id)
  const { completed_at: at, ...ended } = response
  expect(at).toEqual(expect.any(Number))
  expect(retrieved).toEqual(ended)
})

test('reasoning, text and calls are items of their own, each closed before the next begins', async () => {
  const piece = (index: number, more: object, text: string) => ({
    tool_calls: [{ index, ...more, function: { arguments: text } }],
  })
  service.endpoint.script(
    events(
      chunkOf({ role: 'assistant', reasoning_content: 'Let me ' }),
      chunkOf({ reasoning_content: 'think.' }),
      chunkOf({ content: 'I look.' }),
      chunkOf({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'weather', arguments: '' } }] }),
      chunkOf(piece(0, {}, '{"a"')),
      chunkOf(piece(0, {}, ':1}')),
      chunkOf({
        tool_calls: [{ index: 1, id: 'c2', type: 'function', function: { name: 'patch', arguments: '{"input":"x"}' } }],
      }),
      chunkOf({}, { finish: 'tool_calls' }),
      usageChunk(),
      '[DONE]',
    ),
  )
  const streamed = await client.streamed({ input: 'hi', tools: [weather, { type: 'custom', name: 'patch' }] })
  expect(typesOf(streamed).slice(2)).toEqual([
    'response.output_item.added',
    'response.reasoning_summary_part.added',
    'response.reasoning_summary_text.delta',
    'response.reasoning_summary_text.delta',
    'response.reasoning_summary_text.done',
    'response.reasoning_summary_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.function_call_arguments.delta',
    'response.function_call_arguments.delta',
    'response.output_item.added',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.custom_tool_call_input.delta',
    'response.custom_tool_call_input.done',
    'response.output_item.done',
    'response.completed',
  ])
  expect(streamed.map(({ sequence_number }) => sequence_number)).toEqual(streamed.map((_, at) => at))
  const { response } = streamed.at(-1) ?? {}
  expect(response.output).toMatchObject([
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Let me think.' }] },
    { type: 'message', content: [{ text: 'I look.' }] },
    { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{"a":1}' },
    { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: 'x' },
  ])
  expect((await client.retrieved(response.id))['output']).toEqual(response.output)
})

test.each([1, 20, 600, 6_000])(
  'a slow reader of an answer that is over misses nothing: %i kB of tools',
  async (kilobytes) => {
    // The first events repeat them: more than is written at once, than is kept, than a socket takes.
    const description = 'x'.repeat(kilobytes * 10)
    const tools = Array.from({ length: 100 }, (_, at) => ({ ...weather, name: `tool_${at}`, description }))
    for (const store of [false, true]) {
      service.endpoint.script(streamOf(['Done ', 'it.']))
      const answer = await client.create({ input: 'hi', tools, store, stream: true })
      await setTimeout(100)
      const streamed = eventsIn(await answer.text())
      expect(streamed.map(({ sequence_number }) => sequence_number)).toEqual(streamed.map((_, at) => at))
      expect(typesOf(streamed).at(-1)).toBe('response.completed')
    }
  },
)

test('a failure before the first word is an error with its status, also streamed', async () => {
  for (const stream of [false, true]) {
    service.endpoint.script(failure(429, 'slow down'))
    const answer = await client.create({ input: 'hi', stream })
    expect(answer.status).toBe(429)
    expect(await answer.json()).toMatchObject({ error: { type: 'scripted_error', code: 'rate_limited' } })
  }
})

test('a failure in the middle is the event response.failed, and stays one', async () => {
  service.endpoint.script(cutAfter(chunkOf({ role: 'assistant', content: 'Hel' })))
  const streamed = await client.streamed({ input: 'hi' })
  const last = streamed.at(-1)
  expect(last).toMatchObject({ type: 'response.failed', response: { status: 'failed', error: { code: 'stream_cut' } } })
  expect(await client.retrieved(last?.['response'].id)).toMatchObject({
    status: 'failed',
    error: { code: 'stream_cut' },
  })
})

test.each([
  [{ input: 'hi', tools: [{ type: 'web_search' }] }, 'tools[0].type'],
  [{ input: 'hi', tools: [weather, { type: 'mcp', server_label: 'x' }] }, 'tools[1].type'],
  [{ input: 'hi', tools: [{ type: 'function' }] }, 'tools[0].name'],
  [{ input: 'hi', tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'mcp' }] }] }, 'tools[0].tools[0].type'],
  [{ input: 'hi', tools: [{ type: 'namespace', name: 'n' }] }, 'tools[0]'],
  [{ input: 'hi', tools: [weather], tool_choice: { type: 'file_search' } }, 'tool_choice.type'],
  [{ input: 'hi', conversation: 'conv_1' }, 'conversation'],
  [{ input: 'hi', prompt: { id: 'p' } }, 'prompt'],
  [{ input: 'hi', include: ['nonsense'] }, 'include[0]'],
  [{ input: 'hi', background: true, store: false }, 'background'],
  [{}, 'input'],
  [{ input: [] }, 'input'],
  [{ input: [{ type: 'computer_call', id: 'x' }] }, 'input[0].type'],
  [{ input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'f' }] }] }, 'input[0].content[0].image_url'],
  [{ input: [{ role: 'user', content: [{ type: 'video' }] }] }, 'input[0].content[0].type'],
  [{ input: [{ type: 'function_call', name: 'x', arguments: '' }] }, 'input[0].call_id'],
  [{ input: [{ type: 'item_reference', id: 'msg_nobody' }] }, 'input[0].id'],
  [{ input: 'hi', previous_response_id: 'nonsense' }, 'previous_response_id'],
  [{ input: 'hi', metadata: { a: 1 } }, 'metadata.a'],
  [{ input: 'hi', truncation: 'middle' }, 'truncation'],
])('%j is refused by name, and nothing is stored', async (body, param) => {
  const answer = await client.create(body)
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error', code: 'bad_request', param } })
  expect(service.endpoint.requests).toEqual([])
})
