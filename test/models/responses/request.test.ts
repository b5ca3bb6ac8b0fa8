/** What the responses style is asked, and what its whole answers become. */
import { describe, expect, test } from 'vitest'
import { json } from '../../support/model-endpoint.ts'
import { failureOf, nativeTo, requestFor, scriptedEndpoint, type TransportOptions } from '../support/calls.ts'
import { callItem, chatUsage, messageItem, responseOf, wholeResponse } from '../support/responses.ts'

async function bodyOf(request: Parameters<typeof requestFor>[0], options: TransportOptions = {}) {
  const endpoint = await scriptedEndpoint()
  endpoint.script(wholeResponse(messageItem('ok')))
  await nativeTo(endpoint, { style: 'responses', ...options }).complete(requestFor(request))
  expect(endpoint.requests[0]?.path).toBe('/v1/responses')
  return endpoint.requests[0]?.body
}

describe('a request in the responses style', () => {
  test('has the first system messages as instructions, calls and results as items, and is not stored', async () => {
    const body = await bodyOf({
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'developer', content: [{ type: 'text', text: 'be kind' }] },
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: null,
          reasoning_content: 'hm',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'done' }] },
        { role: 'assistant', content: 'fine' },
        { role: 'system', content: 'later' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'see' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
            { type: 'file', file: { file_id: 'f1' } },
          ],
        },
      ],
    })
    expect(body).toEqual({
      model: 'asked-for',
      instructions: 'be brief\n\nbe kind',
      store: false,
      input: [
        { type: 'message', role: 'user', content: 'hi' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
        { type: 'function_call_output', call_id: 'c1', output: 'done' },
        { type: 'message', role: 'assistant', content: 'fine' },
        { type: 'message', role: 'system', content: 'later' },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'see' },
            { type: 'input_image', image_url: 'data:image/png;base64,AA', detail: 'auto' },
            { type: 'input_file', file_id: 'f1' },
          ],
        },
      ],
    })
  })

  test('of system messages alone has them as input: instructions alone are none', async () => {
    const body = await bodyOf({ messages: [{ role: 'system', content: 'go' }] })
    expect(body).not.toHaveProperty('instructions')
    expect(body.input).toEqual([{ type: 'message', role: 'system', content: 'go' }])
  })

  test('says the parameters of the chat convention in its own words, and unknown ones as they are', async () => {
    const body = await bodyOf(
      {
        parameters: {
          max_completion_tokens: 50,
          reasoning_effort: 'high',
          response_format: {
            type: 'json_schema',
            json_schema: { name: 's', schema: { type: 'object' }, strict: true },
          },
          verbosity: 'low',
          tools: [
            { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } },
            { type: 'web_search' },
          ],
          tool_choice: { type: 'function', function: { name: 'f' } },
          parallel_tool_calls: false,
          stream_options: { include_usage: true },
          ...{ n: 1, stop: null, frequency_penalty: 0, seed: 7, user: 'u', future: { deep: true }, temperature: 1 },
        },
      },
      { temperature: 0.2, topP: 0.9 },
    )
    expect(body).toEqual({
      model: 'asked-for',
      store: false,
      input: [{ type: 'message', role: 'user', content: 'hello there' }],
      max_output_tokens: 50,
      reasoning: { effort: 'high' },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 's', schema: { type: 'object' }, strict: true } },
      tools: [
        { type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: false },
        { type: 'web_search' },
      ],
      tool_choice: { type: 'function', name: 'f' },
      parallel_tool_calls: false,
      user: 'u',
      future: { deep: true },
      temperature: 1,
      top_p: 0.9,
    })
  })

  test.each([
    ['n', 2],
    ['stop', ['x']],
    ['logprobs', true],
    ['presence_penalty', 1],
    ['functions', [{ name: 'f' }]],
  ])('cannot say %s: the client hears that, and nothing is sent', async (name, value) => {
    const endpoint = await scriptedEndpoint()
    const transport = nativeTo(endpoint, { style: 'responses' })
    const error = await failureOf(transport.complete(requestFor({ parameters: { [name]: value } })))
    expect(error).toMatchObject({ code: 'bad_request', status: 400, param: name })
    expect(endpoint.requests).toHaveLength(0)
  })
})

describe('a whole response', () => {
  test('becomes one choice with its text, reasoning, calls, usage and tier', async () => {
    const endpoint = await scriptedEndpoint()
    const thought = { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] }
    const output = [thought, messageItem('hello'), callItem('a', 'f', '{}')]
    endpoint.script(json(responseOf(output, { service_tier: 'default' })))
    expect(await nativeTo(endpoint, { style: 'responses' }).complete(requestFor())).toEqual({
      model: 'scripted-1',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'hello',
            refusal: null,
            reasoning_content: 'hm',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: chatUsage,
      isUsageEstimated: false,
      extra: { service_tier: 'default' },
    })
  })

  test.each<[string, object, string]>([
    ['failed', responseOf([], { status: 'failed', error: { code: 'server_error', message: 'no' } }), 'endpoint_error'],
    ['is not finished', responseOf([], { status: 'in_progress' }), 'garbage'],
    ['was cancelled there', responseOf([], { status: 'cancelled' }), 'stream_cut'],
    ['has no output', { object: 'response', status: 'completed' }, 'garbage'],
  ])('that %s is a failure', async (_what, body, code) => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(json(body))
    expect(await failureOf(nativeTo(endpoint, { style: 'responses' }).complete(requestFor()))).toMatchObject({ code })
  })
})
