/** What a turn may spend, and how it ends past that: with the words that were said, a note, and `length`. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { chunkOf, completionOf, hang, json, type ScriptedAnswer } from '../../support/model-endpoint.ts'
import { answer, ask, calls, makeAgent, textAndCalls, textOf, toolResults } from './support/agents.ts'
import {
  changeSettings,
  lastTurn,
  parseStream,
  requestsOfPart,
  type StreamedAnswer,
  scriptParts,
  streamed,
} from './support/parts.ts'

let service: GatewayUnderTest

beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_AGENT_STEPS_MAX: '3' })
  await makeAgent(service, 'clerk', { tools: ['time_now'] })
})
afterAll(() => service.stop())
afterEach(() =>
  changeSettings(service, {
    SERVICE_AGENT_TOKENS_MAX: '',
    SERVICE_AGENT_TIMEOUT_S: '',
    SERVICE_AGENT_SELF_HEAL: '',
    SERVICE_AGENT_BEST_OF_N: '',
    SERVICE_AGENT_DEBATE_N: '',
    SERVICE_AGENT_REFLECT: '',
    SERVICE_AGENT_PLAN_STEPS: '',
  }),
)

const timeCall = { name: 'time_now', arguments: {} }

/** The same question, streamed or not. @returns what a client has of it */
async function answered(isStream: boolean): Promise<Pick<StreamedAnswer, 'text' | 'finish'>> {
  if (isStream) return await streamed(service, 'clerk', 'x')
  const completion = await ask(service, 'clerk', 'x')
  return { text: textOf(completion), finish: completion.choices[0].finish_reason }
}

describe.each([
  ['whole', false],
  ['streamed', true],
])('an answer that is asked for %s', (_, isStream) => {
  test('ends with its last step, and says so', async () => {
    scriptParts(service, { answer: [textAndCalls('One.', timeCall), calls(timeCall), answer('So far.')] })
    expect(await answered(isStream)).toMatchObject({
      text: 'One.\n\nSo far.\n\n[The turn has made as many steps as it may (3).]',
      finish: 'length',
    })
  })

  test('has no gap where the last step has no words', async () => {
    scriptParts(service, { answer: [textAndCalls('One.', timeCall), calls(timeCall), calls(timeCall)] })
    expect((await answered(isStream)).text).toBe('One.\n\n[The turn has made as many steps as it may (3).]')
  })

  test('ends when the tokens are used up, with the text until then', async () => {
    await changeSettings(service, { SERVICE_AGENT_TOKENS_MAX: '20' })
    scriptParts(service, {
      answer: [textAndCalls('One.', timeCall), textAndCalls('Two.', timeCall), answer('never asked')],
    })
    expect(await answered(isStream)).toMatchObject({
      text: 'One.\n\nTwo.\n\n[The turn has used up its tokens.]',
      finish: 'length',
    })
    expect(service.endpoint.requests).toHaveLength(2)
    await expect.poll(async () => (await lastTurn(service)).status).toBe('completed')
  })

  test('ends when the time is over, with the text until then; the model call is cut off', async () => {
    await changeSettings(service, { SERVICE_AGENT_TIMEOUT_S: '1' })
    scriptParts(service, { answer: [textAndCalls('One.', timeCall), hang] })
    const { abortedCalls } = service.endpoint
    expect(await answered(isStream)).toMatchObject({
      text: 'One.\n\n[The turn has used up its time.]',
      finish: 'length',
    })
    await service.endpoint.until(() => service.endpoint.abortedCalls === abortedCalls + 1)
  })

  test('says that there is no answer if the time is over before the first word', async () => {
    await changeSettings(service, { SERVICE_AGENT_TIMEOUT_S: '1' })
    scriptParts(service, { answer: [hang] })
    expect(await answered(isStream)).toMatchObject({
      text: '[The turn has used up its time before it could answer.]',
      finish: 'length',
    })
  })
})

test('a turn whose time is over before its answer was begun says so, and why its stream ends', async () => {
  await makeAgent(service, 'short', { tools: [], context_tokens: 500 })
  const longStory = 'A long story about a cat. '.repeat(60)
  const headers = { 'x-service-conversation-id': 'new' }
  // The second turn has a summary made before it answers as long; so the third needs one too.
  scriptParts(service, { answer: [answer(longStory), answer('It is about a cat.'), answer(longStory)] })
  const post = (text: string, more: object = {}, given: Record<string, string> = headers) =>
    service.post(
      '/v1/chat/completions',
      { model: 'short', messages: [{ role: 'user', content: text }], ...more },
      given,
    )
  const first = await post(longStory)
  await first.text()
  const id = { 'x-service-conversation-id': first.headers.get('x-service-conversation-id') ?? '' }
  await (await post(longStory, {}, id)).text()
  // The summary of what does not fit any more stands still.
  await changeSettings(service, { SERVICE_AGENT_TIMEOUT_S: '2' })
  scriptParts(service, { answer: [hang] })
  const heard = parseStream(await (await post('And?', { stream: true }, id)).text())
  expect(heard.comments).toEqual([': summarising the older part of the conversation'])
  expect(heard).toMatchObject({
    text: '[The turn has used up its time before it could answer.]',
    finish: 'length',
    isDone: true,
  })
})

test('the text that a client got of a step that was cut off stands, before the note', async () => {
  await changeSettings(service, { SERVICE_AGENT_TIMEOUT_S: '1' })
  const half: ScriptedAnswer = (call) => {
    call.openStream()
    call.event(chunkOf({ role: 'assistant', content: 'Half a sen' }))
  }
  scriptParts(service, { answer: [half] })
  expect(await answered(true)).toMatchObject({
    text: 'Half a sen\n\n[The turn has used up its time.]',
    finish: 'length',
  })
})

