/** An agent's name in the place of a model's: the official SDK notices nothing of the tools that the service runs itself. */
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { answer, calls, makeAgent, textAndCalls, toolResults } from '../../actors/turn/support/agents.ts'
import { type GatewayUnderTest, gatewayUnderTest, testKey, until } from '../../support/gateway.ts'
import { failure } from '../../support/model-endpoint.ts'
import { chunksOf, failureOf } from './client-pair.ts'

let service: GatewayUnderTest
let client: OpenAI

beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_CODE_EXEC: 'true' })
  await makeAgent(service, 'clerk', { tools: ['calculator', 'time_now'] })
  await makeAgent(service, 'coder', { tools: ['code_exec'] })
  client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: testKey, maxRetries: 0 })
})
afterAll(() => service.stop())
beforeEach(() => {
  service.endpoint.requests.length = 0
})

const asking = { model: 'clerk', messages: [{ role: 'user' as const, content: 'What time is it?' }] }
const theTime = { name: 'time_now', arguments: { timezone: 'UTC' } }
const withTool = [textAndCalls('Let me see.', theTime), answer('It is late.')]
const said = 'Let me see.\n\nIt is late.'

/** What the model was told that the tool returned. */
const aTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)

const toolNames = (at: number): string[] =>
  service.endpoint.requests[at]?.body.tools.map((tool: { function: { name: string } }) => tool.function.name).sort()

describe('an answer with a tool of the service in between', () => {
  test('has the same words, end and usage whole, in chunks, and by the SDK’s helper', async () => {
    service.endpoint.script(...withTool)
    const whole = await client.chat.completions.create(asking)
    service.endpoint.script(...withTool)
    const options = { include_usage: true }
    const chunks = await chunksOf(
      await client.chat.completions.create({ ...asking, stream: true, stream_options: options }),
    )
    service.endpoint.script(...withTool)
    const helped = await client.chat.completions.stream({ ...asking, stream_options: options }).finalChatCompletion()

    expect(whole.choices).toMatchObject([{ message: { role: 'assistant', content: said }, finish_reason: 'stop' }])
    expect(whole.usage?.total_tokens).toBe(24)
    const choices = chunks.flatMap((chunk) => chunk.choices)
    expect(choices.map(({ delta }) => delta.content ?? '').join('')).toBe(said)
    expect(choices.map(({ finish_reason }) => finish_reason).filter(Boolean)).toEqual(['stop'])
    expect(chunks.at(-1)?.usage).toEqual(whole.usage)
    expect(helped.choices[0]?.message.content).toBe(said)
    expect(helped.choices[0]?.finish_reason).toBe('stop')
    expect(helped.usage).toEqual(whole.usage)
    expect([1, 3, 5].map((at) => toolResults(service.endpoint.requests[at]))).toEqual([[aTime], [aTime], [aTime]])
  })

  test('shows the SDK no call, so that its helper has none to report', async () => {
    service.endpoint.script(...withTool)
    const stream = client.chat.completions.stream(asking)
    const heard: string[] = []
    stream.on('tool_calls.function.arguments.delta', ({ name }) => heard.push(name))
    stream.on('content.delta', ({ delta }) => heard.push(delta))
    const { message } = (await stream.finalChatCompletion()).choices[0] ?? expect.unreachable('no choice')
    expect(heard.join('')).toBe(said)
    expect(message.tool_calls ?? []).toEqual([])
  })

  test('and a model that fails behind it, is the SDK’s error by its status where nothing was streamed', async () => {
    service.endpoint.script(calls(theTime), failure(429))
    expect(await failureOf(client.chat.completions.create(asking))).toBeInstanceOf(OpenAI.RateLimitError)
  })

  test('and a model that fails behind it, is the SDK’s error in the stream that the words before have opened', async () => {
    service.endpoint.script(textAndCalls('Let me see.', theTime), failure(429))
    const stream = await client.chat.completions.create({ ...asking, stream: true })
    const error = await failureOf(chunksOf(stream))
    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(error).toMatchObject({ status: undefined, type: 'scripted_error' })
  })
})

