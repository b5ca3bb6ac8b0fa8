/** What the official SDK makes of our streams is what it makes of the endpoint's own, chunk by chunk. */
import { zodResponseFormat } from 'openai/helpers/zod'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { closing, detailedUsage, dress, dressed, opening, word } from '../../http/chat/support/dressed-stream.ts'
import { chunkBase, chunkOf, completionOf, events, json, usageChunk } from '../../support/model-endpoint.ts'
import { type Chunk, chunksOf, hello, type SdkPair, sdkPair, withoutIdentity } from './client-pair.ts'

let pair: SdkPair
beforeAll(async () => {
  pair = await sdkPair()
})
afterAll(() => pair.service.stop())

const streamed = { ...hello, stream: true as const }
const withUsage = { stream_options: { include_usage: true } }

/** Without ids and times, and without the nulls of deltas, which say nothing. */
function said(chunks: Chunk[]) {
  return chunks.map((chunk) => ({
    ...withoutIdentity(chunk),
    choices: chunk.choices.map((choice) => ({
      ...choice,
      delta: Object.fromEntries(Object.entries(choice.delta).filter(([, value]) => value !== null)),
    })),
  }))
}

/** What is left of a stream when one ignores into how many chunks it was cut: the deltas of each choice, laid end to end. */
function meaningOf(chunks: Chunk[]) {
  const choices = new Map<number, Record<string, unknown>>()
  for (const { index, delta, finish_reason } of chunks.flatMap((chunk) => chunk.choices)) {
    const choice = choices.get(index) ?? {}
    choices.set(index, choice)
    for (const [name, value] of Object.entries({ ...delta, finish_reason })) {
      if (value === null) continue
      choice[name] = typeof value === 'string' ? `${choice[name] ?? ''}${value}` : [choice[name] ?? [], value].flat()
    }
  }
  return Object.fromEntries(choices)
}

const tokenOf = (token: string) => ({ token, logprob: -0.25, bytes: [...Buffer.from(token)], top_logprobs: [] })
const logprobsOf = (token: string) => ({ content: [tokenOf(token)], refusal: null })

describe('read chunk by chunk', () => {
  test('a stream has the same chunks: the role first, finish_reason last', async () => {
    const [through, straight] = await pair.both(
      dressed(opening(), word('Good '), word('day'), word('.'), closing()),
      async (client) => chunksOf(await client.chat.completions.create(streamed)),
    )
    expect(said(through)).toEqual(said(straight))
    expect(through[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
    expect(through.map((chunk) => chunk.choices[0]?.finish_reason)).toEqual([null, null, null, null, 'stop'])
    expect(new Set(through.map(({ id }) => id)).size).toBe(1)
    expect(through.some((chunk) => 'usage' in chunk)).toBe(false)
  })

  test('usage that was asked for comes last, and is null on every chunk before', async () => {
    const [through, straight] = await pair.both(dressed(opening(), word('Hm.'), closing('length')), async (client) =>
      chunksOf(await client.chat.completions.create({ ...streamed, ...withUsage })),
    )
    expect(said(through)).toEqual(said(straight))
    expect(through.slice(0, -1).map(({ usage }) => usage)).toEqual([null, null, null])
    expect(through.at(-1)).toMatchObject({ choices: [], usage: detailedUsage })
  })

  test('several choices stay apart, in the order in which they spoke', async () => {
    const pieces = [opening(0), word('a', 0), opening(1), word('x', 1), word('b', 0), word('y', 1)]
    const [through, straight] = await pair.both(
      dressed(...pieces, closing('stop', 0), closing('length', 1)),
      async (client) => chunksOf(await client.chat.completions.create({ ...streamed, n: 2 })),
    )
    expect(said(through)).toEqual(said(straight))
    expect(meaningOf(through)).toEqual({
      0: { role: 'assistant', content: 'ab', finish_reason: 'stop' },
      1: { role: 'assistant', content: 'xy', finish_reason: 'length' },
    })
  })

  test('each chunk has the logprobs of its own tokens', async () => {
    const pieces = ['Good ', 'day'].map((token) => ({ ...word(token), logprobs: logprobsOf(token) }))
    const [through, straight] = await pair.both(dressed(opening(), ...pieces, closing()), async (client) =>
      chunksOf(await client.chat.completions.create({ ...streamed, logprobs: true })),
    )
    expect(said(through)).toEqual(said(straight))
    expect(through.map((chunk) => chunk.choices[0]?.logprobs)).toEqual([
      null,
      logprobsOf('Good '),
      logprobsOf('day'),
      null,
    ])
  })

  test('reasoning fields that the SDK does not know come as they came', async () => {
    const [through, straight] = await pair.both(
      dressed(
        { delta: { role: 'assistant', reasoning_content: 'Hm, ' } },
        { delta: { reasoning_content: 'rain?', reasoning_details: [{ type: 'reasoning.text', text: 'rain?' }] } },
        word('Yes.'),
        closing(),
      ),
      async (client) => chunksOf(await client.chat.completions.create(streamed)),
    )
    expect(said(through)).toEqual(said(straight))
    expect(meaningOf(through)).toMatchObject({ 0: { reasoning_content: 'Hm, rain?', content: 'Yes.' } })
  })

  test('the role comes once a choice, also where the endpoint says it with every delta', async () => {
    const [through, straight] = await pair.both(
      dressed(
        { delta: { role: 'assistant', content: '' } },
        { delta: { role: 'assistant', content: '', reasoning: 'Rain' } },
        { delta: { role: 'assistant', content: '', reasoning: ' again?' } },
        { delta: { role: 'assistant', content: 'Yes.' } },
        { delta: { role: 'assistant', content: '' }, finish: 'stop' },
      ),
      async (client) => chunksOf(await client.chat.completions.create(streamed)),
    )
    // Whoever lays the strings of all deltas end to end (the official SDK for Python does) must not get the role twice.
    const once = { reasoning: 'Rain again?', content: 'Yes.', finish_reason: 'stop', role: 'assistant' }
    expect(meaningOf(through)).toEqual({ 0: once })
    expect(meaningOf(straight)).toEqual({ 0: { ...once, role: 'assistant'.repeat(5) } })
  })

  test('what the endpoint adds to its first chunk alone comes once, with ours', async () => {
    const filters = {
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: { hate: { filtered: false } } }],
    }
    const [through, straight] = await pair.both(
      events(
        { ...chunkBase, ...filters, choices: [] },
        ...['Good ', 'day.'].map((content) => chunkOf({ content })),
        chunkOf({}, { finish: 'stop' }),
        '[DONE]',
      ),
      async (client) => chunksOf(await client.chat.completions.create(streamed)),
    )
    for (const chunks of [through, straight]) {
      expect(chunks[0]).toMatchObject(filters)
      expect(chunks.filter((chunk) => 'prompt_filter_results' in chunk)).toHaveLength(1)
    }
    expect(meaningOf(through)).toEqual({ ...meaningOf(straight), 0: { ...meaningOf(straight)[0], role: 'assistant' } })
  })

  test('words in the chunk of the finish_reason, a missing [DONE], and unasked usage make no difference', async () => {
    const [through, straight] = await pair.both(
      events(
        chunkOf({ role: 'assistant', content: 'Good ' }),
        chunkOf({ content: 'day.' }, { finish: 'stop' }),
        usageChunk(),
      ),
      async (client) => chunksOf(await client.chat.completions.create(streamed)),
    )
    expect(meaningOf(through)).toEqual(meaningOf(straight))
    expect(through.flatMap((chunk) => chunk.usage ?? [])).toEqual([])
  })

  test('an endpoint that answers a stream in one piece is heard through us, where the SDK alone hears nothing', async () => {
    const [through, straight] = await pair.both(json(completionOf('All at once.')), async (client) =>
      chunksOf(await client.chat.completions.create(streamed)),
    )
    expect(straight).toEqual([])
    expect(meaningOf(through)).toEqual({ 0: { role: 'assistant', content: 'All at once.', finish_reason: 'stop' } })
  })
})