describe('past a bound', () => {
  beforeEach(() => changeSettings(service, { SERVICE_AGENT_TOKENS_MAX: '20' }))
  const note = '\n\n[The turn has used up its tokens.]'
  const ends = (text: string) => ({ text: text + note, finish: 'length' })

  test.each([[false], [true]])(
    'the first candidate is the answer if no judge can be asked (streamed: %s)',
    async (isStream) => {
      await changeSettings(service, { SERVICE_AGENT_BEST_OF_N: '2' })
      scriptParts(service, { answer: [answer('same'), answer('same')] })
      expect(await answered(isStream)).toMatchObject(ends('same'))
    },
  )

  test('a debate answers with the words of its first expert', async () => {
    await changeSettings(service, { SERVICE_AGENT_DEBATE_N: '2' })
    scriptParts(service, { answer: [answer('same'), answer('same')] })
    expect(await answered(true)).toMatchObject(ends('same'))
  })

  test('a draft is the answer as it is, with one note', async () => {
    await changeSettings(service, { SERVICE_AGENT_REFLECT: '1' })
    scriptParts(service, { answer: [textAndCalls('One.', timeCall), textAndCalls('Two.', timeCall)] })
    expect(await answered(true)).toMatchObject(ends('One.\n\nTwo.'))
  })

  test('a plan answers with the results of its finished steps', async () => {
    await changeSettings(service, { SERVICE_AGENT_PLAN_STEPS: '4' })
    scriptParts(service, { plan: [answer('["look", "count"]')], step: [answer('cats')] })
    expect(await answered(true)).toMatchObject(ends('Step 1: look\nResult: cats'))
    expect(requestsOfPart(service, 'step')).toHaveLength(1)
  })
})

describe('a tool call that fails', () => {
  const wrong = calls({ name: 'time_now', arguments: { timezone: 'Nowhere' } })
  const results = () => service.endpoint.requests.map((request) => toolResults(request).at(-1) ?? '')

  test('brings no hint and no further step if the settings ask for none', async () => {
    scriptParts(service, { answer: [wrong, wrong, answer('No.')] })
    expect(await answered(false)).toMatchObject({ finish: 'length' })
    expect(results().slice(1)).toHaveLength(2)
    for (const result of results()) expect(result).not.toContain('Hint')
  })

  test('brings a hint and another round, as often as the settings say; after that the hint says to give up', async () => {
    await changeSettings(service, { SERVICE_AGENT_SELF_HEAL: '2' })
    scriptParts(service, { answer: [wrong, wrong, wrong, calls(timeCall), answer('Late.')] })
    expect(await answered(false)).toEqual({
      text: 'Late.\n\n[The turn has made as many steps as it may (5).]',
      finish: 'length',
    })
    const [, first, second, third, fourth] = results()
    for (const healed of [first, second])
      expect(healed).toMatch(
        /Europe\/Berlin\n\nHint: find out what was wrong with the call \(its arguments, a missing step before it, a limit\), correct it and make it again\. If it cannot be made to work, use another way\.$/,
      )
    expect(third).toMatch(/\n\nHint: do not make this call again; go on without it and say what could not be done\.$/)
    expect(fourth).not.toContain('Hint')
    expect(service.endpoint.requests.map(({ body }) => body.tools !== undefined)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ])
  })

  test('brings one more round, however many calls of a round fail', async () => {
    await changeSettings(service, { SERVICE_AGENT_SELF_HEAL: '2' })
    const twice = calls(
      { name: 'time_now', arguments: { timezone: 'Nowhere' }, id: 'a' },
      { name: 'nothing', arguments: {}, id: 'b' },
    )
    scriptParts(service, { answer: [twice, calls(timeCall), calls(timeCall), answer('Late.')] })
    expect((await answered(false)).text).toContain('(4)')
    expect(toolResults(service.endpoint.requests[1]).every((result) => result.includes('Hint: find out'))).toBe(true)
  })
})

test('a turn whose calls are counted beyond all columns is stored, whichever way it was asked', async () => {
  await changeSettings(service, { SERVICE_AGENT_TOKENS_MAX: '0' })
  const units = { token_in: 1e15, token_out: 1e15 }
  const price = { model: 'counts', currency: 'USD', from: '2020-01-01T00:00:00Z', units }
  expect((await service.post('/v1/admin/prices/import', { prices: [price] })).status).toBe(200)
  const usage = {
    ...{ prompt_tokens: 1e300, completion_tokens: 1e300, total_tokens: 1e300 },
    prompt_tokens_details: { cached_tokens: 1e300 },
  }
  const toolCall = { id: 'c', type: 'function', function: { name: 'time_now', arguments: '{}' } }
  const called = { role: 'assistant', content: null, tool_calls: [toolCall] }
  const counted = (message: object | string) => json({ ...completionOf(message), model: 'counts', usage })
  const messages = [{ role: 'user', content: 'x' }]
  for (const [path, asked] of [
    ['chat/completions', { messages }],
    ['responses', { input: 'x' }],
  ] as const) {
    service.endpoint.script(counted(called), counted(called), counted('done'))
    expect((await service.post(`/v1/${path}`, { model: 'clerk', ...asked })).status).toBe(200)
    const turns = () => service.db.system`
      select status, prompt_tokens, cached_tokens, cost_micro::text as cost from turns order by started_at desc limit 1`
    const stored = { status: 'completed', prompt_tokens: 2_147_483_647, cached_tokens: 2_147_483_647 }
    await expect.poll(turns).toEqual([{ ...stored, cost: String(2n ** 63n - 1n) }])
  }
})
