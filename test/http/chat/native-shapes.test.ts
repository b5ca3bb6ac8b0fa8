/** What an endpoint of the Responses style adds reaches the client of either API: streamed, in small pieces, and whole. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { added, done, messageItem, responseOf } from '../../models/support/responses.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { bytes, eventOf, json, modelEndpoint } from '../../support/model-endpoint.ts'
import { type Json, type ResponsesClient, responsesClient } from '../responses/support/client.ts'

let service: GatewayUnderTest
let responses: ResponsesClient
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
  responses = responsesClient(service)
})
afterAll(() => service.stop())

const searched = {
  type: 'web_search_call',
  id: 'ws_1',
  status: 'completed',
  action: { type: 'search', query: 'ducks' },
}
const ran = { type: 'shell_call', id: 'sh_1', call_id: 'c2', action: { commands: ['ls'] }, status: 'completed' }
const page = { url: 'https://example.com/a', title: 'A', start_index: 0, end_index: 5 }
const cited = { type: 'url_citation', ...page }
const citedInChat = { type: 'url_citation', url_citation: page }
const attached = { type: 'file_citation', file_id: 'file_1', filename: 'a.txt', index: 5 }
const tokens = ['Hel', 'lo'].map((token) => ({ token, logprob: -0.5, bytes: null, top_logprobs: [] }))
const said = {
  ...messageItem('Hello'),
  content: [{ type: 'output_text', text: 'Hello', annotations: [cited, attached], logprobs: tokens }],
}
const patch = '*** Begin Patch\n"quoted"\n*** End Patch'
const patched = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c1', name: 'apply_patch', input: patch }
const output = [searched, said, ran, patched]
const whole = responseOf(output)
const messageOnly = { output_index: 1, item_id: 'msg_1', content_index: 0 }
const inputPlace = { output_index: 3, item_id: 'ctc_1' }

const opening = { type: 'response.created', response: responseOf([], { status: 'in_progress' }) }
const streams: Record<string, object[]> = {
  'with every event': [
    opening,
    added(searched, 0),
    done(searched, 0),
    added({ ...said, content: [] }, 1),
    { type: 'response.output_text.delta', ...messageOnly, delta: 'Hel', logprobs: tokens.slice(0, 1) },
    { type: 'response.output_text.annotation.added', ...messageOnly, annotation_index: 0, annotation: cited },
    { type: 'response.output_text.delta', ...messageOnly, delta: 'lo', logprobs: tokens.slice(1) },
    { type: 'response.output_text.annotation.added', ...messageOnly, annotation_index: 1, annotation: attached },
    done(said, 1),
    done(ran, 2),
    added({ ...patched, input: '' }, 3),
    { type: 'response.custom_tool_call_input.delta', ...inputPlace, delta: patch.slice(0, 10) },
    { type: 'response.custom_tool_call_input.delta', ...inputPlace, delta: patch.slice(10) },
    { type: 'response.custom_tool_call_input.done', ...inputPlace, input: patch },
    done(patched, 3),
    { type: 'response.completed', response: whole },
  ],
  'with items that are done, and no list at the end': [
    opening,
    ...output.map(done),
    { type: 'response.completed', response: responseOf([]) },
  ],
  'with the last event alone': [{ type: 'response.completed', response: whole }],
}

function script(events: object[], pieceBytes: number): void {
  const stream = Buffer.from(events.map(eventOf).join(''))
  const pieces = Array.from({ length: Math.ceil(stream.length / pieceBytes) }, (_, at) =>
    stream.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  )
  service.endpoint.script(bytes(...pieces))
}

const ask = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
const call = { id: 'c1', type: 'custom', custom: { name: 'apply_patch', input: patch } }

/** What a client has that adds up a stream. */
async function collected(more: object = {}) {
  const answer = await service.post('/v1/chat/completions', { ...ask, stream: true, ...more })
  const text = await answer.text()
  expect(answer.status, text).toBe(200)
  const chunks = text.split('\n\n').filter((event) => event.startsWith('data: {'))
  const choices = chunks.flatMap((event) => (JSON.parse(event.slice('data: '.length)) as Json)['choices'] as Json[])
  const calls = choices.flatMap(({ delta }) => (delta['tool_calls'] ?? []) as Json[])
  return {
    text: choices.map(({ delta }) => delta['content'] ?? '').join(''),
    annotations: choices.flatMap(({ delta }) => delta['annotations'] ?? []),
    logprobs: choices.flatMap(({ logprobs }) => logprobs?.content ?? []),
    items: choices.flatMap(({ output_items: items }) => items ?? []),
    call: {
      id: calls[0]?.['id'],
      type: calls[0]?.['type'],
      name: calls.map(({ custom }) => custom.name ?? '').join(''),
      input: calls.map(({ custom }) => custom.input ?? '').join(''),
    },
    finishes: choices.flatMap(({ finish_reason: reason }) => reason ?? []),
  }
}

