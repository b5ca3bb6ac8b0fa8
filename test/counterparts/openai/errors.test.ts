/** Which error of the official SDK a failure becomes: the endpoint's own where that speaks of the request, one of ours where it speaks of us. */
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chunkOf, completionOf, cutAfter, events, failure, hangUp, json } from '../../support/model-endpoint.ts'
import { type ApiFailure, type Chunk, chunksOf, failureOf, hello, type SdkPair, sdkPair } from './client-pair.ts'

let pair: SdkPair
beforeAll(async () => {
  pair = await sdkPair()
})
afterAll(() => pair.service.stop())

const streamed = { ...hello, stream: true as const }

/** The class of the SDK's error, and what it says. */
const seen = ({ constructor: kind, status, message, type, param }: ApiFailure) => ({
  kind,
  status,
  message,
  type,
  param,
})

const ways = [
  ['whole', false],
  ['streamed', true],
] as const

describe.each(ways)('before the first word, %s,', (_way, stream) => {
  const create = (client: OpenAI) => failureOf(client.chat.completions.create({ ...hello, stream }))

  test.each([
    [400, OpenAI.BadRequestError],
    [422, OpenAI.UnprocessableEntityError],
  ])('a refusal of the request, %i, is the same error in the same words', async (status, kind) => {
    const refusal = failure(status, 'Invalid value for stop.', { type: 'invalid_request_error', param: 'stop' })
    const [through, straight] = await pair.both(refusal, create)
    expect(seen(through)).toEqual(seen(straight))
    expect(seen(through)).toMatchObject({ kind, status, param: 'stop', message: `${status} Invalid value for stop.` })
    expect(through.requestID).toMatch(/^[\w-]{8,}$/)
  })

  test('a model that the endpoint does not know is a NotFoundError in the same words', async () => {
    const refusal = failure(404, 'The model `gpt-test` does not exist', { code: 'model_not_found', param: 'model' })
    const [through, straight] = await pair.both(refusal, create)
    for (const error of [through, straight])
      expect(seen(error)).toMatchObject({
        kind: OpenAI.NotFoundError,
        status: 404,
        param: 'model',
        message: '404 The model `gpt-test` does not exist',
      })
    expect(through.code).toBe('model_not_found')
  })

  test.each([
    [400, 'context_length_exceeded', 'invalid_request_error'],
    [400, 'a_code_that_nobody_knows', 'a_type_of_its_own'],
    [404, 'model_not_found', 'invalid_request_error'],
    [422, 'bad_foo', 'invalid_request_error'],
    [429, 'insufficient_quota', 'insufficient_quota'],
    [429, 'rate_limit_exceeded', 'requests'],
  ])('an endpoint’s own code of a %i, %s, and its type are what the client gets', async (status, code, type) => {
    const [through, straight] = await pair.both(failure(status, 'no', { code, type }), create)
    for (const error of [through, straight]) expect(error).toMatchObject({ status, code, type })
  })

  test('a prompt that is too long has the code that clients look for, where the endpoint gives none', async () => {
    const [through] = await pair.both(failure(400, 'This model’s maximum context length is 8 tokens.'), create)
    expect(through.code).toBe('context_length_exceeded')
  })

  test('a rate limit is a RateLimitError that says when to come back', async () => {
    const refusal = failure(429, 'slow down', { headers: { 'retry-after': '7' }, type: 'rate_limit_error' })
    const [through, straight] = await pair.both(refusal, create)
    for (const error of [through, straight]) {
      expect(error).toBeInstanceOf(OpenAI.RateLimitError)
      expect(error.message).toContain('slow down')
      expect(error.type).toBe('rate_limit_error')
      expect(error.headers?.get('retry-after')).toBe('7')
    }
  })

  test.each([
    [500, 502],
    [502, 502],
    [503, 503],
    [504, 504],
  ])('an endpoint that fails by %i is an InternalServerError, by us of status %i', async (status, ourStatus) => {
    const [through, straight] = await pair.both(failure(status, 'overheated'), create)
    expect(seen(straight)).toMatchObject({ kind: OpenAI.InternalServerError, status })
    expect(seen(through)).toMatchObject({ kind: OpenAI.InternalServerError, status: ourStatus })
    for (const error of [through, straight]) expect(error.message).toContain('overheated')
  })

  test.each([
    [401, OpenAI.AuthenticationError],
    [403, OpenAI.PermissionDeniedError],
  ])('an endpoint that refuses our own credentials by %i is no fault of the caller’s', async (status, kind) => {
    const [through, straight] = await pair.both(failure(status, 'no such key'), create)
    expect(straight).toBeInstanceOf(kind)
    expect(seen(through)).toMatchObject({ kind: OpenAI.InternalServerError, status: 502 })
    expect(through.code).toBe('endpoint_credentials')
    expect(through.message).not.toContain('no such key')
  })

  test('an endpoint that hangs up is a connection error directly, and by us a 502', async () => {
    const [through, straight] = await pair.both(hangUp, create)
    expect(straight).toBeInstanceOf(OpenAI.APIConnectionError)
    expect(seen(through)).toMatchObject({ kind: OpenAI.InternalServerError, status: 502 })
    expect(through.code).toBe('endpoint_unreachable')
  })
})

