import { describe, expect, test } from 'vitest'
import {
  chunkBase,
  chunkOf,
  completionOf,
  events,
  json,
  streamOf,
  usageChunk,
  usageOf,
} from '../../support/model-endpoint.ts'
import { scriptedEndpoint, streaming, textIn, transportTo } from '../support/calls.ts'

describe('a streamed answer', () => {
  test('it is told as the model’s name, its words in order and its finish; usage is what the endpoint counted', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(streamOf(['Hello', ', ', 'world']))
    const call = streaming(transportTo(endpoint))
    const end = await call.done
    expect(call.deltas).toEqual([
      { kind: 'model', model: 'scripted-1', extra: {} },
      { kind: 'text', choice: 0, text: 'Hello' },
      { kind: 'text', choice: 0, text: ', ' },
      { kind: 'text', choice: 0, text: 'world' },
      { kind: 'finish', choice: 0, finishReason: 'stop' },
    ])
    expect(end).toEqual({ model: 'scripted-1', usage: usageOf(), isUsageEstimated: false, extra: {} })
  })

  test('each delta is there as soon as its bytes are, not at the end of the stream', async () => {
    const endpoint = await scriptedEndpoint()
    const gate = Promise.withResolvers<void>()
    endpoint.script(streamOf(['first', 'second'], { gate: gate.promise }))
    const first = Promise.withResolvers<void>()
    const received: string[] = []
    const { done } = transportTo(endpoint).stream(
      { model: 'm', messages: [], parameters: {}, signal: new AbortController().signal },
      {
        delta(delta) {
          if (delta.kind === 'text') received.push(delta.text)
          if (received.length === 1) first.resolve()
          return true
        },
      },
    )
    await first.promise
    expect(received).toEqual(['first'])
    gate.resolve()
    await done
    expect(received).toEqual(['first', 'second'])
  })

  test('text with quotes, escapes, line ends and characters beyond the first plane comes through as it was', async () => {
    const endpoint = await scriptedEndpoint()
    const words = [
      'plain',
      'a "quoted" word',
      '\\',
      '\\"',
      'tab\tand\nline',
      '\u2028',
      '🦆 und ß',
      '","x":"',
      '',
      'é',
      '\u0000',
    ]
    endpoint.script(events(...words.map((content) => chunkOf({ content })), chunkOf({}, { finish: 'stop' }), '[DONE]'))
    const call = streaming(transportTo(endpoint))
    await call.done
    expect(call.deltas.flatMap((delta) => (delta.kind === 'text' ? [delta.text] : []))).toEqual(
      words.filter((word) => word !== ''),
    )
  })

  test('several choices are told apart, each with its own finish', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(
      events(
        chunkOf({ content: 'a' }, { index: 0 }),
        chunkOf({ content: 'x' }, { index: 1 }),
        chunkOf({ content: 'b' }, { index: 0 }),
        chunkOf({ content: 'y' }, { index: 1 }),
        chunkOf({}, { index: 1, finish: 'length' }),
        chunkOf({}, { index: 0, finish: 'stop' }),
        '[DONE]',
      ),
    )
    const call = streaming(transportTo(endpoint), { parameters: { n: 2 } })
    await call.done
    expect([textIn(call.deltas, 0), textIn(call.deltas, 1)]).toEqual(['ab', 'xy'])
    expect(call.deltas.slice(-2)).toEqual([
      { kind: 'finish', choice: 1, finishReason: 'length' },
      { kind: 'finish', choice: 0, finishReason: 'stop' },
    ])
    expect(endpoint.requests[0]?.body.n).toBe(2)
  })

  test('several choices in one chunk are each told', async () => {
    const endpoint = await scriptedEndpoint()
    const both = [0, 1].map((index) => ({ index, delta: { content: `c${index}` }, finish_reason: 'stop' }))
    endpoint.script(events({ ...chunkBase, choices: both }, '[DONE]'))
    const call = streaming(transportTo(endpoint))
    await call.done
    expect([textIn(call.deltas, 0), textIn(call.deltas, 1)]).toEqual(['c0', 'c1'])
  })

  test('pieces of tool calls, reasoning and refusals are carried verbatim, their content included', async () => {
    const endpoint = await scriptedEndpoint()
    const deltas = [
      { reasoning_content: 'hm' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' } }],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '1}' } }] },
      { content: 'both', reasoning: 'at once' },
      { refusal: 'no' },
    ]
    endpoint.script(events(...deltas.map((delta) => chunkOf(delta)), chunkOf({}, { finish: 'tool_calls' }), '[DONE]'))
    const call = streaming(transportTo(endpoint))
    await call.done
    expect(call.deltas.slice(1)).toEqual([
      ...deltas.map((delta) => ({ kind: 'raw', choice: 0, delta })),
      { kind: 'finish', choice: 0, finishReason: 'tool_calls' },
    ])
  })

  test('log probabilities go along with their text', async () => {
    const endpoint = await scriptedEndpoint()
    const logprobs = { content: [{ token: 'a', logprob: -0.1, bytes: null, top_logprobs: [] }], refusal: null }
    endpoint.script(events(chunkOf({ content: 'a' }, { logprobs }), chunkOf({}, { finish: 'stop' }), '[DONE]'))
    const call = streaming(transportTo(endpoint))
    await call.done
    expect(call.deltas[1]).toEqual({ kind: 'raw', choice: 0, delta: { content: 'a' }, logprobs })
  })

  test('fields that are null or empty say nothing', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(
      events(
        chunkOf({ role: 'assistant', content: '', refusal: null, tool_calls: null }),
        chunkOf({ content: 'a', refusal: null, function_call: null }),
        { ...chunkBase, choices: [] },
        chunkOf({ content: null }, { finish: 'stop' }),
        '[DONE]',
      ),
    )
    const call = streaming(transportTo(endpoint))
    await call.done
    expect(call.deltas.map((delta) => delta.kind)).toEqual(['model', 'text', 'finish'])
  })

  test('text in the chunk that finishes is told before the finish', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(events(chunkOf({ content: 'all' }, { finish: 'stop' }), '[DONE]'))
    const call = streaming(transportTo(endpoint))
    await call.done
    expect(call.deltas.slice(1)).toEqual([
      { kind: 'text', choice: 0, text: 'all' },
      { kind: 'finish', choice: 0, finishReason: 'stop' },
    ])
  })

  test('usage counts wherever the endpoint puts it, the last one wins, its details are kept', async () => {
    const endpoint = await scriptedEndpoint()
    const usage = { prompt_tokens: 5, completion_tokens: 7, completion_tokens_details: { reasoning_tokens: 4 } }
    endpoint.script(
      events(
        { ...chunkOf({ content: 'a' }), usage: usageOf(5, 1) },
        { ...chunkOf({ content: 'b' }), usage: usageOf(5, 2) },
        { ...chunkOf({}, { finish: 'stop' }), usage },
        '[DONE]',
      ),
    )
    const { done } = streaming(transportTo(endpoint))
    expect(await done).toMatchObject({ usage: { ...usage, total_tokens: 12 }, isUsageEstimated: false })
  })

  test('without usage it is estimated from what was asked and what was said', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(
      events(chunkOf({ content: 'one two' }), chunkOf({ content: ' three' }, { finish: 'stop' }), '[DONE]'),
    )
    const { done } = streaming(transportTo(endpoint))
    // One message: its role and two words, and the marks around it.
    expect(await done).toMatchObject({
      usage: { prompt_tokens: 3 + 6, completion_tokens: 3, total_tokens: 12 },
      isUsageEstimated: true,
    })
  })

  test('tool arguments and reasoning count as said', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(
      events(
        chunkOf({ reasoning_content: 'let me think ' }),
        chunkOf({
          tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: ' {"a": 1}' } }],
        }),
        chunkOf({}, { finish: 'tool_calls' }),
        '[DONE]',
      ),
    )
    const { done } = streaming(transportTo(endpoint))
    expect((await done).usage.completion_tokens).toBe(6)
  })

  test('what the model adds besides (system_fingerprint, service_tier, citations) is kept; padding is not', async () => {
    const endpoint = await scriptedEndpoint()
    const added = { system_fingerprint: 'fp_1', service_tier: 'default' }
    endpoint.script(
      events(
        { ...chunkOf({ content: 'a' }), ...added, obfuscation: 'xxxx' },
        { ...chunkOf({}, { finish: 'stop' }), citations: ['https://example.com'] },
        '[DONE]',
      ),
    )
    const call = streaming(transportTo(endpoint))
    expect((await call.done).extra).toEqual({ ...added, citations: ['https://example.com'] })
    expect(call.deltas[0]).toEqual({ kind: 'model', model: 'scripted-1', extra: added })
  })

  test('an endpoint that does not name its model is taken to be the one that was asked for', async () => {
    const endpoint = await scriptedEndpoint()
    const { model: _none, ...nameless } = chunkBase
    endpoint.script(
      events({ ...nameless, choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] }, '[DONE]'),
    )
    const call = streaming(transportTo(endpoint))
    expect((await call.done).model).toBe('asked-for')
    expect(call.deltas[0]).toMatchObject({ kind: 'model', model: 'asked-for' })
  })

  test('an endpoint that answers a stream request in one piece is heard all the same', async () => {
    const endpoint = await scriptedEndpoint()
    const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }]
    const message = { role: 'assistant', content: 'whole', tool_calls: calls }
    endpoint.script(json(completionOf(message)))
    const call = streaming(transportTo(endpoint))
    expect(await call.done).toMatchObject({ model: 'scripted-1', usage: usageOf(), isUsageEstimated: false })
    expect(call.deltas).toEqual([
      { kind: 'model', model: 'scripted-1', extra: {} },
      { kind: 'raw', choice: 0, delta: { ...message, tool_calls: [{ index: 0, ...calls[0] }] } },
      { kind: 'finish', choice: 0, finishReason: 'stop' },
    ])
  })
})

