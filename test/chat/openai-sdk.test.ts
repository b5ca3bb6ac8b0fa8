/** What the official SDK makes of our answers is what it makes of the endpoint's own: but for ids and times, nothing differs. */
import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type GatewayUnderTest, gatewayUnderTest, testKey } from '../support/gateway.ts'
import {
  chunkOf,
  completionOf,
  cutAfter,
  events,
  failure,
  json,
  type ScriptedAnswer,
  streamOf,
  usageChunk,
} from '../support/model-endpoint.ts'

let service: GatewayUnderTest
let ours: OpenAI
let direct: OpenAI
beforeAll(async () => {
  service = await gatewayUnderTest()
  ours = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: testKey, maxRetries: 0 })
  direct = new OpenAI({ baseURL: service.endpoint.url, apiKey: 'none', maxRetries: 0 })
})
afterAll(() => service.stop())

const hello = { model: 'gpt-test', messages: [{ role: 'user' as const, content: 'hello' }] }
type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk

/** The same call on both ways, each with the same scripted answer. */
async function both<Result>(
  answer: ScriptedAnswer,
  call: (client: OpenAI) => Promise<Result>,
): Promise<[Result, Result]> {
  service.endpoint.script(answer)
  const through = await call(ours)
  service.endpoint.script(answer)
  return [through, await call(direct)]
}

/** Each answer has an id and a time of its own. */
function withoutIdentity<Answer extends { id: string; created: number }>(
  answer: Answer,
): Omit<Answer, 'id' | 'created'> {
  const { id, created, ...rest } = answer
  expect(id).toMatch(/^chatcmpl-/)
  expect(created).toBeGreaterThan(1_600_000_000)
  return rest
}

async function chunksOf(stream: AsyncIterable<Chunk>): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return chunks
}

/** What is left of a stream when one ignores into how many chunks it was cut. */
function meaningOf(chunks: Chunk[]) {
  const choices = new Map<number, { role: unknown; content: string; tools: object[]; finish: string | null }>()
  for (const { index, delta, finish_reason } of chunks.flatMap((chunk) => chunk.choices)) {
    const choice = choices.get(index) ?? { role: undefined, content: '', tools: [], finish: null }
    choices.set(index, choice)
    choice.role ??= delta.role
    choice.content += delta.content ?? ''
    choice.tools.push(...(delta.tool_calls ?? []))
    choice.finish ??= finish_reason
  }
  return { choices: Object.fromEntries(choices), usage: chunks.map((chunk) => chunk.usage).filter(Boolean) }
}

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => expect.unreachable('it did not fail'),
    (error: unknown) => error,
  )
}

const tools = [
  { type: 'function' as const, function: { name: 'weather', parameters: { type: 'object', properties: {} } } },
]

