import { describe, expect, test } from 'vitest'
import { failure } from '../support/model-endpoint.ts'
import { failureOf, requestFor, scriptedEndpoint, streaming, subscriptionTo } from './support/calls.ts'
import { messageItem, spokenResponse, wholeResponse } from './support/responses.ts'

type Options = Parameters<typeof subscriptionTo>[1]

async function requestBodyFor(parameters: Record<string, unknown>, options: Options = {}) {
  const endpoint = await scriptedEndpoint()
  endpoint.script(wholeResponse(messageItem('ok')))
  await subscriptionTo(endpoint, options).complete(requestFor({ parameters }))
  return endpoint.requests[0]?.body
}

describe('the depth of reasoning', () => {
  test.each([
    [undefined, 'medium'],
    [null, 'medium'],
    ['xhigh', 'xhigh'],
    ['none', 'none'],
    [' High ', 'high'],
    ['minimal', 'low'],
    ['bogus', 'low'],
    [7, 'low'],
  ])('a request that says %o where the settings say medium is sent %s', async (effort, sent) => {
    expect((await requestBodyFor({ reasoning_effort: effort }, { effort: 'medium' })).reasoning).toEqual({
      effort: sent,
    })
  })

  test('minimal is not sent from the style’s own field either; what stands beside it is', async () => {
    const { reasoning } = await requestBodyFor({ reasoning: { effort: 'minimal', summary: 'auto' } })
    expect(reasoning).toEqual({ effort: 'low', summary: 'auto' })
  })
})

describe('the cap on output', () => {
  test.each([
    [{}, 0, undefined],
    [{}, 100, 100],
    [{ max_tokens: 50 }, 100, 50],
    [{ max_completion_tokens: 500 }, 100, 100],
    [{ max_output_tokens: 500 }, 0, 500],
  ])('of a request with %o under a cap of %i is %s', async (parameters, outputTokensMax, sent) => {
    const body = await requestBodyFor(parameters, { outputTokensMax })
    expect(body.max_output_tokens).toBe(sent)
    expect(body).not.toHaveProperty('max_tokens')
  })
})

test('it streams with the token as bearer, and failures name its own settings', async () => {
  const endpoint = await scriptedEndpoint()
  endpoint.script(spokenResponse('a', 'b'), failure(401, 'expired tok-secret'))
  const transport = subscriptionTo(endpoint, { apiKey: 'tok-secret', model: 'vendor-1' })
  const call = streaming(transport)
  await call.done
  expect(call.text()).toBe('ab')
  expect(endpoint.requests[0]).toMatchObject({
    path: '/v1/responses',
    headers: { authorization: 'Bearer tok-secret' },
    body: { model: 'vendor-1', stream: true, store: false },
  })
  const { message } = await failureOf(transport.complete(requestFor()))
  expect(message).toContain('SERVICE_SUBSCRIPTION_ACCESS_TOKEN')
  expect(message).not.toContain('tok-secret')
})