describe('asking a streaming endpoint for its usage', () => {
  test('it is asked for with every stream, whatever the client wants', async () => {
    const endpoint = await scriptedEndpoint()
    await streaming(transportTo(endpoint), { parameters: { stream_options: { include_usage: false, other: 1 } } }).done
    expect(endpoint.requests[0]?.body).toMatchObject({
      stream: true,
      stream_options: { include_usage: true, other: 1 },
    })
  })

  test('an endpoint that refuses stream_options is asked again without, and from then on never with', async () => {
    const endpoint = await scriptedEndpoint()
    const refusal = json({ error: { message: 'Unrecognized request argument supplied: stream_options' } }, 400)
    endpoint.script(refusal, streamOf(['a']), streamOf(['b']))
    const transport = transportTo(endpoint)
    const first = streaming(transport)
    await first.done
    const second = streaming(transport)
    await second.done
    expect([first.text(), second.text()]).toEqual(['a', 'b'])
    expect(endpoint.requests.map(({ body }) => 'stream_options' in body)).toEqual([true, false, false])
  })

  test('the usage chunk with empty choices ends no stream and is no delta', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(events(chunkOf({ content: 'a' }, { finish: 'stop' }), usageChunk(usageOf(1, 2)), '[DONE]'))
    const call = streaming(transportTo(endpoint))
    expect((await call.done).usage).toEqual(usageOf(1, 2))
    expect(call.deltas.map((delta) => delta.kind)).toEqual(['model', 'text', 'finish'])
  })
})
