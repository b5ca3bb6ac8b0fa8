/** The official SDK’s `responses` through the service and directly: the same answers, events and objects. */
import OpenAI from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { until } from '../../support/gateway.ts'
import { type BothWays, bothWays, inBothStyles, withoutIds } from './both-styles.ts'

let pair: BothWays
let client: OpenAI
beforeAll(async () => {
  pair = await bothWays()
  client = new OpenAI({ ...pair.ours, maxRetries: 0 })
})
afterAll(() => pair.service.stop())

const hello = { model: 'gpt-test', input: 'hello' }
const weather = {
  type: 'function' as const,
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
}
const rain = { id: 'call_1', name: 'weather', arguments: '{"city":"Riga"}' }

/** Without `text`: of the response it is the form that was asked for, and of a part what was said. */
const plain = ({ text: _, ...response }: OpenAI.Responses.Response) => withoutIds(response)

test.each([
  ['words', { words: ['Hello ', 'there.'] }],
  ['a call beside words', { words: ['I look.'], calls: [rain] }],
  ['several calls', { calls: [rain, { ...rain, id: 'call_2' }] }],
  ['reasoning', { reasoning: 'Hm.', words: ['Yes.'] }],
  ['an answer that was cut', { words: ['Ye'], isCut: true }],
])('%s: create, the events of a stream, and the response that the helper puts together', async (_what, said) => {
  const [through, straight] = await pair.clients([said], (sdk) => sdk.responses.create({ ...hello, tools: [weather] }))
  expect(plain(through)).toEqual(plain(straight))
  expect(through.output_text).toBe(straight.output_text)

  const events = await pair.clients([said], async (sdk) => {
    const all = []
    for await (const event of await sdk.responses.create({ ...hello, stream: true, tools: [weather] })) all.push(event)
    return all
  })
  const [ours, theirs] = events.map((all) => all.map((event) => event.type).filter((type) => type !== callDone))
  // Calls stay open until the end, since a model of the chat API may come back to one.
  expect(ours?.toSorted()).toEqual(theirs?.toSorted())
  expect(events[0].map(({ sequence_number }) => sequence_number)).toEqual(events[0].map((_, at) => at))

  const [helped, helpedStraight] = await pair.clients([said], async (sdk) => {
    const stream = sdk.responses.stream({ ...hello, tools: [weather] })
    let text = ''
    stream.on('response.output_text.delta', (event) => {
      text += event.delta
    })
    const { output, output_text, status, usage } = await stream.finalResponse()
    return { output: withoutIds(output), output_text, status, usage, text }
  })
  expect(helped).toEqual(helpedStraight)
})
const callDone = 'response.function_call_arguments.done'

test('parse gives the object of a schema', async () => {
  const schema = z.object({ city: z.string() })
  const parsed = await pair.clients([{ words: ['{"city":', '"Riga"}'] }], async (sdk) => {
    const { output_parsed } = await sdk.responses.parse({ ...hello, text: { format: zodTextFormat(schema, 'place') } })
    return output_parsed
  })
  expect(parsed).toEqual([{ city: 'Riga' }, { city: 'Riga' }])
})

test('retrieve, input items, continue, delete', async () => {
  pair.service.endpoint.script(inBothStyles({ words: ['Hello.'] }))
  const first = await client.responses.create(hello)
  const {
    completed_at: _,
    _request_id,
    ...created
  } = first as typeof first & { completed_at: unknown; _request_id: string }
  expect(await client.responses.retrieve(first.id)).toMatchObject(created)
  const items = []
  for await (const item of client.responses.inputItems.list(first.id, { limit: 1 })) items.push(item)
  expect(items).toMatchObject([{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] }])
  const second = await client.responses.create({ ...hello, input: 'on', previous_response_id: first.id })
  expect(second.previous_response_id).toBe(first.id)
  await client.responses.delete(first.id)
  await expect(client.responses.retrieve(first.id)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
})

test('in the background: polled, cancelled, and followed from an event on', async () => {
  const { endpoint } = pair.service
  endpoint.script(inBothStyles({ words: ['Done.'] }))
  const started = await client.responses.create({ ...hello, background: true })
  expect(started.status).toBe('queued')
  await until(async () => (await client.responses.retrieve(started.id)).status === 'completed')
  expect((await client.responses.retrieve(started.id)).output_text).toBe('Done.')

  endpoint.script(() => {})
  const hanging = await client.responses.create({ ...hello, background: true })
  expect((await client.responses.cancel(hanging.id)).status).toBe('cancelled')

  endpoint.script(inBothStyles({ words: ['one ', 'two ', 'three'] }))
  const all: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of await client.responses.create({ ...hello, background: true, stream: true })) all.push(event)
  const [created] = all
  const id = created?.type === 'response.created' ? created.response.id : ''
  const rest: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of await client.responses.retrieve(id, { stream: true, starting_after: 5 })) rest.push(event)
  expect(rest).toEqual(all.slice(6))
})

test('errors are the SDK’s own, with code and parameter', async () => {
  const failure = await client.responses.create({ ...hello, tools: [{ type: 'web_search' }] }).catch((error) => error)
  expect(failure).toBeInstanceOf(OpenAI.BadRequestError)
  expect(failure).toMatchObject({ code: 'bad_request', param: 'tools[0].type', type: 'invalid_request_error' })
})