describe('a whole answer', () => {
  test('is the same object', async () => {
    const [through, straight] = await both(json(completionOf('Good day.')), (client) =>
      client.chat.completions.create(hello),
    )
    expect(withoutIdentity(through)).toEqual(withoutIdentity(straight))
  })

  test('carries tool calls, and takes their results', async () => {
    const calls = [
      { id: 'call_1', type: 'function' as const, function: { name: 'weather', arguments: '{"city":"Ulm"}' } },
      { id: 'call_2', type: 'function' as const, function: { name: 'weather', arguments: '{"city":"Bonn"}' } },
    ]
    const wants = completionOf({ role: 'assistant', content: null, refusal: null, tool_calls: calls })
    const [through, straight] = await both(json(wants), (client) =>
      client.chat.completions.create({ ...hello, tools, tool_choice: 'required', parallel_tool_calls: true }),
    )
    expect(withoutIdentity(through)).toEqual(withoutIdentity(straight))
    expect(through.choices[0]?.message.tool_calls).toEqual(calls)

    const message = through.choices[0]?.message
    if (!message) expect.unreachable('no message')
    await both(json(completionOf('Rain.')), (client) =>
      client.chat.completions.create({
        ...hello,
        tools,
        messages: [...hello.messages, message, { role: 'tool', tool_call_id: 'call_1', content: 'rain' }],
      }),
    )
    const [byUs, bySdk] = service.endpoint.requests.slice(-2)
    expect(byUs?.body.messages).toEqual(bySdk?.body.messages)
  })

  test('of a structured format is parsed by the SDK’s own helper', async () => {
    const Rain = z.object({ isRaining: z.boolean() })
    const [through, straight] = await both(json(completionOf('{"isRaining":true}')), (client) =>
      client.chat.completions.parse({ ...hello, response_format: zodResponseFormat(Rain, 'rain') }),
    )
    expect(through.choices[0]?.message.parsed).toEqual({ isRaining: true })
    expect(through.choices[0]?.message).toEqual(straight.choices[0]?.message)
  })

  test('of several choices has them all', async () => {
    const choices = ['one', 'two'].map((content, index) => ({
      index,
      message: { role: 'assistant', content, refusal: null },
      logprobs: { content: [{ token: content, logprob: -0.1, bytes: null, top_logprobs: [] }], refusal: null },
      finish_reason: 'stop',
    }))
    const [through, straight] = await both(json(completionOf('', { choices })), (client) =>
      client.chat.completions.create({ ...hello, n: 2, logprobs: true }),
    )
    expect(withoutIdentity(through)).toEqual(withoutIdentity(straight))
    expect(through.choices).toHaveLength(2)
  })

  test('every parameter reaches the endpoint as the SDK sent it, known to us or not', async () => {
    const request = {
      ...hello,
      messages: [
        { role: 'developer' as const, content: 'Be brief.' },
        {
          role: 'user' as const,
          name: 'ann',
          content: [
            { type: 'text' as const, text: 'What is this?' },
            { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' as const } },
            { type: 'input_audio' as const, input_audio: { data: 'AAAA', format: 'wav' as const } },
          ],
        },
      ],
      stop: ['###', 'END'],
      seed: 42,
      n: 1,
      temperature: 0.2,
      top_p: 0.9,
      max_completion_tokens: 10,
      frequency_penalty: 0.5,
      logit_bias: { '50256': -100 },
      reasoning_effort: 'high' as const,
      a_parameter_of_next_year: { deep: [1, 2] },
    }
    await both(json(completionOf('A duck.')), (client) => client.chat.completions.create(request))
    const [byUs, bySdk] = service.endpoint.requests.slice(-2)
    expect(byUs?.body).toEqual(bySdk?.body)
    expect(byUs?.body).toEqual(request)
  })
})

describe('a streamed answer', () => {
  test('has the role first, the finish_reason last, and the same words', async () => {
    const [through, straight] = await both(streamOf(['Good ', 'day', '.']), async (client) =>
      chunksOf(await client.chat.completions.create({ ...hello, stream: true })),
    )
    expect(meaningOf(through)).toEqual(meaningOf(straight))
    expect(through[0]?.choices[0]?.delta.role).toBe('assistant')
    expect(through.at(-1)?.choices[0]?.finish_reason).toBe('stop')
    expect(new Set(through.map(({ id }) => id)).size).toBe(1)
    expect(through.every(({ object }) => object === 'chat.completion.chunk')).toBe(true)
  })

  test('ends with the usage, where it was asked for', async () => {
    const [through, straight] = await both(streamOf(['Good day.']), async (client) =>
      chunksOf(
        await client.chat.completions.create({ ...hello, stream: true, stream_options: { include_usage: true } }),
      ),
    )
    expect(meaningOf(through)).toEqual(meaningOf(straight))
    expect(through.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 12 } })
  })

  test('is put together by the SDK’s own helper, tool calls included', async () => {
    const pieces = events(
      chunkOf({ role: 'assistant', content: null }),
      chunkOf({
        tool_calls: [
          { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } },
          { index: 1, id: 'call_2', type: 'function', function: { name: 'weather', arguments: '{"city":' } },
        ],
      }),
      chunkOf({ tool_calls: [{ index: 0, function: { arguments: '{"city":"Ulm"}' } }] }),
      chunkOf({ tool_calls: [{ index: 1, function: { arguments: '"Bonn"}' } }] }),
      chunkOf({}, { finish: 'tool_calls' }),
      usageChunk(),
      '[DONE]',
    )
    const [through, straight] = await both(pieces, (client) =>
      client.chat.completions
        .stream({ ...hello, tools, stream_options: { include_usage: true } })
        .finalChatCompletion(),
    )
    expect(withoutIdentity(through)).toEqual(withoutIdentity(straight))
    expect(through.choices[0]?.message.tool_calls).toMatchObject([
      { id: 'call_1', function: { name: 'weather', arguments: '{"city":"Ulm"}' } },
      { id: 'call_2', function: { name: 'weather', arguments: '{"city":"Bonn"}' } },
    ])
  })

  test('of several choices keeps them apart', async () => {
    const pieces = events(
      chunkOf({ role: 'assistant', content: 'a' }, { index: 0 }),
      chunkOf({ role: 'assistant', content: 'x' }, { index: 1 }),
      chunkOf({ content: 'b' }, { index: 0 }),
      chunkOf({ content: 'y' }, { index: 1 }),
      chunkOf({}, { index: 0, finish: 'stop' }),
      chunkOf({}, { index: 1, finish: 'length' }),
      '[DONE]',
    )
    const [through, straight] = await both(pieces, async (client) =>
      chunksOf(await client.chat.completions.create({ ...hello, n: 2, stream: true })),
    )
    expect(meaningOf(through)).toEqual(meaningOf(straight))
  })

  test('carries reasoning fields that the SDK does not know', async () => {
    const pieces = events(
      chunkOf({ role: 'assistant', reasoning_content: 'Hm, ' }),
      chunkOf({ reasoning_content: 'rain?' }),
      chunkOf({ content: 'Yes.' }),
      chunkOf({}, { finish: 'stop' }),
      '[DONE]',
    )
    const reasoning = (chunks: Chunk[]) =>
      chunks
        .map(
          (chunk) => (chunk.choices[0]?.delta as { reasoning_content?: string } | undefined)?.reasoning_content ?? '',
        )
        .join('')
    const [through, straight] = await both(pieces, async (client) =>
      chunksOf(await client.chat.completions.create({ ...hello, stream: true })),
    )
    expect(reasoning(through)).toBe('Hm, rain?')
    expect(reasoning(through)).toBe(reasoning(straight))
    expect(meaningOf(through)).toEqual(meaningOf(straight))
  })

  test('that the caller aborts ends quietly there, and ends the call to the model', async () => {
    for (const client of [ours, direct]) {
      const abortedBefore = service.endpoint.abortedCalls
      service.endpoint.script(streamOf(['first', 'never'], { gate: new Promise(() => {}) }))
      const stream = await client.chat.completions.create({ ...hello, stream: true })
      const seen: string[] = []
      for await (const chunk of stream) {
        seen.push(chunk.choices[0]?.delta.content ?? '')
        if (seen.join('') === 'first') stream.controller.abort()
      }
      expect(seen.join('')).toBe('first')
      await service.endpoint.until(() => service.endpoint.abortedCalls > abortedBefore)
      expect(service.endpoint.openCalls).toBe(0)
    }
  })
})

