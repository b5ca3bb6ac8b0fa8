/** Tools that the client runs: what the official SDK calls, in which order and with what, is the same through us. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closing, dressed, opening, word } from '../../http/chat/support/dressed-stream.ts'
import { completionOf, json, type ScriptedAnswer } from '../../support/model-endpoint.ts'
import { chunksOf, hello, type SdkPair, sdkPair, withoutIdentity } from './client-pair.ts'

let pair: SdkPair
beforeAll(async () => {
  pair = await sdkPair()
})
afterAll(() => pair.service.stop())

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const weather = {
  type: 'function' as const,
  function: { name: 'weather', description: 'The weather of a city', parameters, strict: true },
}
const asking = { ...hello, tools: [weather] }

const callOf = (id: string, city: string) => ({
  id,
  type: 'function' as const,
  function: { name: 'weather', arguments: JSON.stringify({ city }) },
})
const calls = [callOf('call_1', 'Ulm'), callOf('call_2', 'Bonn')]
const wantsCalls = json(
  completionOf('', {
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: null, tool_calls: calls },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ],
  }),
)

/** Two calls at once, their arguments in pieces that come in turns. */
const callsInPieces: ScriptedAnswer = dressed(
  { delta: { role: 'assistant', content: null } },
  {
    delta: { tool_calls: [piece(0, { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } })] },
  },
  { delta: { tool_calls: [piece(0, { function: { arguments: '{"city"' } })] } },
  {
    delta: {
      tool_calls: [
        piece(0, { function: { arguments: ':"Ulm"}' } }),
        piece(1, { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '{"ci' } }),
      ],
    },
  },
  { delta: { tool_calls: [piece(1, { function: { arguments: 'ty":"Bonn"}' } })] } },
  closing('tool_calls'),
)

function piece(index: number, fields: object): object {
  return { index, ...fields }
}

describe('tool calls', () => {
  test('of a whole answer are the same, and so is what the endpoint hears of their results', async () => {
    const [through, straight] = await pair.both([wantsCalls, json(completionOf('Rain in both.'))], async (client) => {
      const wanted = await client.chat.completions.create({
        ...asking,
        tool_choice: { type: 'function', function: { name: 'weather' } },
        parallel_tool_calls: true,
      })
      const message = wanted.choices[0]?.message
      if (!message) expect.unreachable('no message')
      const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'rain' }))
      const answer = await client.chat.completions.create({
        ...asking,
        messages: [...hello.messages, message, ...results],
        tool_choice: 'none',
      })
      return [wanted, answer]
    })
    expect(through.map(withoutIdentity)).toEqual(straight.map(withoutIdentity))
    expect(through[0]?.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { tool_calls: calls } })
    const [byUs, bySdk] = pair.sent()
    expect(byUs).toEqual(bySdk)
    expect(byUs[0]).toMatchObject({ tools: [weather], parallel_tool_calls: true })
    expect(byUs[1].messages.map(({ role }: { role: string }) => role)).toEqual(['user', 'assistant', 'tool', 'tool'])
  })

  test('of a stream come piece by piece as they came', async () => {
    const [through, straight] = await pair.both(callsInPieces, async (client) =>
      chunksOf(await client.chat.completions.create({ ...asking, stream: true })),
    )
    const pieces = (of: typeof through) => of.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])
    expect(pieces(through)).toEqual(pieces(straight))
    expect(pieces(through)).toHaveLength(5)
    expect(through[0]?.choices[0]?.delta.role).toBe('assistant')
    expect(through.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls')
  })

  test('of a stream are put together by the SDK’s own helper, after the same events', async () => {
    const [through, straight] = await pair.both(callsInPieces, async (client) => {
      const heard: unknown[] = []
      const stream = client.chat.completions.stream(asking)
      stream.on('tool_calls.function.arguments.delta', ({ index, arguments_delta }) =>
        heard.push([index, arguments_delta]),
      )
      stream.on('tool_calls.function.arguments.done', ({ index, parsed_arguments }) =>
        heard.push([index, parsed_arguments]),
      )
      return { completion: await stream.finalChatCompletion(), heard }
    })
    expect(through.heard).toEqual(straight.heard)
    expect(through.heard).toContainEqual([1, { city: 'Bonn' }])
    expect(withoutIdentity(through.completion)).toEqual(withoutIdentity(straight.completion))
    expect(through.completion.choices[0]?.message).toMatchObject({ content: null, tool_calls: calls })
  })

  test('of the older kind, one function_call, come too', async () => {
    const older = dressed(
      { delta: { role: 'assistant', content: null, function_call: { name: 'weather', arguments: '' } } },
      { delta: { function_call: { arguments: '{"city":' } } },
      { delta: { function_call: { arguments: '"Ulm"}' } } },
      closing('function_call'),
    )
    const [through, straight] = await pair.both(older, (client) =>
      client.chat.completions.stream({ ...hello, functions: [{ name: 'weather', parameters }] }).finalChatCompletion(),
    )
    expect(withoutIdentity(through)).toEqual(withoutIdentity(straight))
    expect(through.choices[0]?.message.function_call).toEqual({ name: 'weather', arguments: '{"city":"Ulm"}' })
  })
})

describe('runTools', () => {
  /** The tool that the SDK runs by itself, and what it was asked. */
  function runnable() {
    const asked: string[] = []
    const tool = {
      type: 'function' as const,
      function: {
        ...weather.function,
        parse: (text: string) => JSON.parse(text) as { city: string },
        function: ({ city }: { city: string }) => {
          asked.push(city)
          return `rain in ${city}`
        },
      },
    }
    return { asked, tools: [tool] }
  }

  test('calls the same functions and ends with the same words, whole', async () => {
    const [through, straight] = await pair.both([wantsCalls, json(completionOf('Rain in both.'))], async (client) => {
      const { asked, tools } = runnable()
      const runner = client.chat.completions.runTools({ ...hello, tools })
      return {
        content: await runner.finalContent(),
        asked,
        messages: runner.messages,
        usage: await runner.totalUsage(),
      }
    })
    expect(through).toEqual(straight)
    expect(through.asked).toEqual(['Ulm', 'Bonn'])
    expect(through.content).toBe('Rain in both.')
    const [byUs, bySdk] = pair.sent()
    // `stream: false` says nothing, and is not passed on.
    expect(byUs).toEqual(bySdk.map(({ stream, ...body }) => body))
    expect(byUs[1].messages.at(-1)).toEqual({ role: 'tool', tool_call_id: 'call_2', content: 'rain in Bonn' })
  })

  test('calls the same functions and ends with the same words, streamed', async () => {
    const inPieces = dressed(opening(), word('Rain '), word('in both.'), closing())
    const [through, straight] = await pair.both([callsInPieces, inPieces], async (client) => {
      const { asked, tools } = runnable()
      const runner = client.chat.completions.runTools({ ...hello, tools, stream: true })
      return { content: await runner.finalContent(), asked, messages: runner.messages }
    })
    expect(through).toEqual(straight)
    expect(through.asked).toEqual(['Ulm', 'Bonn'])
    expect(through.content).toBe('Rain in both.')
    const [byUs, bySdk] = pair.sent()
    expect(byUs.map(({ messages }) => messages)).toEqual(bySdk.map(({ messages }) => messages))
    expect(byUs).toHaveLength(2)
  })
})
