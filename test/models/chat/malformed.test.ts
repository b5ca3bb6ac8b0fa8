/** Streams of the chat convention that are not as it says: what breaks no turn, and what is made of it. */
import { describe, expect, test } from 'vitest'
import {
  bytes,
  chunkBase,
  chunkOf,
  completionOf,
  eventOf,
  events,
  json,
  usageOf,
} from '../../support/model-endpoint.ts'
import { requestFor, scriptedEndpoint, streaming, toolCallsIn, transportTo } from '../support/calls.ts'

const piece = (index: unknown, more: object = {}, args: unknown = '') =>
  chunkOf({
    tool_calls: [{ ...(index !== undefined && { index }), ...more, function: { ...named(more), arguments: args } }],
  })
const named = (more: object) => ('name' in more ? { name: more.name } : {})
const begin = (id: string | undefined, name: string) => ({ ...(id && { id }), type: 'function', name })
const finish = chunkOf({}, { finish: 'tool_calls' })

async function callsOf(...chunks: object[]) {
  const endpoint = await scriptedEndpoint()
  endpoint.script(events(...chunks, finish, '[DONE]'))
  const call = streaming(transportTo(endpoint))
  await call.done
  return toolCallsIn(call.deltas)
}

describe('pieces of tool calls', () => {
  const one = [{ id: 'a', name: 'f', arguments: '{"x":1}' }]
  const two = [...one, { id: 'b', name: 'f', arguments: '{"x":2}' }]
  test.each<[string, object[], object[]]>([
    ['in fragments', [piece(0, begin('a', 'f')), piece(0, {}, '{"x"'), piece(0, {}, ':1}')], one],
    [
      'interleaved',
      [
        piece(0, begin('a', 'f')),
        piece(1, begin('b', 'f')),
        piece(0, {}, '{"x":1'),
        piece(1, {}, '{"x":2'),
        piece(0, {}, '}'),
        piece(1, {}, '}'),
      ],
      two,
    ],
    [
      'with gaps between the indexes',
      [piece(1, begin('a', 'f'), '{"x":1}'), piece(4, begin('b', 'f'), '{"x":2}')],
      two,
    ],
    ['with indexes that are text', [piece('0', begin('a', 'f')), piece('0', {}, '{"x":1}')], one],
    [
      'without an index',
      [piece(undefined, begin('a', 'f')), piece(undefined, {}, '{"x"'), piece(undefined, {}, ':1}')],
      one,
    ],
    [
      'of two calls without an index',
      [
        piece(undefined, begin('a', 'f'), '{"x":1}'),
        piece(undefined, begin('b', 'f')),
        piece(undefined, {}, '{"x":2}'),
      ],
      two,
    ],
    ['of two calls under one index', [piece(0, begin('a', 'f'), '{"x":1}'), piece(0, begin('b', 'f'), '{"x":2}')], two],
    [
      'of two whole calls in one list without an index',
      [
        chunkOf({
          tool_calls: ['a', 'b'].map((id, at) => ({ id, function: { name: 'f', arguments: `{"x":${at + 1}}` } })),
        }),
      ],
      two,
    ],
    [
      'with the id in each',
      [piece(0, begin('a', 'f')), piece(0, { id: 'a' }, '{"x"'), piece(0, { id: 'a' }, ':1}')],
      one,
    ],
    [
      'with another id in each',
      [piece(0, begin('a', 'f')), piece(0, { id: 'z' }, '{"x"'), piece(0, { id: 'y' }, ':1}')],
      one,
    ],
    ['with the name in each', [piece(0, begin('a', 'f'), '{"x"'), piece(0, begin('a', 'f'), ':1}')], one],
    [
      'with ids and names that come again',
      [piece(0, begin('a', 'f')), piece(0, begin('z', 'f'), '{"x"'), piece(0, begin('y', 'f'), ':1}')],
      one,
    ],
    ['with an empty id', [piece(0, begin('a', 'f')), piece(0, { id: '' }, '{"x":1}')], one],
    ['with arguments that are an object', [piece(0, begin('a', 'f'), { x: 1 })], one],
    [
      'with nulls among them',
      [
        chunkOf({ tool_calls: [null] }),
        piece(0, begin('a', 'f'), null),
        chunkOf({ tool_calls: [{ index: 0, function: null }] }),
        piece(0, {}, '{"x":1}'),
      ],
      one,
    ],
    [
      'with the name in two',
      [
        piece(0, begin('a', 'get_')),
        chunkOf({ tool_calls: [{ index: 0, function: { name: 'it', arguments: '{}' } }] }),
      ],
      [{ id: 'a', name: 'get_it', arguments: '{}' }],
    ],
  ])('%s become the calls that were meant', async (_what, chunks, calls) => {
    expect(await callsOf(...chunks)).toEqual(calls)
  })

  test('a call without an id gets one, and two under one id get two', async () => {
    const nameless = await callsOf(piece(0, begin(undefined, 'f'), '{}'))
    expect(nameless[0]?.id).toMatch(/^call_\w{16,}$/)
    const twins = await callsOf(piece(0, begin('f', 'f'), '{}'), piece(1, begin('f', 'f'), '{}'))
    expect(new Set(twins.map(({ id }) => id)).size).toBe(2)
  })

  test('more of them than any model makes end the stream', async () => {
    await expect(
      callsOf(...Array.from({ length: 1_100 }, (_, at) => piece(at, begin(`c${at}`, 'f')))),
    ).rejects.toMatchObject({
      code: 'answer_too_large',
    })
  })

  test('calls of a whole answer get their id and their arguments as text', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(
      json(
        completionOf({
          role: 'assistant',
          content: null,
          tool_calls: [{ function: { name: 'f', arguments: { x: 1 } } }],
        }),
      ),
    )
    const { choices } = await transportTo(endpoint).complete(requestFor())
    expect(choices[0]?.message['tool_calls']).toEqual([
      { id: expect.stringMatching(/^call_/), type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
    ])
  })
})

