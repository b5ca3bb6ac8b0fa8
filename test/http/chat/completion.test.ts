import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstWorkspaceId } from '../../../store/id.ts'
import { eventsOf, type GatewayUnderTest, gatewayUnderTest, until } from '../../support/gateway.ts'
import { chunkOf, completionOf, cutAfter, events, failure, json, streamOf } from '../../support/model-endpoint.ts'
import { recentTurns } from '../../support/recent-turns.ts'

let service: GatewayUnderTest
beforeAll(async () => {
  service = await gatewayUnderTest()
})
afterAll(() => service.stop())

const chat = '/v1/chat/completions'
const hello = { model: 'some-model', messages: [{ role: 'user', content: 'hello' }] }

async function newestTurn() {
  const [turn] = await recentTurns(service.db, firstWorkspaceId, { before: null, limit: 1 })
  return turn
}

/** The record's end follows the answer of a self-contained call by a group commit. */
async function endedTurn(status: string) {
  await until(async () => (await newestTurn())?.status === status)
  return await newestTurn()
}

test('a client whose base address lacks the version is told so', async () => {
  const lacking = await service.post('/chat/completions', hello)
  expect(lacking.status).toBe(404)
  const message = 'There is nothing at "/chat/completions": the base address of the API ends in /v1.'
  expect(await lacking.json()).toMatchObject({ error: { message } })
  const elsewhere = await service.post('/completely/else', hello)
  expect(await elsewhere.json()).toMatchObject({ error: { message: 'There is nothing at "/completely/else".' } })
})

describe('a whole answer', () => {
  test('carries the model’s choices and usage, and leaves a turn record', async () => {
    service.endpoint.script(json(completionOf('Good day.')))
    const answer = await service.post(chat, hello)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{32}$/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'scripted-1',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Good day.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
    })
    expect(await endedTurn('completed')).toMatchObject({
      model: 'scripted-1',
      promptTokens: 9,
      completionTokens: 3,
      isUsageEstimated: false,
      finishReason: 'stop',
      isStream: false,
      conversationId: null,
      requestId: answer.headers.get('x-request-id'),
      errorCode: null,
    })
  })

  test('parameters that nobody here knows reach the model, and our own do not', async () => {
    service.endpoint.script(json(completionOf('ok')))
    await service.post(chat, {
      ...hello,
      seed: 7,
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
      some_new_thing: { a: [1] },
      temperature: null,
      metadata: { conversation_id: '', purpose: 'test' },
    })
    const sent = service.endpoint.requests.at(-1)?.body
    expect(sent).toMatchObject({
      model: 'some-model',
      seed: 7,
      some_new_thing: { a: [1] },
      metadata: { purpose: 'test' },
    })
    expect(Object.keys(sent)).not.toContain('temperature')
    expect(sent.tools).toHaveLength(1)
  })

  test.each([
    ['no model', { messages: hello.messages }, 'model'],
    ['no messages', { model: 'm' }, 'messages'],
    ['an unknown role', { model: 'm', messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role'],
    ['a user without content', { model: 'm', messages: [{ role: 'user' }] }, 'messages[0].content'],
    ['a temperature of 3', { ...hello, temperature: 3 }, 'temperature'],
    ['a top_p of -1', { ...hello, top_p: -1 }, 'top_p'],
    ['a max_tokens of 1.5', { ...hello, max_tokens: 1.5 }, 'max_tokens'],
  ])('%s is a 400 that names the field', async (_what, body, param) => {
    const answer = await service.post(chat, body)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error', code: 'bad_request', param } })
  })

  test.each([
    [500, 502],
    [503, 503],
    [429, 429],
    [401, 502],
    [400, 400],
    [404, 404],
  ])('an endpoint that says %i is a %i with the envelope', async (upstream, status) => {
    service.endpoint.script(failure(upstream))
    const answer = await service.post(chat, hello)
    expect(answer.status).toBe(status)
    expect(await answer.json()).toMatchObject({ error: { message: expect.any(String), code: expect.any(String) } })
    expect((await endedTurn('failed'))?.errorCode).toEqual(expect.any(String))
  })
})

