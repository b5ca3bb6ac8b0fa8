/** Streams of the responses style, told as the chat convention has it. */
import { describe, expect, test } from 'vitest'
import { bytes, cutAfter, eventOf, events, failure, type ScriptedAnswer } from '../../support/model-endpoint.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import { failureOf, nativeTo, passing, scriptedEndpoint, streaming, toolCallsIn } from '../support/calls.ts'
import {
  added,
  argumentsDelta,
  callItem,
  chatUsage,
  completed,
  created,
  done,
  messageItem,
  responseOf,
  spokenResponse,
  textDelta,
  wholeResponse,
} from '../support/responses.ts'

async function streamed(answer: ScriptedAnswer) {
  const endpoint = await scriptedEndpoint()
  endpoint.script(answer)
  const call = streaming(nativeTo(endpoint, { style: 'responses' }))
  return { ...call, deltas: call.deltas, end: await call.done }
}

describe('a streamed response', () => {
  test('is told as the model’s name, its words in order and its finish; usage with its details', async () => {
    const { deltas, end } = await streamed(spokenResponse('Hello', ', ', 'wörld 🦆'))
    expect(deltas).toEqual([
      { kind: 'model', model: 'scripted-1', extra: {} },
      { kind: 'text', choice: 0, text: 'Hello' },
      { kind: 'text', choice: 0, text: ', ' },
      { kind: 'text', choice: 0, text: 'wörld 🦆' },
      { kind: 'finish', choice: 0, finishReason: 'stop' },
    ])
    expect(end).toEqual({ model: 'scripted-1', usage: chatUsage, isUsageEstimated: false, extra: {} })
  })

  test('parallel calls whose pieces come interleaved are told apart, and the finish says so', async () => {
    const [first, second] = [callItem('a', 'read', '{"x":1}'), callItem('b', 'write', '{"y":[2]}')]
    const { deltas } = await streamed(
      events(
        created,
        added(first, 0),
        added(second, 1),
        argumentsDelta('a', 0, '{"x"'),
        argumentsDelta('b', 1, '{"y":'),
        argumentsDelta('a', 0, ':1}'),
        argumentsDelta('b', 1, '[2]}'),
        done(first, 0),
        done(second, 1),
        completed(responseOf([first, second])),
      ),
    )
    expect(toolCallsIn(deltas)).toEqual([
      { id: 'a', name: 'read', arguments: '{"x":1}' },
      { id: 'b', name: 'write', arguments: '{"y":[2]}' },
    ])
    expect(deltas.at(-1)).toEqual({ kind: 'finish', choice: 0, finishReason: 'tool_calls' })
  })

  test('reasoning and refusals come in the fields of the chat convention', async () => {
    const { deltas } = await streamed(
      events(
        created,
        { type: 'response.reasoning_summary_part.added', summary_index: 0 },
        { type: 'response.reasoning_summary_text.delta', delta: 'hm' },
        { type: 'response.reasoning_summary_part.added', summary_index: 1 },
        { type: 'response.reasoning_summary_text.delta', delta: 'so' },
        { type: 'response.refusal.delta', delta: 'no' },
        completed(),
      ),
    )
    expect(deltas.slice(1, -1)).toEqual(
      [{ reasoning_content: 'hm' }, { reasoning_content: '\n\n' }, { reasoning_content: 'so' }, { refusal: 'no' }].map(
        (delta) => ({ kind: 'raw', choice: 0, delta }),
      ),
    )
  })

  test.each([
    [{ reason: 'max_output_tokens' }, 'length'],
    [{ reason: 'content_filter' }, 'content_filter'],
    [null, 'length'],
  ])('one that ends incomplete (%o) finishes with %s and keeps its usage', async (incomplete_details, reason) => {
    const response = responseOf([], { status: 'incomplete', incomplete_details })
    const { deltas, end } = await streamed(
      events(created, textDelta('half'), { type: 'response.incomplete', response }),
    )
    expect(deltas.at(-1)).toEqual({ kind: 'finish', choice: 0, finishReason: reason })
    expect(end.usage).toEqual(chatUsage)
  })

  test('one that was all spent on reasoning is an empty answer, not a failure', async () => {
    const response = responseOf([], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    const { deltas } = await streamed(events(created, { type: 'response.incomplete', response }))
    expect(deltas.map(({ kind }) => kind)).toEqual(['model', 'finish'])
  })

  test('an endpoint that answers in one piece is heard all the same', async () => {
    const { deltas } = await streamed(wholeResponse(messageItem('whole'), callItem('a', 'f', '{}')))
    expect(deltas[1]).toMatchObject({ kind: 'raw', delta: { content: 'whole' } })
    expect(toolCallsIn(deltas)).toEqual([{ id: 'a', name: 'f', arguments: '{}' }])
  })
})

describe('streams that are not as they should be', () => {
  const call = callItem('a', 'f', '{"x":1}')
  const args = (event: object) => ({ ...event, item_id: undefined, output_index: undefined })
  test.each<[string, ScriptedAnswer]>([
    ['only the last event', events(completed(responseOf([messageItem('hello')])))],
    ['only items that are done', events(created, done(messageItem('hello'), 0), completed())],
    ['[DONE] instead of a last event', events(created, textDelta('hello'), '[DONE]')],
    ['items that are done, then [DONE]', events(done(messageItem('hello'), 0), '[DONE]')],
    ['[DONE] after the last event', events(created, textDelta('hello'), completed(), '[DONE]')],
    ['no empty line at the end', bytes(eventOf(textDelta('hello')), eventOf(completed()).trimEnd())],
    ['a last event twice', events(textDelta('hello'), completed(), completed())],
    ['words after the end', events(textDelta('hello'), completed(), textDelta('never'))],
    ['carriage returns', bytes([textDelta('hello'), completed()].map(eventOf).join('').replaceAll('\n', '\r\n'))],
    ['a byte order mark', bytes(`\ufeff${eventOf(textDelta('hello'))}${eventOf(completed())}`)],
    ['comments', bytes(`: hi\n\n${eventOf(textDelta('hello'))}:\n: ping\n\n${eventOf(completed())}`)],
    ['empty events', bytes(`data: \n\n${eventOf(textDelta('hello'))}data:  \n\n${eventOf(completed())}`)],
    [
      'the type beside the data',
      bytes('event: response.output_text.delta\ndata: {"delta":"hello"}\n\n', eventOf(completed())),
    ],
    [
      'nulls and events of no known kind',
      events(
        { type: 'future', x: null },
        { type: 'response.output_text.delta', delta: null },
        textDelta('hello'),
        { type: 'response.output_item.added', item: null },
        completed(),
      ),
    ],
  ])('with %s the words are told once', async (_what, answer) => {
    const { deltas } = await streamed(answer)
    expect(deltas.map((delta) => (delta.kind === 'text' ? delta.text : delta.kind))).toEqual([
      'model',
      'hello',
      'finish',
    ])
  })

  test.each<[string, object[]]>([
    [
      'pieces that name no call',
      [added(call, 0), args(argumentsDelta('a', 0, '{"x"')), args(argumentsDelta('a', 0, ':1}')), completed()],
    ],
    ['no pieces', [added(call, 0), done(call, 0), completed()]],
    ['no beginning', [argumentsDelta('a', 0, '{"x"'), done(call, 0), completed()]],
    ['a piece missing', [added(call, 0), argumentsDelta('a', 0, '{"x"'), done(call, 0), completed()]],
    [
      'the arguments done and no item',
      [
        added(call, 0),
        { type: 'response.function_call_arguments.done', item_id: 'fc_a', arguments: '{"x":1}' },
        completed(),
      ],
    ],
    [
      'the arguments in the beginning and in pieces',
      [{ ...added(call, 0), item: call }, argumentsDelta('a', 0, '{"x":1}'), done(call, 0), completed()],
    ],
    [
      'ids that change',
      [
        added(call, 0),
        argumentsDelta('z', 0, '{"x"'),
        argumentsDelta('y', 0, ':1}'),
        done({ ...call, id: 'fc_q', call_id: 'q' }, 0),
        completed(),
      ],
    ],
    ['the call in the last event only', [completed(responseOf([call]))]],
    [
      'the end of its arguments in the last event only',
      [added(call, 0), argumentsDelta('a', 0, '{"x"'), completed(responseOf([call]))],
    ],
    ['the beginning twice', [added(call, 0), added(call, 0), argumentsDelta('a', 0, '{"x":1}'), completed()]],
  ])('a call with %s is told whole and once', async (_what, told) => {
    const { deltas } = await streamed(events(created, ...told))
    expect(toolCallsIn(deltas)).toEqual([{ id: 'a', name: 'f', arguments: '{"x":1}' }])
    expect(deltas.at(-1)).toMatchObject({ finishReason: 'tool_calls' })
  })

  test('calls that all stand in the same place are told apart by their ids', async () => {
    const [first, second] = [callItem('a', 'f', '{"x":1}'), callItem('b', 'f', '{"x":2}')]
    for (const told of [
      [added(first, 0), added(second, 0), done(first, 0), done(second, 0)],
      [done(first, 0), done(second, 0)],
    ]) {
      const { deltas } = await streamed(events(...told, completed()))
      expect(toolCallsIn(deltas).map(({ id, arguments: given }) => [id, given])).toEqual([
        ['a', '{"x":1}'],
        ['b', '{"x":2}'],
      ])
    }
  })

  test('counts that cannot be are made such as can be stored', async () => {
    const usage = { input_tokens: 2 ** 40, output_tokens: 2.6, input_tokens_details: { cached_tokens: -1 } }
    const { end } = await streamed(events(textDelta('a'), completed(responseOf([], { usage }))))
    expect(end.usage).toEqual({
      prompt_tokens: 2_147_483_647,
      completion_tokens: 3,
      total_tokens: 2_147_483_647,
      prompt_tokens_details: { cached_tokens: 0 },
    })
  })
})

describe('a response that fails', () => {
  const failed = (error: object | null) => ({
    type: 'response.failed',
    response: responseOf([], { status: 'failed', error }),
  })
  test.each<[string, ScriptedAnswer, string]>([
    ['says so', events(created, failed({ code: 'server_error', message: 'no' })), 'endpoint_error'],
    ['says so without a word', events(created, failed(null)), 'endpoint_error'],
    ['was too fast', events(created, failed({ code: 'rate_limit_exceeded', message: 'no' })), 'rate_limited'],
    ['had a bad request', events(failed({ code: 'invalid_prompt', message: 'no' })), 'bad_request'],
    ['sends an error event', events({ type: 'error', code: 'rate_limit_exceeded', message: 'no' }), 'rate_limited'],
    [
      'wraps it in an error event',
      events({ type: 'error', error: { type: 'overloaded_error' } }),
      'endpoint_overloaded',
    ],
    ['speaks the other style', events({ error: { message: 'no', code: 503 } }), 'endpoint_overloaded'],
    ['is cut off', cutAfter(textDelta('half')), 'stream_cut'],
    ['ends without an end', events(created, textDelta('half')), 'stream_cut'],
    ['says [DONE] to nothing', events(created, '[DONE]'), 'stream_cut'],
    ['sends what is no JSON', events('{{{'), 'garbage'],
    ['streams what are no events', bytes('hello there\n\n'), 'garbage'],
    ['sends a line without an end', bytes(`data: ${'x'.repeat(1_100_000)}`), 'answer_too_large'],
  ])('%s', async (_what, answer, code) => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(answer)
    expect(await failureOf(streaming(nativeTo(endpoint, { style: 'responses' })).done)).toMatchObject({ code })
    await endpoint.until(() => endpoint.openCalls === 0)
  })

  test('before its first word it is tried again, and nothing is told twice', async () => {
    const endpoint = await scriptedEndpoint()
    const clock = virtualClock()
    endpoint.script(
      events(created, failed({ code: 'server_error', message: 'no' })),
      failure(503),
      spokenResponse('once'),
    )
    const call = streaming(nativeTo(endpoint, { style: 'responses', retries: 2, clock }))
    await passing(clock, () => endpoint.requests.length === 3)
    await call.done
    expect(call.deltas.map(({ kind }) => kind)).toEqual(['model', 'text', 'finish'])
  })

  test('after its first word it is not, and what was said is counted', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(cutAfter(created, textDelta('one two')), spokenResponse('never'))
    const error = await failureOf(streaming(nativeTo(endpoint, { style: 'responses', retries: 3 })).done)
    expect(error).toMatchObject({ code: 'stream_cut', usage: { prompt_tokens: 9, completion_tokens: 2 } })
    expect(endpoint.requests).toHaveLength(1)
  })
})