describe('in mid-stream', () => {
  async function readTo(client: OpenAI) {
    const stream = await client.chat.completions.create(streamed)
    const chunks: Chunk[] = []
    const error = await failureOf(
      (async () => {
        for await (const chunk of stream) chunks.push(chunk)
      })(),
    )
    return { error, said: chunks.map((chunk) => chunk.choices[0]?.delta.content) }
  }

  test('an error event is thrown to whoever reads, after the same words', async () => {
    const broken = { error: { message: 'broken inside', type: 'server_error', code: null, param: null } }
    const [through, straight] = await pair.both(
      events(chunkOf({ role: 'assistant', content: '' }), chunkOf({ content: 'Half' }), broken),
      readTo,
    )
    for (const { error, said } of [through, straight]) {
      expect(said).toEqual(['', 'Half'])
      expect(error.constructor).toBe(OpenAI.APIError)
      expect(error.status).toBeUndefined()
      expect(error.message).toContain('broken inside')
    }
    expect(through.error).toMatchObject({ type: 'server_error', code: 'endpoint_error' })
  })

  test('an error event that speaks of the request says the same through us', async () => {
    const refused = {
      error: { message: 'Filtered.', type: 'invalid_request_error', code: 'content_filter', param: 'messages' },
    }
    const [through, straight] = await pair.both(events(chunkOf({ content: 'Half' }), refused), readTo)
    expect(seen(through.error)).toEqual(seen(straight.error))
    expect(through.error.code).toBe(straight.error.code)
    expect(through.error).toMatchObject({ type: 'invalid_request_error', param: 'messages', message: 'Filtered.' })
  })

  test('a connection that breaks is an APIError with a code, where directly it is a bare error of the socket', async () => {
    const [through, straight] = await pair.both(cutAfter(chunkOf({ role: 'assistant', content: 'Half' })), readTo)
    expect(straight.error).not.toBeInstanceOf(OpenAI.APIError)
    expect(through.error).toBeInstanceOf(OpenAI.APIError)
    expect(through.error.code).toBe('stream_cut')
    expect(through.said.join('')).toBe('Half')
  })

  test('the SDK’s helper rejects with the error too', async () => {
    const broken = { error: { message: 'broken inside', type: 'server_error' } }
    const failures = await pair.both(events(chunkOf({ role: 'assistant', content: 'Half' }), broken), (client) =>
      failureOf(client.chat.completions.stream(hello).finalChatCompletion()),
    )
    for (const error of failures) {
      expect(error).toBeInstanceOf(OpenAI.APIError)
      expect(error.message).toContain('broken inside')
    }
  })

  test('an error that is the very first event has a status through us', async () => {
    const limited = { error: { message: 'slow down', type: 'rate_limit_exceeded' } }
    const [through, straight] = await pair.both(events(limited), (client) =>
      failureOf(client.chat.completions.create(streamed).then(chunksOf)),
    )
    expect(straight.constructor).toBe(OpenAI.APIError)
    expect(through.constructor).toBe(OpenAI.RateLimitError)
    for (const error of [through, straight]) expect(error.message).toContain('slow down')
  })
})