describe('usage in odd places', () => {
  const text = chunkOf({ content: 'a' })
  const end = chunkOf({}, { finish: 'stop' })
  const { choices: _none, ...bare } = { ...chunkBase, choices: [] }
  const usage = usageOf(5, 7)
  test.each<[string, object[], object]>([
    [
      'in every chunk',
      [
        { ...text, usage: usageOf(5, 1) },
        { ...end, usage },
      ],
      usage,
    ],
    ['after the finish', [text, end, { ...chunkBase, choices: [], usage }], usage],
    ['in a chunk without choices', [text, end, { ...bare, usage }], usage],
    ['in a chunk whose choices are null', [text, end, { ...bare, choices: null, usage }], usage],
    [
      'in the choice',
      [text, { ...chunkBase, choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }],
      usage,
    ],
    [
      'in two parts',
      [
        { ...text, usage: { prompt_tokens: 5 } },
        { ...end, usage: { completion_tokens: 7 } },
      ],
      usage,
    ],
    [
      'before null',
      [
        { ...text, usage },
        { ...end, usage: null },
      ],
      usage,
    ],
    [
      'of 2^40',
      [{ ...text, usage: { prompt_tokens: 2 ** 40, completion_tokens: 1e300, total_tokens: 2 ** 31 } }, end],
      { prompt_tokens: 2_147_483_647, completion_tokens: 2_147_483_647, total_tokens: 2_147_483_647 },
    ],
    ['of fractions', [{ ...text, usage: { prompt_tokens: 4.6, completion_tokens: 7.2 } }, end], usage],
    [
      'below nothing',
      [
        {
          ...text,
          usage: {
            prompt_tokens: -1,
            completion_tokens: 7,
            total_tokens: -3,
            prompt_tokens_details: { cached_tokens: -1, of: 'x' },
          },
        },
        end,
      ],
      { prompt_tokens: 0, completion_tokens: 7, total_tokens: 7, prompt_tokens_details: { cached_tokens: 0, of: 'x' } },
    ],
  ])('%s is counted, and such as can be stored', async (_where, chunks, counted) => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(events(...chunks, '[DONE]'))
    const end = await streaming(transportTo(endpoint)).done
    expect(end).toMatchObject({ isUsageEstimated: false })
    expect(end.usage).toEqual(counted)
  })

  test('a count below nothing says that the endpoint does not know: it is estimated', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(json(completionOf('one two', { usage: { prompt_tokens: -1, completion_tokens: -1 } })))
    expect(await transportTo(endpoint).complete(requestFor())).toMatchObject({
      isUsageEstimated: true,
      usage: { completion_tokens: 2 },
    })
  })
})

describe('other oddities', () => {
  const end = chunkOf({}, { finish: 'stop' })
  const hello = chunkOf({ content: 'hello' })
  const framed = [hello, end].map(eventOf).join('')
  test.each<[string, string]>([
    ['no [DONE]', framed],
    ['carriage returns', `${framed}data: [DONE]\n\n`.replaceAll('\n', '\r\n')],
    ['carriage returns alone', `${framed}data: [DONE]\n\n`.replaceAll('\n', '\r')],
    ['comments', `:\n\n: ping\n\n${framed}: pong\ndata: [DONE]\n\n`],
    ['empty events', `data: \n\ndata:\n\n${framed}data:   \n\n`],
    [
      'empty choices and null deltas',
      [
        { ...chunkBase, choices: [] },
        { ...chunkBase, choices: null },
        { ...chunkBase, choices: [null] },
        { ...chunkBase, choices: [{ index: 0, delta: null }] },
      ]
        .map(eventOf)
        .join('') + framed,
    ],
    [
      'a choice without an index',
      eventOf({ ...chunkBase, choices: [{ delta: { content: 'hello' }, finish_reason: 'stop' }] }),
    ],
    [
      'a choice whose index is none',
      eventOf({ ...chunkBase, choices: [{ index: -1, delta: { content: 'hello' }, finish_reason: 'stop' }] }),
    ],
    ['the finish twice', framed + eventOf(end) + eventOf(chunkOf({}, { finish: 'length' }))],
    ['an empty finish before it', eventOf(chunkOf({}, { finish: '' })) + framed],
  ])('%s breaks nothing', async (_what, stream) => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(bytes(stream))
    const call = streaming(transportTo(endpoint))
    await call.done
    expect(call.deltas.slice(1)).toEqual([
      { kind: 'text', choice: 0, text: 'hello' },
      { kind: 'finish', choice: 0, finishReason: 'stop' },
    ])
  })

  test('reasoning keeps the field that it came in, and tags stay text', async () => {
    const endpoint = await scriptedEndpoint()
    const deltas = [{ reasoning_content: 'a' }, { reasoning: 'b' }, { thinking: 'c' }]
    endpoint.script(
      events(...deltas.map((delta) => chunkOf(delta)), chunkOf({ content: '<think>d</think>' }), end, '[DONE]'),
    )
    const call = streaming(transportTo(endpoint))
    await call.done
    expect(call.deltas.slice(1, -1)).toEqual([
      ...deltas.map((delta) => ({ kind: 'raw', choice: 0, delta })),
      { kind: 'text', choice: 0, text: '<think>d</think>' },
    ])
  })
})