describe('runTools', () => {
  const rainInUlm = { name: 'weather', arguments: { city: 'Ulm' }, id: 'mine' }

  /** A tool that the SDK runs by itself, and what it was asked. */
  function weather() {
    const asked: string[] = []
    const tool = {
      type: 'function' as const,
      function: {
        name: 'weather',
        description: 'The weather in a city',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        parse: (text: string) => JSON.parse(text) as { city: string },
        function: ({ city }: { city: string }) => {
          asked.push(city)
          return `rain in ${city}`
        },
      },
    }
    return { asked, tools: [tool] }
  }

  /** Without what the SDK puts to a message only where it was streamed, or only where it was not. */
  function plain(message: OpenAI.Chat.Completions.ChatCompletionMessageParam): object {
    const { role, content } = message
    const wanted = role === 'assistant' ? (message.tool_calls ?? []) : []
    const made = wanted.map(
      (call) => call.type === 'function' && [call.id, call.function.name, call.function.arguments],
    )
    return { role, content, calls: made, ...(role === 'tool' && { tool_call_id: message.tool_call_id }) }
  }

  /** Whole or streamed: what the runner ends with. */
  async function ranTools(isStream: boolean) {
    const { asked, tools } = weather()
    const runner = isStream
      ? client.chat.completions.runTools({ ...asking, tools, stream: true, stream_options: { include_usage: true } })
      : client.chat.completions.runTools({ ...asking, tools })
    const content = await runner.finalContent()
    return { asked, content, messages: runner.messages.map(plain), usage: await runner.totalUsage() }
  }

  test.each([
    ['whole', false],
    ['streamed', true],
  ])('calls its own tool, beside one that the service has run, %s', async (_, isStream) => {
    service.endpoint.script(calls(theTime), calls(rainInUlm), answer('Late, and rain.'))
    const { asked, content, messages } = await ranTools(isStream)
    expect(asked).toEqual(['Ulm'])
    expect(content).toBe('Late, and rain.')
    expect(messages).toMatchObject(['user', 'assistant', 'tool', 'assistant'].map((role) => ({ role })))
    expect(toolNames(0)).toEqual(['calculator', 'time_now', 'weather'])
    expect(service.endpoint.requests).toHaveLength(3)
    expect(toolResults(service.endpoint.requests[1])).toEqual([aTime])
    const last = service.endpoint.requests[2]?.body.messages.slice(-2)
    expect(last).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'mine', function: { name: 'weather' } }] },
      { role: 'tool', tool_call_id: 'mine', content: 'rain in Ulm' },
    ])
  })

  test('comes to the same whole and streamed, messages and usage too', async () => {
    const ends = []
    for (const isStream of [false, true]) {
      service.endpoint.script(calls(rainInUlm), calls(theTime), answer('Rain, and late.'))
      ends.push(await ranTools(isStream))
    }
    expect(ends[1]).toEqual(ends[0])
    expect(ends[0]).toMatchObject({ asked: ['Ulm'], content: 'Rain, and late.', usage: { total_tokens: 36 } })
  })

  test('is given its own call alone where the model asked for both at once', async () => {
    service.endpoint.script(calls(theTime, rainInUlm), calls(theTime), answer('Rain, and late.'))
    const { asked, content } = await ranTools(true)
    expect([asked, content]).toEqual([['Ulm'], 'Rain, and late.'])
    expect(toolResults(service.endpoint.requests[1])).toEqual(['rain in Ulm'])
    expect(toolResults(service.endpoint.requests[2])).toEqual(['rain in Ulm', aTime])
  })
})

describe('a caller who leaves in the middle of a tool', () => {
  /** Longer than the test may last: only an abort ends it in time. */
  const endless = { name: 'code_exec', arguments: { language: 'javascript', code: 'while (true) {}' } }
  const question = { model: 'coder', messages: [{ role: 'user' as const, content: 'Run it.' }] }
  const leaving: [string, (signal: AbortSignal) => Promise<unknown>][] = [
    ['a whole answer', (signal) => client.chat.completions.create(question, { signal })],
    ['the helper’s stream', (signal) => client.chat.completions.stream(question, { signal }).done()],
    [
      'the runner',
      (signal) => client.chat.completions.runTools({ ...question, tools: [], stream: true }, { signal }).done(),
    ],
  ]

  test.each(leaving)('of %s gets the SDK’s own error, and the tool and its turn end', async (_, ask) => {
    service.endpoint.script(textAndCalls('I run it.', endless))
    const leave = new AbortController()
    const failed = failureOf(ask(leave.signal))
    await until(async () => (await codeSteps())[0]?.status === 'started')
    leave.abort()
    expect(await failed).toBeInstanceOf(OpenAI.APIUserAbortError)
    await until(() => service.gateway.stats().turns === 0)
    const [step] = await codeSteps()
    expect(step).toMatchObject({ status: 'unknown', errorCode: 'unknown_effect' })
    // How long it ran is not known either.
    expect(step?.durationMs).toBeNull()
    expect(service.endpoint.requests).toHaveLength(1)
  })

  async function codeSteps() {
    return await service.db.system<{ status: string; errorCode: string | null; durationMs: number | null }>`
      select status, error_code as "errorCode", duration_ms as "durationMs" from turn_steps
      where name = 'code_exec' order by started_at desc limit 1`
  }
})
