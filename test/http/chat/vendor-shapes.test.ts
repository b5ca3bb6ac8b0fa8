/** What vendors add to the convention reaches the client: streamed, in small pieces, and whole. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeAgent } from '../../actors/turn/support/agents.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { bytes, completionOf, eventOf, json } from '../../support/model-endpoint.ts'

type Fields = Record<string, unknown>

let service: GatewayUnderTest
beforeAll(async () => {
  service = await gatewayUnderTest()
  await makeAgent(service, 'clerk', { instructions: 'Be brief.' })
})
afterAll(() => service.stop())

const ask = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
const chunk = (choices: object[], more: object = {}) => ({
  ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'vendor-1', choices },
  ...more,
})
const says = (content: string, more: object = {}) => ({ index: 0, delta: { content }, finish_reason: null, ...more })
const ends = (more: object = {}) => ({ index: 0, delta: {}, finish_reason: 'stop', ...more })
const safe = { hate: { filtered: false, severity: 'safe' } }
const cited = [{ type: 'url_citation', url_citation: { url: 'https://example.com/a', title: 'A' } }]

interface Shape {
  sent: object[]
  /** Somewhere in the chunks: in one of them, or in a choice or delta of one. */
  chunk?: Fields
  choice?: Fields
  delta?: Fields
}

const shapes: Record<string, Shape> = {
  'a field that comes again with more': {
    sent: [
      chunk([says('Hel')], { x_vendor: { id: 'req_1' } }),
      chunk([says('lo')]),
      chunk([ends()], { x_vendor: { id: 'req_1', usage: { total_tokens: 17 } } }),
    ],
    chunk: { x_vendor: { id: 'req_1', usage: { total_tokens: 17 } } },
  },
  'a field that comes with the last chunk only, which has no choice': {
    sent: [chunk([says('Hello')]), chunk([ends()]), chunk([], { citations: ['https://example.com'] })],
    chunk: { citations: ['https://example.com'] },
  },
  'a field in the middle of text': {
    sent: [chunk([says('Hel')]), chunk([says('lo')], { search: { rank: 2 } }), chunk([says('!')]), chunk([ends()])],
    chunk: { search: { rank: 2 } },
  },
  'the model’s name of a router, which comes late': {
    sent: [
      chunk([], { model: '', prompt_filter_results: [{ prompt_index: 0 }] }),
      chunk([says('Hello')], { model: 'routed-2' }),
      chunk([ends()], { model: 'routed-2' }),
    ],
    chunk: { model: 'routed-2' },
  },
  'what a router says before the model is known': {
    sent: [
      chunk([], { model: '', prompt_filter_results: [{ prompt_index: 0 }] }),
      chunk([says('Hello'), ends()], { model: 'r' }),
    ],
    chunk: { prompt_filter_results: [{ prompt_index: 0 }] },
  },
  'a verdict beside the text': {
    sent: [chunk([says('Hello', { content_filter_results: safe })]), chunk([ends()])],
    choice: { content_filter_results: safe },
  },
  'a verdict beside the end': {
    sent: [chunk([says('Hello')]), chunk([ends({ matched_stop: 'END', content_filter_results: safe })])],
    choice: { matched_stop: 'END', content_filter_results: safe },
  },
  annotations: {
    sent: [chunk([says('Hello')]), chunk([{ index: 0, delta: { annotations: cited } }]), chunk([ends()])],
    delta: { annotations: cited },
  },
}

async function streamed(sent: object[], pieceBytes: number, more: object = {}): Promise<Fields[]> {
  const stream = Buffer.from(`${sent.map(eventOf).join('')}${eventOf('[DONE]')}`)
  const pieces = Array.from({ length: Math.ceil(stream.length / pieceBytes) }, (_, at) =>
    stream.subarray(at * pieceBytes, (at + 1) * pieceBytes),
  )
  service.endpoint.script(bytes(...pieces))
  const answer = await service.post('/v1/chat/completions', { ...ask, stream: true, ...more })
  const text = await answer.text()
  expect(answer.status, text).toBe(200)
  const events = text.split('\n\n').filter((event) => event.startsWith('data: {'))
  return events.map((event) => JSON.parse(event.slice('data: '.length)) as Fields)
}

const choicesOf = (chunks: Fields[]) => chunks.flatMap(({ choices }) => choices as Fields[])

describe.each([
  ['as it comes', 1_000_000],
  ['in pieces of seven bytes', 7],
])('in a stream, %s,', (_how, pieceBytes) => {
  test.each(Object.entries(shapes))('%s reaches the client', async (_name, shape) => {
    for (const more of [{}, { stream_options: { include_usage: true } }]) {
      const chunks = await streamed(shape.sent, pieceBytes, more)
      const choices = choicesOf(chunks)
      const deltas = choices.map(({ delta }) => delta)
      if (shape.chunk) expect(chunks).toContainEqual(expect.objectContaining(shape.chunk))
      if (shape.choice) expect(choices).toContainEqual(expect.objectContaining(shape.choice))
      if (shape.delta) expect(deltas).toContainEqual(expect.objectContaining(shape.delta))
      const said = choices.map((choice) => (choice['delta'] as { content?: string }).content ?? '').join('')
      expect(said).toMatch(/^Hello!?$/)
      // Once each: clients add up what they get.
      expect(choices.filter(({ finish_reason: reason }) => reason !== null)).toHaveLength(1)
      expect(chunks.at(0)).toMatchObject({ object: 'chat.completion.chunk' })
    }
  })

  test('a verdict that stays the same is told once', async () => {
    const sent = [...'Hello'].map((letter) => chunk([says(letter, { content_filter_results: safe })]))
    const choices = choicesOf(await streamed([...sent, chunk([ends()])], pieceBytes))
    expect(choices.filter((choice) => 'content_filter_results' in choice)).toHaveLength(1)
  })
})

test('an agent’s words reach the reader of its stream, whatever stands beside them', async () => {
  const sent = [
    chunk([{ index: 0, delta: { content: 'Hel', reasoning_content: 'Hm.' } }]),
    chunk([says('lo', { logprobs: { content: [] } })]),
    chunk([ends()]),
  ]
  const choices = choicesOf(await streamed(sent, 1_000_000, { model: 'clerk' }))
  expect(choices.map((choice) => (choice['delta'] as { content?: string }).content ?? '').join('')).toBe('Hello')
})

test('in a whole answer all of it is where it was', async () => {
  const choice = {
    index: 0,
    message: { role: 'assistant', content: 'Hello', annotations: cited, vendor_note: 1 },
    finish_reason: 'stop',
    ...{ matched_stop: 'END', content_filter_results: safe },
  }
  const more = { choices: [choice], model: 'routed-2', x_vendor: { usage: 17 }, citations: ['https://example.com'] }
  service.endpoint.script(json(completionOf('', more)))
  const answer = await service.post('/v1/chat/completions', ask)
  expect(await answer.json()).toMatchObject(more)
})

test('fields of a request that we do not know reach the endpoint', async () => {
  const more = {
    vendor_mode: 'fast',
    safety: [{ level: 2 }],
    messages: [{ ...ask.messages[0], cache_control: { type: 'x' } }],
  }
  service.endpoint.script(json(completionOf('Hello')))
  await service.post('/v1/chat/completions', { ...ask, ...more })
  expect(service.endpoint.requests.at(-1)?.body).toMatchObject(more)
})