describe('a streamed answer', () => {
  test('is role first, finish_reason last, usage on request, then [DONE]', async () => {
    service.endpoint.script(streamOf(['Good ', 'day.']))
    const answer = await service.post(chat, { ...hello, stream: true, stream_options: { include_usage: true } })
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const data = eventsOf(await answer.text())
    expect(data.at(-1)).toBe('[DONE]')
    const chunks = data.slice(0, -1).map((text) => JSON.parse(text))
    expect(chunks.every((chunk) => chunk.object === 'chat.completion.chunk' && chunk.model === 'scripted-1')).toBe(true)
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1)
    expect(chunks.map((chunk) => chunk.choices[0]?.delta)).toEqual([
      { role: 'assistant', content: '' },
      { content: 'Good ' },
      { content: 'day.' },
      {},
      undefined,
    ])
    expect(chunks.map((chunk) => chunk.choices[0]?.finish_reason)).toEqual([null, null, null, 'stop', undefined])
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 12 } })
    expect(await endedTurn('completed')).toMatchObject({ isStream: true, timeToFirstTokenMs: expect.any(Number) })
  })

  test('a failure before the first delta is an ordinary error', async () => {
    service.endpoint.script(failure(429, 'slow down', { headers: { 'retry-after': '7' } }))
    const answer = await service.post(chat, { ...hello, stream: true })
    expect(answer.status).toBe(429)
    expect(answer.headers.get('retry-after')).toBe('7')
    expect(await answer.json()).toMatchObject({ error: { type: 'scripted_error' } })
  })

  test('a failure after it is an error event, and the stream still ends', async () => {
    service.endpoint.script(cutAfter(chunkOf({ content: 'Half an ' })))
    const answer = await service.post(chat, { ...hello, stream: true })
    expect(answer.status).toBe(200)
    const data = eventsOf(await answer.text())
    expect(data.at(-1)).toBe('[DONE]')
    expect(JSON.parse(data.at(-2) ?? '')).toMatchObject({ error: { code: 'stream_cut', type: 'api_error' } })
    expect(await endedTurn('failed')).toMatchObject({ errorCode: 'stream_cut' })
  })

  test('garbage in the stream is an error event too', async () => {
    service.endpoint.script(events(chunkOf({ content: 'a' }), 'this is no JSON'))
    const data = eventsOf(await (await service.post(chat, { ...hello, stream: true })).text())
    expect(JSON.parse(data.at(-2) ?? '')).toMatchObject({ error: { code: 'garbage' } })
  })

  test('tool calls and reasoning fields come through verbatim', async () => {
    const call = {
      tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a"' } }],
    }
    const more = { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }
    service.endpoint.script(
      events(
        chunkOf({ reasoning_content: 'hm' }),
        chunkOf(call),
        chunkOf(more),
        chunkOf({}, { finish: 'tool_calls' }),
        '[DONE]',
      ),
    )
    const data = eventsOf(await (await service.post(chat, { ...hello, stream: true })).text())
    const deltas = data.slice(0, -1).map((text) => JSON.parse(text).choices[0].delta)
    expect(deltas).toEqual([{ role: 'assistant', content: '' }, { reasoning_content: 'hm' }, call, more, {}])
  })

  test('a client that goes away aborts the call to the model and leaves a cancelled turn', async () => {
    service.endpoint.script(async (call) => {
      call.openStream()
      call.event(chunkOf({ content: 'one ' }))
      await call.aborted
    })
    const leaving = new AbortController()
    const answer = await service.post(chat, { ...hello, stream: true }, {}, leaving.signal)
    const reader = answer.body?.getReader()
    await reader?.read()
    const abortedBefore = service.endpoint.abortedCalls
    leaving.abort()
    await service.endpoint.until(() => service.endpoint.abortedCalls > abortedBefore)
    expect(await endedTurn('cancelled')).toMatchObject({ isStream: true })
    // The record is written while the turn ends.
    await expect.poll(() => service.gateway.stats()).toMatchObject({ turns: 0, streams: 0, actors: 0 })
  })
})

describe('bounds', () => {
  test('more turns than SERVICE_TURNS_MAX are 429 with Retry-After', async () => {
    const small = await gatewayUnderTest({ SERVICE_TURNS_MAX: '2' })
    try {
      const open = Promise.withResolvers<void>()
      small.endpoint.always(async (call) => {
        await open.promise
        await json(completionOf('late'))(call)
      })
      const running = [small.post(chat, hello), small.post(chat, hello)]
      await small.endpoint.until(() => small.endpoint.openCalls === 2)
      const refused = await small.post(chat, hello)
      expect(refused.status).toBe(429)
      expect(refused.headers.get('retry-after')).toBe('1')
      expect(await refused.json()).toMatchObject({ error: { code: 'too_many_turns', type: 'rate_limit_error' } })
      open.resolve()
      expect((await Promise.all(running)).map((answer) => answer.status)).toEqual([200, 200])
    } finally {
      await small.stop()
    }
  })
})