describe('a failure', () => {
  test.each([
    [400, OpenAI.BadRequestError],
    [404, OpenAI.NotFoundError],
    [422, OpenAI.UnprocessableEntityError],
    [429, OpenAI.RateLimitError],
  ])('of status %i is the same error of the SDK', async (status, kind) => {
    for (const stream of [false, true]) {
      const [through, straight] = await both(failure(status, 'it will not do'), (client) =>
        failureOf(client.chat.completions.create({ ...hello, stream })),
      )
      expect(straight).toBeInstanceOf(kind)
      expect(through).toBeInstanceOf(kind)
      expect((through as InstanceType<typeof OpenAI.APIError>).message).toContain('it will not do')
    }
  })

  test('that says when to come back says so through us', async () => {
    const answer = failure(429, 'slow down', { headers: { 'retry-after': '7' } })
    const [through, straight] = await both(answer, (client) => failureOf(client.chat.completions.create(hello)))
    for (const error of [through, straight]) {
      expect((error as InstanceType<typeof OpenAI.APIError>).headers?.get('retry-after')).toBe('7')
    }
  })

  test('of the endpoint itself is a server error to the SDK, which may try again', async () => {
    for (const status of [500, 502, 503]) {
      const [through, straight] = await both(failure(status), (client) =>
        failureOf(client.chat.completions.create(hello)),
      )
      expect(straight).toBeInstanceOf(OpenAI.InternalServerError)
      expect(through).toBeInstanceOf(OpenAI.InternalServerError)
    }
  })

  test('in mid-stream is thrown to whoever reads', async () => {
    const inStream = events(chunkOf({ role: 'assistant', content: 'Half' }), {
      error: { message: 'broken inside', type: 'server_error' },
    })
    const read = async (client: OpenAI) =>
      failureOf(chunksOf(await client.chat.completions.create({ ...hello, stream: true })))
    const [through, straight] = await both(inStream, read)
    expect(straight).toBeInstanceOf(OpenAI.APIError)
    expect(through).toBeInstanceOf(OpenAI.APIError)

    service.endpoint.script(cutAfter(chunkOf({ role: 'assistant', content: 'Half' })))
    expect(await read(ours)).toBeInstanceOf(OpenAI.APIError)
  })

  test('of our own sign-in is an AuthenticationError', async () => {
    const stranger = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'sk-of-nobody-at-all', maxRetries: 0 })
    expect(await failureOf(stranger.chat.completions.create(hello))).toBeInstanceOf(OpenAI.AuthenticationError)
  })
})

test('the SDK lists our models', async () => {
  const models = await ours.models.list()
  expect(models.object).toBe('list')
  for await (const model of ours.models.list()) expect(model).toMatchObject({ object: 'model', id: expect.any(String) })
})