const summed = {
  text: 'Hello',
  annotations: [citedInChat, attached],
  logprobs: tokens,
  items: [searched, ran],
  call: { id: 'c1', type: 'custom', name: 'apply_patch', input: patch },
  finishes: ['tool_calls'],
}

const itemsOf = (items: Json[]) =>
  items
    .map(({ type, content, call_id: id, name, input, action }) => ({ type, content, id, name, input, action }))
    .toSorted((a, b) => String(a.type).localeCompare(String(b.type)))

describe.each(Object.entries(streams))('a stream %s', (_name, events) => {
  test.each([1_000_000, 7])(
    'reaches a chat client, and one of responses, in pieces of %i bytes',
    async (pieceBytes) => {
      script(events, pieceBytes)
      expect(await collected()).toEqual(summed)
      script(events, pieceBytes)
      const told = await responses.streamed({ input: 'hi', store: false })
      const items = told.at(-1)?.['response'].output
      expect(itemsOf(items)).toEqual(itemsOf(output as Json[]))
      // Each item was told of, and where it stands in the list.
      const doneItems = told.filter(({ type }) => type === 'response.output_item.done')
      expect(doneItems.toSorted((a, b) => a['output_index'] - b['output_index']).map(({ item }) => item)).toEqual(items)
    },
  )
})

test('a whole answer has the same, for either client', async () => {
  service.endpoint.script(json(whole))
  const chat = (await (await service.post('/v1/chat/completions', ask)).json()) as Json
  expect(chat['choices']).toEqual([
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Hello',
        refusal: null,
        annotations: [citedInChat, attached],
        tool_calls: [call],
      },
      logprobs: { content: tokens, refusal: null },
      finish_reason: 'tool_calls',
      output_items: [searched, ran],
    },
  ])
  service.endpoint.script(json(whole))
  const created = await responses.created({ input: 'hi', store: false })
  expect(itemsOf(created['output'])).toEqual(itemsOf(output as Json[]))
})

test('a tool that takes free text is offered, and its call and result go back, in the endpoint’s own words', async () => {
  const format = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' }
  service.endpoint.script(json(responseOf([messageItem('Done.')])))
  await service.post('/v1/chat/completions', {
    ...ask,
    messages: [
      ...ask.messages,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'patched' },
    ],
    tools: [{ type: 'custom', custom: { name: 'apply_patch', description: 'Edits.', format } }],
    tool_choice: { type: 'custom', custom: { name: 'apply_patch' } },
  })
  expect(service.endpoint.requests.at(-1)?.body).toMatchObject({
    input: [
      { role: 'user', content: 'hi' },
      { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: patch },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'patched' },
    ],
    tools: [{ type: 'custom', name: 'apply_patch', description: 'Edits.', format }],
    tool_choice: { type: 'custom', name: 'apply_patch' },
  })
})

test('a conversation keeps the citations and the call, and a stored response shows them', async () => {
  service.endpoint.script(json(whole))
  const { id } = await responses.created({ input: 'hi' })
  const kept = (await responses.retrieved(id))['output'] as Json[]
  expect(kept.map(({ type }) => type)).toEqual(['message', 'custom_tool_call'])
  expect(kept[0]?.['content'][0].annotations).toEqual([cited, attached])
  expect(kept[1]).toMatchObject({ call_id: 'c1', name: 'apply_patch', input: patch })
  service.endpoint.script(json(responseOf([messageItem('Done.')])))
  const result = { type: 'custom_tool_call_output', call_id: 'c1', output: 'patched' }
  await responses.created({ input: [result], previous_response_id: id })
  const sent = service.endpoint.requests.at(-1)?.body as Json | undefined
  expect(sent?.['input'].slice(-2)).toMatchObject([
    { type: 'custom_tool_call', call_id: 'c1', input: patch },
    { type: 'custom_tool_call_output', call_id: 'c1', output: 'patched' },
  ])
})