describe('put together by the SDK’s own helper', () => {
  test('a stream is the same completion, after the same events', async () => {
    const pieces = ['Good ', 'day'].map((token) => ({ ...word(token), logprobs: logprobsOf(token) }))
    const [through, straight] = await pair.both(dressed(opening(), ...pieces, closing()), async (client) => {
      const heard: unknown[] = []
      const stream = client.chat.completions.stream({ ...hello, logprobs: true, ...withUsage })
      stream.on('content.delta', ({ delta, snapshot }) => heard.push(['delta', delta, snapshot]))
      stream.on('content.done', ({ content }) => heard.push(['done', content]))
      stream.on('logprobs.content.delta', ({ content }) => heard.push(['logprobs', content]))
      stream.on('logprobs.content.done', ({ content }) => heard.push(['all logprobs', content]))
      const completion = await stream.finalChatCompletion()
      return { heard, completion, content: await stream.finalContent(), usage: await stream.totalUsage() }
    })
    expect(through.heard).toEqual(straight.heard)
    expect(through.heard).toContainEqual(['delta', 'day', 'Good day'])
    expect(through.heard).toContainEqual(['all logprobs', [tokenOf('Good '), tokenOf('day')]])
    expect(withoutIdentity(through.completion)).toEqual(withoutIdentity(straight.completion))
    expect(through.completion).toMatchObject({ ...dress, usage: detailedUsage })
    expect(through.content).toBe('Good day')
    expect(through.usage).toEqual(straight.usage)
  })

  test('a structured answer is parsed while it comes and when it is whole', async () => {
    const Rain = z.object({ isRaining: z.boolean(), where: z.string() })
    const pieces = ['{"isRaining"', ':true,"whe', 're":"Ulm"}'].map((content) => word(content))
    const [through, straight] = await pair.both(dressed(opening(), ...pieces, closing()), async (client) => {
      const partial: unknown[] = []
      const stream = client.chat.completions
        .stream({ ...hello, response_format: zodResponseFormat(Rain, 'rain') })
        .on('content.delta', ({ parsed }) => partial.push(parsed))
      return { completion: await stream.finalChatCompletion(), partial }
    })
    expect(through.partial).toEqual(straight.partial)
    expect(withoutIdentity(through.completion)).toEqual(withoutIdentity(straight.completion))
    expect(through.completion.choices[0]?.message.parsed).toEqual({ isRaining: true, where: 'Ulm' })
  })

  test('a refusal is one', async () => {
    const [through, straight] = await pair.both(
      dressed(opening(), { delta: { refusal: 'I will ' } }, { delta: { refusal: 'not.' } }, closing()),
      (client) => client.chat.completions.stream(hello).finalChatCompletion(),
    )
    expect(withoutIdentity(through)).toEqual(withoutIdentity(straight))
    expect(through.choices[0]?.message).toMatchObject({ refusal: 'I will not.', content: null })
  })
})
