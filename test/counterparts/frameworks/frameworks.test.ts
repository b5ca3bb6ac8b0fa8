/** Frameworks, by each API that they speak: the AI SDK, the Agents SDK, LangChain. Each says the same as directly. */
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents'
import { tool as aiTool, generateText, Output, stepCountIs, streamText } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type BothWays, bothWays, type Said } from '../responses/both-styles.ts'

let pair: BothWays
beforeAll(async () => {
  setTracingDisabled(true)
  pair = await bothWays()
})
afterAll(() => pair.service.stop())

const city = z.object({ city: z.string() })
const called: Said[] = [
  { calls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Riga"}' }] },
  { words: ['It ', 'rains.'] },
]

interface Way {
  baseURL: string
  apiKey: string
}

const aiModels = {
  'openai(), which speaks responses': (way: Way, name: string) => createOpenAI(way)(name),
  'openai.chat()': (way: Way, name: string) => createOpenAI(way).chat(name),
  'openai-compatible': (way: Way, name: string) =>
    createOpenAICompatible({ name: 'service', includeUsage: true, ...way })(name),
}

describe.each(Object.entries(aiModels))('the AI SDK with %s', (_name, modelOf) => {
  const weather = aiTool({ inputSchema: city, execute: async ({ city: name }) => `rain in ${name}` })

  test.each([undefined, false])('generates and streams text with a tool in between; store: %s', async (store) => {
    const options = { providerOptions: { openai: { ...(store !== undefined && { store }) } } }
    const [through, straight] = await pair.both(called, async (way) => {
      const result = await generateText({
        ...{ model: modelOf(way, 'gpt-test'), prompt: 'Weather?', tools: { weather } },
        ...{ stopWhen: stepCountIs(3), maxRetries: 0, ...options },
      })
      const { text, finishReason, steps } = result
      return {
        text,
        finishReason,
        results: steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output)),
      }
    })
    expect(through).toEqual(straight)
    expect(through).toMatchObject({ text: 'It rains.', finishReason: 'stop', results: ['rain in Riga'] })
    const streamed = await pair.both(called, async (way) => {
      const result = streamText({
        ...{ model: modelOf(way, 'gpt-test'), prompt: 'Weather?', tools: { weather } },
        ...{ stopWhen: stepCountIs(3), maxRetries: 0, ...options },
      })
      const parts: string[] = []
      for await (const part of result.fullStream) parts.push(part.type)
      return { text: await result.text, usage: await result.totalUsage, parts }
    })
    expect(streamed[0]).toEqual(streamed[1])
  })

  test('reasoning and objects', async () => {
    const reasoned = await pair.both([{ reasoning: 'Hm.', words: ['Yes.'] }], async (way) => {
      const { text, reasoningText } = await generateText({ model: modelOf(way, 'o4-test'), prompt: 'So?' })
      return { text, reasoningText }
    })
    expect(reasoned[0].text).toBe('Yes.')
    expect(reasoned[0]).toEqual(reasoned[1])
    const [object, direct] = await pair.both([{ words: ['{"city":"Riga"}'] }], async (way) => {
      const output = Output.object({ schema: city })
      return (await generateText({ model: modelOf(way, 'gpt-test'), output, prompt: 'Where?' })).output
    })
    expect(object).toEqual({ city: 'Riga' })
    expect(object).toEqual(direct)
  })
})

test.each([true, false])(
  'the Agents SDK runs an agent with a tool, whole and streamed; by responses: %s',
  async (useResponses) => {
    const weather = tool({
      ...{ name: 'weather', description: 'The weather.', parameters: city },
      execute: async ({ city: name }) => `rain in ${name}`,
    })
    const agent = new Agent({ name: 'clerk', instructions: 'Be brief.', model: 'gpt-test', tools: [weather] })
    for (const stream of [false, true]) {
      const [through, straight] = await pair.both(called, async ({ baseURL, apiKey }) => {
        const runner = new Runner({ modelProvider: new OpenAIProvider({ baseURL, apiKey, useResponses }) })
        if (!stream) {
          const { finalOutput, newItems } = await runner.run(agent, 'Weather?')
          return { finalOutput, items: newItems.map(({ type }) => type) }
        }
        const result = await runner.run(agent, 'Weather?', { stream: true })
        let text = ''
        for await (const piece of result.toTextStream()) text += piece
        await result.completed
        return { finalOutput: result.finalOutput, text, items: result.newItems.map(({ type }) => type) }
      })
      expect(through).toEqual(straight)
      expect(through.finalOutput).toBe('It rains.')
    }
  },
)

test.each([true, false])('LangChain calls tools and streams; useResponsesApi: %s', async (useResponsesApi) => {
  const model = ({ baseURL, apiKey }: Way) =>
    new ChatOpenAI({ model: 'gpt-test', useResponsesApi, apiKey, configuration: { baseURL }, maxRetries: 0 })
  const weather = { type: 'function' as const, function: { name: 'weather', parameters: z.toJSONSchema(city) } }
  const calls = await pair.both(called.slice(0, 1), async (way) => {
    const { tool_calls, content, usage_metadata } = await model(way)
      .bindTools([weather])
      .invoke([new HumanMessage('?')])
    return { tool_calls, content, usage_metadata }
  })
  expect(calls[0].tool_calls).toMatchObject([{ name: 'weather', args: { city: 'Riga' }, id: 'call_1' }])
  expect({ ...calls[0], content: null }).toEqual({ ...calls[1], content: null })
  const streamed = await pair.both([{ words: ['It ', 'rains.'] }], async (way) => {
    let text = ''
    for await (const chunk of await model(way).stream('?')) text += chunk.text
    return text
  })
  expect(streamed).toEqual(['It rains.', 'It rains.'])
})
