/** Endpoints that fail: which error the caller gets, and what no message may contain. */
import { describe, expect, test } from 'vitest'
import { bytes, chunkOf, cutAfter, events, failure, hangUp, json, onSocket } from '../../support/model-endpoint.ts'
import { failureOf, requestFor, scriptedEndpoint, streaming, transportTo } from '../support/calls.ts'

describe('what an endpoint’s refusal is to the client', () => {
  test.each([
    [302, 'endpoint_error', 502],
    [400, 'bad_request', 400],
    [401, 'endpoint_credentials', 502],
    [402, 'endpoint_credentials', 502],
    [403, 'endpoint_credentials', 502],
    [404, 'model_unknown', 404],
    [405, 'endpoint_error', 502],
    [408, 'endpoint_error', 504],
    [413, 'bad_request', 413],
    [418, 'bad_request', 400],
    [422, 'bad_request', 422],
    [429, 'rate_limited', 429],
    [500, 'endpoint_error', 502],
    [501, 'endpoint_error', 502],
    [502, 'endpoint_error', 502],
    [503, 'endpoint_overloaded', 503],
    [504, 'endpoint_error', 504],
    [529, 'endpoint_overloaded', 503],
  ])('%i becomes %s with status %i, streamed or not', async (upstream, code, status) => {
    const endpoint = await scriptedEndpoint()
    endpoint.always(failure(upstream, 'it says why'))
    const transport = transportTo(endpoint)
    for (const call of [transport.complete(requestFor()), streaming(transport).done]) {
      const error = await failureOf(call)
      expect(error).toMatchObject({ code, status, upstreamStatus: upstream })
    }
  })

  test('its own words, code and blamed field are kept where they are about the request', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(failure(400, 'tools[0] is no tool', { code: 'invalid_tool', param: 'tools' }))
    expect(await failureOf(transportTo(endpoint).complete(requestFor()))).toMatchObject({
      message: 'tools[0] is no tool',
      upstreamName: { code: 'invalid_tool' },
      param: 'tools',
    })
  })

  test.each([
    ['in an envelope', { error: { message: 'why' } }],
    ['as the error itself', { error: 'why' }],
    ['beside nothing', { message: 'why' }],
    ['as a detail', { detail: 'why' }],
    ['as bare JSON text', 'why'],
  ])('words are found %s', async (_where, body) => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(json(body, 422))
    expect((await failureOf(transportTo(endpoint).complete(requestFor()))).message).toBe('why')
  })

  test('a request that is too long for the model is called that', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(failure(400, 'too many tokens', { code: 'context_length_exceeded' }))
    endpoint.script(failure(400, 'the maximum context length is 8192 tokens'))
    const transport = transportTo(endpoint)
    for (let call = 0; call < 2; call++)
      expect(await failureOf(transport.complete(requestFor()))).toMatchObject({ code: 'context_too_long', status: 400 })
  })

  test('404 without words means that nobody answers under that path', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(onSocket('HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>'))
    const error = await failureOf(transportTo(endpoint).complete(requestFor()))
    expect(error).toMatchObject({ code: 'endpoint_error', status: 502 })
    expect(error.message).toContain('SERVICE_LLM_GATEWAY_URL')
  })

  test('words without end, with line ends become one short line', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(failure(400, `first\nsecond\u0000${'x'.repeat(10_000)}`))
    const error = await failureOf(transportTo(endpoint).complete(requestFor()))
    expect(error.message.length).toBeLessThan(1_100)
    expect(error.message.startsWith('first second xxx')).toBe(true)
  })

  test('a refusal without end is hung up on', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(async (call) => {
      call.response.writeHead(500, { 'content-type': 'text/plain' })
      while (!call.isAborted) {
        call.write('x'.repeat(16_384))
        await new Promise(setImmediate)
      }
    })
    const error = await failureOf(transportTo(endpoint).complete(requestFor()))
    expect(error).toMatchObject({ code: 'endpoint_error', upstreamStatus: 500 })
    await endpoint.until(() => endpoint.connections === 0)
  })

  test('the status counts although the refusal’s body is cut off', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(onSocket('HTTP/1.1 503 Busy\r\ncontent-length: 100\r\n\r\n{"err'))
    expect(await failureOf(transportTo(endpoint).complete(requestFor()))).toMatchObject({ code: 'endpoint_overloaded' })
  })
})

