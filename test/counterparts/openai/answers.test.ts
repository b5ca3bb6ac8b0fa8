/** What the official SDK makes of our whole answers is what it makes of the endpoint's own: but for ids and times, nothing differs. */
import type OpenAI from 'openai'
import { ContentFilterFinishReasonError, LengthFinishReasonError } from 'openai/core/error'
import { zodResponseFormat } from 'openai/helpers/zod'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { closing, detailedUsage, dress, dressed, opening, word } from '../../http/chat/support/dressed-stream.ts'
import { completionOf, json } from '../../support/model-endpoint.ts'
import { chunksOf, failureOf, hello, type SdkPair, sdkPair, withoutIdentity } from './client-pair.ts'

let pair: SdkPair
beforeAll(async () => {
  pair = await sdkPair()
})
afterAll(() => pair.service.stop())

const Rain = z.object({ isRaining: z.boolean() })
const rainFormat = zodResponseFormat(Rain, 'rain')

describe('a whole answer', () => {
  test('is the same object', async () => {
    const message = { role: 'assistant', content: 'Good day.', refusal: null, annotations: [] }
    const [through, straight] = await pair.both(
      json(completionOf(message, { ...dress, usage: detailedUsage })),
      (client) => client.chat.completions.create(hello),
    )
    expect(withoutIdentity(through)).toEqual(withoutIdentity(straight))
    expect(through).toMatchObject({ ...dress, usage: detailedUsage, choices: [{ message }] })
  })

  test('has a request id of its own, that the SDK knows', async () => {
    const answers = json(completionOf('Good day.'))
    pair.service.endpoint.script(answers, answers)
    const answer = await pair.ours.chat.completions.create(hello)
    expect(answer._request_id).toMatch(/^[\w-]{8,}$/)
    const { response, request_id } = await pair.ours.chat.completions.create(hello).withResponse()
    expect(request_id).toBe(response.headers.get('x-request-id'))
    expect(request_id).not.toBe(answer._request_id)
  })

  test('carries reasoning fields that the SDK does not know, and refusals', async () => {
    const thought = {
      role: 'assistant',
      content: null,
      refusal: 'I will not.',
      reasoning_content: 'Hm.',
      thinking: [1],
    }
    const [through, straight] = await pair.both(json(completionOf(thought)), (client) =>
      client.chat.completions.create(hello),
    )
    expect(withoutIdentity(through)).toEqual(withoutIdentity(straight))
    expect(through.choices[0]?.message).toEqual(thought)
  })

  test('of several choices has them all, logprobs included', async () => {
    const choices = ['one', 'two'].map((content, index) => ({
      index,
      message: { role: 'assistant', content, refusal: null },
      logprobs: { content: [{ token: content, logprob: -0.1, bytes: null, top_logprobs: [] }], refusal: null },
      finish_reason: index === 0 ? 'stop' : 'length',
    }))
    const [through, straight] = await pair.both(json(completionOf('', { choices })), (client) =>
      client.chat.completions.create({ ...hello, n: 2, logprobs: true, top_logprobs: 0 }),
    )
    expect(withoutIdentity(through)).toEqual(withoutIdentity(straight))
    expect(through.choices).toEqual(choices)
    const [byUs, bySdk] = pair.sent()
    expect(byUs).toEqual(bySdk)
    expect(byUs[0]).toMatchObject({ n: 2, logprobs: true, top_logprobs: 0 })
  })
})

describe('a structured format', () => {
  test('reaches the endpoint as it is, and the SDK’s helper parses the answer', async () => {
    const [through, straight] = await pair.both(json(completionOf('{"isRaining":true}')), (client) =>
      client.chat.completions.parse({ ...hello, response_format: rainFormat }),
    )
    expect(through.choices[0]?.message.parsed).toEqual({ isRaining: true })
    expect(withoutIdentity(through)).toEqual(withoutIdentity(straight))
    const [byUs, bySdk] = pair.sent()
    expect(byUs).toEqual(bySdk)
    expect(byUs[0].response_format).toMatchObject({ type: 'json_schema', json_schema: { name: 'rain', strict: true } })
  })

  test.each([
    ['length', LengthFinishReasonError],
    ['content_filter', ContentFilterFinishReasonError],
  ])('an answer that ended by %s is the SDK’s error for it', async (finishReason, kind) => {
    const message = { role: 'assistant', content: '{"isRai', refusal: null }
    const cut = completionOf('', { choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }] })
    const failures = await pair.both(json(cut), (client) =>
      failureOf(client.chat.completions.parse({ ...hello, response_format: rainFormat })),
    )
    for (const failure of failures) expect(failure).toBeInstanceOf(kind)
  })
})

describe('a request', () => {
  const everything = {
    ...hello,
    messages: [
      { role: 'developer' as const, content: 'Be brief.' },
      {
        role: 'user' as const,
        name: 'ann',
        content: [
          { type: 'text' as const, text: 'What is this?' },
          { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' as const } },
          { type: 'image_url' as const, image_url: { url: 'https://example.com/duck.png' } },
          { type: 'input_audio' as const, input_audio: { data: 'AAAA', format: 'wav' as const } },
          { type: 'file' as const, file: { filename: 'duck.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
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
    metadata: { purpose: 'test' },
    store: false,
    a_parameter_of_next_year: { deep: [1, { er: null }] },
  }

  test('reaches the endpoint as the SDK sent it, known to us or not', async () => {
    await pair.both(json(completionOf('A duck.')), (client) => client.chat.completions.create(everything))
    const [byUs, bySdk] = pair.sent()
    expect(byUs).toEqual(bySdk)
    expect(byUs).toEqual([everything])
  })

  test('of one stop word, without any other parameter, gets none that the SDK did not send', async () => {
    await pair.both(json(completionOf('ok')), (client) => client.chat.completions.create({ ...hello, stop: 'END' }))
    const [byUs] = pair.sent()
    expect(byUs).toEqual([{ ...hello, stop: 'END' }])
  })

  test('to be streamed differs by the usage alone that we count by', async () => {
    const options = { include_usage: false, include_obfuscation: false }
    await pair.both(dressed(opening(), word('A duck.'), closing()), async (client) =>
      chunksOf(await client.chat.completions.create({ ...everything, stream: true, stream_options: options })),
    )
    const [byUs, bySdk] = pair.sent()
    expect(bySdk[0].stream_options).toEqual(options)
    expect(byUs[0].stream_options).toEqual({ ...options, include_usage: true })
    expect({ ...byUs[0], stream_options: options }).toEqual(bySdk[0])
  })
})

describe('the list of models', () => {
  test('is empty where every name is the endpoint’s to judge', async () => {
    expect((await pair.ours.models.list()).data).toEqual([])
  })

  test('has the one model of the settings, under which the endpoint is asked whatever the client named', async () => {
    const housed = await sdkPair({ SERVICE_LLM_MODEL: 'house-model' })
    try {
      const models: OpenAI.Models.Model[] = []
      for await (const model of housed.ours.models.list()) models.push(model)
      for (const model of models) expect(await housed.ours.models.retrieve(model.id)).toEqual(model)
      expect(models).toEqual([
        { id: 'house-model', object: 'model', created: expect.any(Number), owned_by: expect.any(String) },
      ])
      housed.service.endpoint.script(json(completionOf('ok', { model: 'house-model' })))
      const answer = await housed.ours.chat.completions.create(hello)
      expect(answer.model).toBe('house-model')
      expect(housed.service.endpoint.requests.at(-1)?.body.model).toBe('house-model')
    } finally {
      await housed.service.stop()
    }
  })
})
