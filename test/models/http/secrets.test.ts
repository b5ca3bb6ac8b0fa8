/** Endpoints that echo what they were sent: the service's credentials reach no message, no cause, no name. */
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { bytes, failure, onSocket, type ScriptedAnswer } from '../../support/model-endpoint.ts'
import { failureOf, requestFor, scriptedEndpoint, streaming, transportTo } from '../support/calls.ts'

const secret = 'sk-very-secret-key'

const plain = (text: string) =>
  onSocket(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`)

describe('the key never comes back', () => {
  test.each<[string, ScriptedAnswer]>([
    ['in the words of a 400', failure(400, `no: ${secret}`)],
    ['in the words of a 401', failure(401, `Incorrect API key provided: ${secret}`)],
    ['in the words of a 429', failure(429, `${secret} is used too much`)],
    ['in the words of a 500', failure(500, `${secret} broke it`)],
    ['at the place where long words are cut', failure(400, `${'x'.repeat(995)}${secret}`)],
    ['in the field that is blamed', failure(400, 'no', { param: secret })],
    ['in the code', failure(400, 'no', { code: secret })],
    ['in an answer that is no JSON', plain(`Bearer ${secret}`)],
    ['in what is no HTTP', onSocket(`Bearer ${secret}\r\n\r\n`)],
    ['in an event that is no JSON', bytes(`data: ${secret}\n\n`)],
    ['in an error event', bytes(`data: {"error":{"message":"bad ${secret}"}}\n\n`)],
  ])('%s', async (_where, answer) => {
    const endpoint = await scriptedEndpoint()
    endpoint.always(answer)
    const transport = transportTo(endpoint, { apiKey: secret })
    for (const call of [transport.complete(requestFor()), streaming(transport).done]) {
      const error = await failureOf(call)
      // Its beginning would be too much already.
      expect(`${allTextOf(error)}${JSON.stringify(error)}`).not.toContain('sk-ve')
    }
  })

  test('a user and password of the base URL are sent as Basic, and never come back in any form', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.always((call) => failure(400, `you sent ${call.request.headers.authorization} p%ss-wörd`)(call))
    const baseUrl = `http://user:p%25ss-w%C3%B6rd@127.0.0.1:${endpoint.port}`
    const transport = transportTo(endpoint, { baseUrl, apiKey: '' })
    const error = await failureOf(transport.complete(requestFor()))
    const basic = Buffer.from('user:p%ss-wörd').toString('base64')
    expect(endpoint.requests[0]?.headers.authorization).toBe(`Basic ${basic}`)
    expect(error.message).toBe('you sent Basic [key] [key]')
    expect(transport.name).toBe(`http://127.0.0.1:${endpoint.port}`)
  })

  test.each([
    ['a percent sign that encodes nothing', '100%safe', 'user:100%safe'],
    ['characters beyond Latin', '汉字', 'user:汉字'],
  ])('a password with %s is sent as it was meant', async (_what, password, sent) => {
    const endpoint = await scriptedEndpoint()
    const baseUrl = `http://user:${password}@127.0.0.1:${endpoint.port}`
    await transportTo(endpoint, { baseUrl, apiKey: '' }).complete(requestFor())
    const [, basic = ''] = endpoint.requests[0]?.headers.authorization?.split(' ') ?? []
    expect(Buffer.from(basic, 'base64').toString('utf8')).toBe(sent)
  })

  test('a key in the base URL’s query goes along, and never comes back', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.always((call) => failure(400, `no way to ${call.request.path}`)(call))
    const baseUrl = `http://127.0.0.1:${endpoint.port}/v1?api-version=2&api-key=query%2Dsecret`
    const error = await failureOf(transportTo(endpoint, { baseUrl }).complete(requestFor()))
    expect(endpoint.requests[0]?.path).toBe('/v1/chat/completions?api-version=2&api-key=query%2Dsecret')
    expect(error.message).toBe('no way to /v1/chat/completions?api-version=2&api-key=[key]')
  })

  test('a key that no header may hold is named as the cause, without a call and without the key', async () => {
    const endpoint = await scriptedEndpoint()
    const transport = transportTo(endpoint, { apiKey: `${secret}\nand more`, retries: 3 })
    const error = await failureOf(transport.complete(requestFor()))
    expect(error).toMatchObject({ code: 'endpoint_credentials', status: 502, isTransient: false })
    expect(error.message).toContain('SERVICE_LLM_API_KEY')
    expect(allTextOf(error)).not.toContain(secret)
    expect(endpoint.requests).toHaveLength(0)
  })
})

/** Message, stack and fields, the causes' messages and stacks included: what a log prints. */
function allTextOf(error: Error): string {
  const chain: string[] = []
  for (let link: unknown = error; link instanceof Error; link = link.cause) {
    chain.push(link.message, link.stack ?? '')
    if (link === error) chain.push(inspect({ ...link, cause: undefined }))
  }
  return chain.join('\n')
}