describe('an endpoint that breaks', () => {
  test('nobody listens there: 502, unreachable', async () => {
    const endpoint = await scriptedEndpoint()
    await endpoint.close()
    const transport = transportTo(endpoint)
    for (const call of [transport.complete(requestFor()), streaming(transport).done])
      expect(await failureOf(call)).toMatchObject({ code: 'endpoint_unreachable', status: 502, isTransient: true })
  })

  test.each([
    ['hangs up before a word', hangUp, 'endpoint_unreachable', 502],
    ['says no HTTP', onSocket('NOT HTTP AT ALL\r\n\r\n'), 'garbage', 502],
    ['cuts its answer off', onSocket('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"half'), 'stream_cut', 502],
    ['breaks HTTP off', onSocket('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'), 'garbage', 502],
    ['says 200 to an error', json({ error: { message: 'no', type: 'server_error' } }), 'endpoint_error', 502],
    ['says 200 to too many calls', json({ error: { message: 'no', code: 429 } }), 'rate_limited', 429],
  ])('%s', async (_what, answer, code, status) => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(answer)
    expect(await failureOf(transportTo(endpoint).complete(requestFor()))).toMatchObject({ code, status })
  })

  test.each([
    ['cuts off in mid-stream', cutAfter(chunkOf({ content: 'half' })), 'stream_cut'],
    ['ends without a finish', events(chunkOf({ content: 'half' })), 'stream_cut'],
    [
      'ends with one choice of two unfinished',
      events(chunkOf({}, { finish: 'stop' }), chunkOf({}, { index: 1 })),
      'stream_cut',
    ],
    ['sends an event that is no JSON', events(chunkOf({ content: 'a' }), '{{{'), 'garbage'],
    ['sends an event that is no object', events('[1]'), 'garbage'],
    [
      'sends an error as an event',
      events(chunkOf({ content: 'a' }), { error: { message: 'no', code: 503 } }),
      'endpoint_overloaded',
    ],
    [
      'sends an event named error',
      bytes('event: error\ndata: {"message":"no","type":"rate_limit_error"}\n\n'),
      'rate_limited',
    ],
    ['sends a line without an end', bytes(`data: ${'x'.repeat(2_000_000)}`), 'answer_too_large'],
    ['streams what are no events', bytes('hello there\n\n', 'more of it\n\n'), 'garbage'],
    ['streams nothing', bytes(), 'stream_cut'],
    ['answers with a page', json('<html>', 200, { 'content-type': 'text/html; charset=utf-8' }), 'garbage'],
  ])('of a stream: %s', async (_what, answer, code) => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(answer)
    expect(await failureOf(streaming(transportTo(endpoint)).done)).toMatchObject({ code })
    await endpoint.until(() => endpoint.openCalls === 0)
  })

  test('what was said before it failed is counted as used', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(cutAfter(chunkOf({ content: 'one two ' }), chunkOf({ content: 'three' })))
    const error = await failureOf(streaming(transportTo(endpoint)).done)
    expect(error.usage).toEqual({ prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 })
  })

  test('a call whose caller left has used what the model was asked, as of the model that was called', async () => {
    const endpoint = await scriptedEndpoint()
    const transport = transportTo(endpoint, { model: 'own' })
    const used = { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 }
    for (const isStream of [false, true]) {
      const leave = new AbortController()
      const request = { model: 'any name', signal: leave.signal }
      endpoint.script((call) => call.aborted)
      const call = isStream ? streaming(transport, request).done : transport.complete(requestFor(request))
      await endpoint.until(() => endpoint.openCalls === 1)
      leave.abort()
      expect(await failureOf(call)).toMatchObject({ code: 'cancelled', usage: used, model: 'own' })
      await endpoint.until(() => endpoint.openCalls === 0)
    }
    endpoint.script(cutAfter({ ...chunkOf({ content: 'one' }), model: 'own-2026' }))
    expect(await failureOf(streaming(transport, { model: 'any name' }).done)).toMatchObject({ model: 'own-2026' })
    // Before anything went out, nothing was used.
    const error = await failureOf(transport.complete(requestFor({ signal: AbortSignal.abort() })))
    expect(error.usage).toBeUndefined()
  })
})
