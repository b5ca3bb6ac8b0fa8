/** However a caller of the official SDK leaves, the SDK says the same as directly, and the call to the model is closed. */
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../support/gateway.ts'
import { hang, streamOf } from '../../support/model-endpoint.ts'
import { failureOf, hello, type SdkPair, sdkPair } from './client-pair.ts'

let pair: SdkPair
beforeAll(async () => {
  pair = await sdkPair()
})
afterAll(() => pair.service.stop())

const streamed = { ...hello, stream: true as const }
const never = new Promise(() => {})
const stuckAfterFirst = () => streamOf(['first', 'never'], { gate: never })

/** Runs `leave` on both ways; each time the endpoint must see its call closed, and the gateway must forget it. */
async function leavingBoth<Result>(leave: (client: OpenAI) => Promise<Result>): Promise<[Result, Result]> {
  const { endpoint, gateway } = pair.service
  const results: Result[] = []
  for (const client of [pair.ours, pair.direct]) {
    const abortedBefore = endpoint.abortedCalls
    results.push(await leave(client))
    await endpoint.until(() => endpoint.abortedCalls === abortedBefore + 1 && endpoint.openCalls === 0)
    await until(() => gateway.stats().turns === 0)
    await expect.poll(() => gateway.stats()).toMatchObject({ turns: 0, streams: 0 })
  }
  return results as [Result, Result]
}

test('a stream that the caller aborts ends quietly', async () => {
  const [through, straight] = await leavingBoth(async (client) => {
    pair.service.endpoint.script(stuckAfterFirst())
    const stream = await client.chat.completions.create(streamed)
    let seen = ''
    for await (const chunk of stream) {
      seen += chunk.choices[0]?.delta.content ?? ''
      if (seen === 'first') stream.controller.abort()
    }
    return seen
  })
  expect(through).toBe('first')
  expect(through).toBe(straight)
})

test('a stream that the caller stops reading is closed', async () => {
  await leavingBoth(async (client) => {
    pair.service.endpoint.script(stuckAfterFirst())
    for await (const chunk of await client.chat.completions.create(streamed)) {
      if (chunk.choices[0]?.delta.content === 'first') break
    }
  })
})

test('the helper’s stream that the caller aborts is an APIUserAbortError, with what was said so far', async () => {
  const [through, straight] = await leavingBoth(async (client) => {
    pair.service.endpoint.script(stuckAfterFirst())
    const stream = client.chat.completions.stream(hello)
    stream.on('content.delta', () => stream.abort())
    const failure = await failureOf(stream.done())
    return { failure, said: stream.currentChatCompletionSnapshot?.choices[0]?.message.content }
  })
  for (const { failure, said } of [through, straight]) {
    expect(failure).toBeInstanceOf(OpenAI.APIUserAbortError)
    expect(said).toBe('first')
  }
})

test.each([
  ['a whole answer', false],
  ['a stream before its first word', true],
])('%s that the caller’s signal gives up is an APIUserAbortError', async (_what, stream) => {
  const failures = await leavingBoth(async (client) => {
    const { endpoint } = pair.service
    endpoint.script(hang)
    const leaving = new AbortController()
    const failure = failureOf(client.chat.completions.create({ ...hello, stream }, { signal: leaving.signal }))
    const before = endpoint.requests.length
    await endpoint.until(() => endpoint.requests.length > before)
    leaving.abort()
    return failure
  })
  for (const failure of failures) expect(failure).toBeInstanceOf(OpenAI.APIUserAbortError)
})

test('an answer that the SDK’s own time is too short for is an APIConnectionTimeoutError', async () => {
  const failures = await leavingBoth(async (client) => {
    pair.service.endpoint.script(hang)
    return failureOf(client.chat.completions.create(hello, { timeout: 300 }))
  })
  for (const failure of failures) expect(failure).toBeInstanceOf(OpenAI.APIConnectionTimeoutError)
})
