/** A model endpoint that sends what no endpoint would: an error that says so, and nobody else waits for it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../support/gateway.ts'
import { bytes, chunkOf, completionOf, type EndpointCall, eventOf, modelEndpoint } from '../support/model-endpoint.ts'
import { type Json, responsesClient } from './responses/support/client.ts'

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const bytesOf = (text: string) => (call: EndpointCall) => {
  call.response.writeHead(200, { 'content-type': 'application/json' })
  call.response.end(text)
}

describe('the chat style', () => {
  let service: GatewayUnderTest
  beforeAll(async () => {
    service = await gatewayUnderTest()
  })
  afterAll(() => service.stop())

  async function asked(stream: boolean) {
    const answer = await service.post('/v1/chat/completions', {
      ...{ model: 'm', messages: [{ role: 'user', content: 'hi' }], stream },
    })
    return { status: answer.status, text: await answer.text() }
  }

  test.each(['delta', 'choice', 'chunk'])('a %s of 100,000 levels is no answer', async (place) => {
    const deep = `"deep":${nested(100_000)}`
    const places = { chunk: `{${deep},"choices":[]}`, choice: `{"choices":[{"delta":{},${deep}}]}` }
    const text = { ...places, delta: `{"choices":[{"delta":{${deep}}}]}` }[place]
    service.endpoint.always(bytes(`data: ${text}\n\n`))
    const { status, text: said } = await asked(true)
    expect([status, said]).toEqual([502, expect.stringContaining('nests deeper than 64 levels')])
    expect(JSON.parse(said)['error'].code).toBe('answer_too_large')
  })

  test('nor is a whole answer of many levels or of many fields', async () => {
    const message = (more: string) => `{"choices":[{"message":{"role":"assistant","content":"a",${more}}}]}`
    service.endpoint.always(bytesOf(message(`"deep":${nested(100_000)}`)))
    expect(await asked(false)).toMatchObject({ status: 502, text: expect.stringContaining('nests deeper') })
    const fields = Array.from({ length: 300_000 }, (_, at) => `"f${at}":1`).join(',')
    service.endpoint.always(bytesOf(message(fields)))
    expect(await asked(false)).toMatchObject({ status: 502, text: expect.stringContaining('more than 1000 fields') })
  })

  test('a whole answer with the likelihoods of a thousand tokens is one', async () => {
    const top = Array.from({ length: 20 }, (_, at) => ({ token: `t${at}`, logprob: -1 - at, bytes: null }))
    const content = Array.from({ length: 1_000 }, () => ({ token: 't', logprob: 0, bytes: [1], top_logprobs: top }))
    const choice = {
      index: 0,
      message: { role: 'assistant', content: 'a' },
      logprobs: { content },
      finish_reason: 'stop',
    }
    service.endpoint.always(bytesOf(JSON.stringify(completionOf('', { choices: [choice] }))))
    const { status, text } = await asked(false)
    expect(status).toBe(200)
    expect((JSON.parse(text) as Json)['choices'][0].logprobs.content).toEqual(content)
  })

  test('words without end are cut off at their bound, and what came stands', async () => {
    const piece = eventOf(chunkOf({ content: 'x'.repeat(65_536) }))
    service.endpoint.always(bytes(...Array.from({ length: 140 }, () => piece)))
    const { status, text } = await asked(true)
    expect(status).toBe(200)
    expect(text.slice(-400)).toContain('an answer of more than 8388608 characters')
    expect(text.length).toBeGreaterThan(8_388_608)
  })
})

describe('the responses style', () => {
  let service: GatewayUnderTest
  beforeAll(async () => {
    const endpoint = await modelEndpoint()
    service = await gatewayUnderTest({
      SERVICE_LLM_GATEWAY_URL: '',
      SERVICE_NATIVE_API: 'responses',
      SERVICE_NATIVE_BASE_URL: endpoint.url,
      SERVICE_NATIVE_API_KEY: 'sk-native',
    })
    await service.endpoint.close()
    Object.assign(service, { endpoint })
  })
  afterAll(() => service.stop())

  test('reasoning in items without end holds up nobody', async () => {
    const item = (at: number) => ({
      type: 'reasoning',
      id: `rs_${at}`,
      summary: [],
      encrypted_content: 'z'.repeat(1_000),
    })
    const done = (at: number) => eventOf({ type: 'response.output_item.done', output_index: at, item: item(at) })
    const completed = { type: 'response.completed', response: { status: 'completed', model: 'm', output: [] } }
    const text = Array.from({ length: 20_000 }, (_, at) => done(at)).join('')
    service.endpoint.always(bytes(text, eventOf(completed)))
    const told = await responsesClient(service).streamed({ input: 'hi', store: false })
    expect(told.at(-1)?.type).toBe('response.completed')
  }, 10_000)

  test('annotations without end are told one by one, and the last event has as many as it can bear', async () => {
    const count = 30_000
    const annotation = (at: number) => ({ type: 'url_citation', url: `https://example.com/${at}/${'x'.repeat(100)}` })
    const added = (at: number) => eventOf({ type: 'response.output_text.annotation.added', annotation: annotation(at) })
    const completed = { type: 'response.completed', response: { status: 'completed', model: 'm', output: [] } }
    const text = Array.from({ length: count }, (_, at) => added(at)).join('')
    service.endpoint.always(bytes(text, eventOf(completed)))
    const told = await responsesClient(service).streamed({ input: 'hi', store: false })
    const annotations = told.filter(({ type }) => type === 'response.output_text.annotation.added')
    expect(annotations.map(({ annotation_index: index }) => index)).toEqual(
      Array.from({ length: count }, (_, at) => at),
    )
    const last = told.at(-1)
    const kept = last?.['response'].output[0].content[0].annotations as Json[]
    expect(kept).toEqual(annotations.slice(0, kept.length).map(({ annotation: each }) => each))
    expect(kept.length).toBeGreaterThan(5_000)
    expect(JSON.stringify(last).length).toBeLessThan(4_300_000)
    expect(told.map(({ sequence_number: at }) => at)).toEqual(told.map((_, at) => at))
  })
})