describe('an SDK that tries again by itself', () => {
  test.each([
    [429, 2, { 'retry-after': '1' }],
    [503, 2, {}],
    [400, 1, {}],
    [404, 1, {}],
  ])('after a %i asks %i times on both ways', async (status, times, headers) => {
    const answers = [failure(status, 'not now', { headers }), json(completionOf('Now.'))]
    const [through, straight] = await pair.both(answers.slice(0, times), (client) =>
      client.chat.completions.create(hello, { maxRetries: 1 }).then(
        (answer) => answer.choices[0]?.message.content,
        (error: ApiFailure) => error.status,
      ),
    )
    expect(through).toBe(straight)
    expect(through).toBe(times === 2 ? 'Now.' : status)
    const [byUs, bySdk] = pair.sent()
    expect([byUs.length, bySdk.length]).toEqual([times, times])
  })
})

describe('our own refusals', () => {
  const clientWith = (apiKey: string) => new OpenAI({ baseURL: `${pair.service.url}/v1`, apiKey, maxRetries: 0 })

  async function keyWith(fields: object): Promise<OpenAI> {
    const answer = await pair.service.post('/v1/admin/apikeys', { name: 'sdk', ...fields })
    expect(answer.status).toBe(201)
    const { key } = (await answer.json()) as { key: string }
    return clientWith(key)
  }

  test('an unknown key is an AuthenticationError', async () => {
    const error = await failureOf(clientWith('sk-of-nobody-at-all').chat.completions.create(hello))
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError)
    expect(error).toMatchObject({ status: 401, type: 'invalid_request_error', code: 'unauthorized' })
  })

  test('a key without the scope is a PermissionDeniedError', async () => {
    const error = await failureOf((await keyWith({ scopes: ['admin:read'] })).chat.completions.create(hello))
    expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
    expect(error.type).toBe('permission_error')
  })

  test('a key’s own rate limit is a RateLimitError with Retry-After', async () => {
    const limited = await keyWith({ scopes: ['chat'], rate_limit_rpm: 1 })
    pair.service.endpoint.script(json(completionOf('ok')))
    await limited.chat.completions.create(hello)
    const error = await failureOf(limited.chat.completions.create(streamed))
    expect(error).toBeInstanceOf(OpenAI.RateLimitError)
    expect(error.type).toBe('rate_limit_error')
    expect(Number(error.headers?.get('retry-after'))).toBeGreaterThanOrEqual(1)
  })

  test('a parameter out of its bounds is a BadRequestError that names it, and the endpoint is not asked', async () => {
    const before = pair.service.endpoint.requests.length
    const error = await failureOf(pair.ours.chat.completions.create({ ...hello, temperature: 3 }))
    expect(error).toBeInstanceOf(OpenAI.BadRequestError)
    expect(error).toMatchObject({ type: 'invalid_request_error', code: 'bad_request', param: 'temperature' })
    expect(pair.service.endpoint.requests).toHaveLength(before)
  })

  test('a path that is none is a NotFoundError', async () => {
    const error = await failureOf(pair.ours.embeddings.create({ model: 'm', input: 'x' }))
    expect(error).toBeInstanceOf(OpenAI.NotFoundError)
  })

  test('a gateway that is not there is a connection error', async () => {
    const gone = await sdkPair()
    await gone.service.stop()
    for (const client of [gone.ours, gone.direct])
      expect(await failureOf(client.chat.completions.create(hello))).toBeInstanceOf(OpenAI.APIConnectionError)
  })
})

test('an endpoint that nobody listens at is a connection error directly, and by us a 502', async () => {
  const alone = await sdkPair()
  try {
    await alone.service.endpoint.close()
    const straight = await failureOf(alone.direct.chat.completions.create(hello))
    expect(straight).toBeInstanceOf(OpenAI.APIConnectionError)
    for (const stream of [false, true]) {
      const through = await failureOf(alone.ours.chat.completions.create({ ...hello, stream }))
      expect(through).toBeInstanceOf(OpenAI.InternalServerError)
      expect(through).toMatchObject({ status: 502, code: 'endpoint_unreachable' })
    }
  } finally {
    await alone.service.stop()
  }
})

test('an endpoint that takes longer than SERVICE_LLM_CALL_TIMEOUT_S is a 504', async () => {
  const hasty = await sdkPair({ SERVICE_LLM_CALL_TIMEOUT_S: '1' })
  try {
    hasty.service.endpoint.always(() => {})
    const error = await failureOf(hasty.ours.chat.completions.create(hello))
    expect(error).toBeInstanceOf(OpenAI.InternalServerError)
    expect(error).toMatchObject({ status: 504, code: 'call_timeout', type: 'timeout_error' })
  } finally {
    await hasty.service.stop()
  }
})
