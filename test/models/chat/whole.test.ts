import { describe, expect, test } from 'vitest'
import { completionOf, json, usageOf } from '../../support/model-endpoint.ts'
import { requestFor, scriptedEndpoint, transportTo } from '../support/calls.ts'

describe('an answer in one piece', () => {
  test('keeps its choices, its usage and what the model adds besides', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(json(completionOf('hello', { system_fingerprint: 'fp_1', citations: ['https://example.com'] })))
    expect(await transportTo(endpoint).complete(requestFor())).toEqual({
      model: 'scripted-1',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'hello', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: usageOf(),
      isUsageEstimated: false,
      extra: { system_fingerprint: 'fp_1', citations: ['https://example.com'] },
    })
  })

  test('without usage it is estimated, and says so', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(json(completionOf('one two three', { usage: null })))
    expect(await transportTo(endpoint).complete(requestFor())).toMatchObject({
      usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
      isUsageEstimated: true,
    })
  })

  test.each<[string, unknown]>([
    ['an object', { x: 1 }],
    ['another', 'system'],
    ['missing', undefined],
  ])('has the role of an answer where the role is %s', async (_, role) => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(json(completionOf('', { choices: [{ index: 0, message: { role, content: 'hello' } }] })))
    const { choices } = await transportTo(endpoint).complete(requestFor())
    expect(choices[0]?.message).toEqual({ role: 'assistant', content: 'hello' })
  })

  test.each<[string, unknown, string | null]>([
    ['an object', { reason: 'stop' }, null],
    ['a number', 7, null],
    ['blank', '', null],
    ['long', 'r'.repeat(5_000), 'r'.repeat(500)],
  ])('a finish_reason that is %s is none, or a name', async (_, sent, received) => {
    const endpoint = await scriptedEndpoint()
    const choice = { index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: sent }
    endpoint.script(json(completionOf('', { choices: [choice], model: 'm'.repeat(5_000) })))
    const { choices, model } = await transportTo(endpoint).complete(requestFor())
    expect(choices.map(({ finish_reason: reason }) => reason)).toEqual([received])
    expect(model).toBe('m'.repeat(500))
  })
})

describe('what the endpoint is sent', () => {
  test('is the caller’s own request: the settings fill in what it leaves open, and overrule the model alone', async () => {
    const endpoint = await scriptedEndpoint()
    const transport = transportTo(endpoint, { model: 'of-the-settings', temperature: 0.3, topP: 0.8 })
    await transport.complete(requestFor({ parameters: { seed: 7, future: { deep: true } } }))
    expect(endpoint.requests[0]?.body).toEqual({
      model: 'of-the-settings',
      messages: [{ role: 'user', content: 'hello there' }],
      seed: 7,
      future: { deep: true },
      temperature: 0.3,
      top_p: 0.8,
    })
    await transport.complete(requestFor({ parameters: { temperature: 1, top_p: 0 } }))
    expect(endpoint.requests[1]?.body).toMatchObject({ temperature: 1, top_p: 0 })
  })

  test('carries the key as a bearer, and nothing where there is none', async () => {
    const endpoint = await scriptedEndpoint()
    await transportTo(endpoint, { apiKey: 'model-key' }).complete(requestFor())
    await transportTo(endpoint, { apiKey: '' }).complete(requestFor())
    expect(endpoint.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer model-key', undefined])
  })

  test.each([
    ['', '/v1/chat/completions'],
    ['/', '/v1/chat/completions'],
    ['/v1', '/v1/chat/completions'],
    ['/v1/', '/v1/chat/completions'],
    ['/api/v3', '/api/v3/chat/completions'],
    ['/v1beta/openai', '/v1beta/openai/chat/completions'],
    ['/proxy', '/proxy/v1/chat/completions'],
    ['/v1/chat/completions', '/v1/chat/completions'],
    ['/deployments/d/chat/completions?api-version=1', '/deployments/d/chat/completions?api-version=1'],
  ])('to a base URL ending in "%s" goes to %s', async (ending, path) => {
    const endpoint = await scriptedEndpoint()
    await transportTo(endpoint, { baseUrl: `http://127.0.0.1:${endpoint.port}${ending}` }).complete(requestFor())
    expect(endpoint.requests[0]?.path).toBe(path)
  })
})
