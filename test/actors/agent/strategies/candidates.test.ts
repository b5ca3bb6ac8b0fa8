/** Best of N and the debate: who is asked what, which answer is given, and what a failure or a babbling judge changes. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../../support/gateway.ts'
import { failure } from '../../../support/model-endpoint.ts'
import { answer, ask, calls, makeAgent, textAndCalls, textOf } from '../../turn/support/agents.ts'
import {
  changeSettings,
  conversationOf,
  lastSteps,
  messagesOf,
  placesOf,
  requestsOfPart,
  scriptParts,
  streamed,
} from '../../turn/support/parts.ts'

let service: GatewayUnderTest

beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_AGENT_DEBATE_ROUNDS: '2' })
  await makeAgent(service, 'poet', { instructions: 'You are a poet.', tools: ['time_now'] })
})
afterAll(() => service.stop())

describe('best of N', () => {
  beforeEach(() => changeSettings(service, { SERVICE_AGENT_BEST_OF_N: '3', SERVICE_AGENT_DEBATE_N: '' }))

  const three = () => [answer('one'), answer('two'), answer('three')]

  /** The number that the candidate with these words has before the judge. */
  function numberOf(words: string): string {
    const judgePrompt: string = messagesOf(requestsOfPart(service, 'judge')[0]).at(-1).content
    return /Candidate (\d):/.exec(judgePrompt.slice(0, judgePrompt.indexOf(`:\n${words}`) + 1).slice(-12))?.[1] ?? ''
  }

  test('candidates are written at once, and every one is told the same', async () => {
    const all = Promise.withResolvers<void>()
    const heldAnswer = (words: string) => async (call: Parameters<ReturnType<typeof answer>>[0]) => {
      await all.promise
      await answer(words)(call)
    }
    scriptParts(service, { answer: [heldAnswer('one'), heldAnswer('two'), heldAnswer('three')], judge: [answer('1')] })
    const completion = ask(service, 'poet', 'A line, please')
    await service.endpoint.until(() => service.endpoint.requests.length === 3)
    const bodies = service.endpoint.requests.map(({ body }) =>
      JSON.stringify({ ...body, messages: body.messages.slice(1) }),
    )
    expect(new Set(bodies).size).toBe(1)
    expect(messagesOf(service.endpoint.requests[0])[0].content).toContain('You are a poet.')
    all.resolve()
    await completion
  })

  test('the judge is told the conversation, its own prompt and the candidates, and no tools', async () => {
    // One after the other, so that it is known which is which.
    scriptParts(service, { answer: [answer('same'), answer('same'), answer('same')], judge: [answer('2')] })
    await ask(service, 'poet', 'A line, please')
    const [judge] = requestsOfPart(service, 'judge')
    expect(judge?.body).toEqual({
      model: 'poet',
      messages: [
        {
          role: 'system',
          content:
            'You judge answers to the conversation above. Several candidates follow, each under its number. Choose the one that is most correct, complete and useful to the user. Reply with its number and nothing else.',
        },
        { role: 'user', content: 'A line, please' },
        { role: 'user', content: 'Candidate 1:\nsame\n\nCandidate 2:\nsame\n\nCandidate 3:\nsame' },
      ],
    })
  })

  test('the candidate whose number the judge says is the answer, and all that was spent is counted', async () => {
    scriptParts(service, {
      answer: three(),
      judge: [(call) => answer(`**Candidate ${numberOf('two')}** is the best.`)(call)],
    })
    const completion = await ask(service, 'poet', 'x')
    expect(textOf(completion)).toBe('two')
    expect(completion.usage).toEqual({ prompt_tokens: 36, completion_tokens: 12, total_tokens: 48 })
  })

  test.each([['I cannot decide, they are all so good.'], ['Number 7, or 0.'], ['']])(
    'a judge that says %j leaves the first candidate',
    async (babble) => {
      scriptParts(service, { answer: three(), judge: [answer(babble)] })
      const completion = await ask(service, 'poet', 'x')
      expect(numberOf(textOf(completion))).toBe('1')
    },
  )

  test('a client that streams hears what goes on as comments, and the answer once', async () => {
    scriptParts(service, { answer: three(), judge: [(call) => answer(numberOf('three'))(call)] })
    const heard = await streamed(service, 'poet', 'x')
    expect(heard.order).toEqual([': writing 3 candidates', ': judging the candidates', 'three'])
    expect([heard.finish, heard.isDone]).toEqual(['stop', true])
  })

  test('candidates use tools each by itself, and every step stands under the path of its candidate', async () => {
    const timeCall = calls({ name: 'time_now', arguments: {} })
    const inTwoSteps: typeof timeCall = (call) =>
      (messagesOf(call.request).at(-1).role === 'tool' ? answer('late') : timeCall)(call)
    scriptParts(service, { answer: Array.from({ length: 6 }, () => inTwoSteps), judge: [answer('1')] })
    await ask(service, 'poet', 'x')
    const steps = await lastSteps(service)
    expect(placesOf(steps)).toEqual([
      ...[1, 2, 3].flatMap((at) => [`best-${at}#0 model`, `best-${at}#1 time_now`, `best-${at}#100 model`]),
      'judge#0 model',
    ])
    for (const step of steps.filter(({ kind }) => kind === 'model'))
      expect([step.prompt_tokens, step.completion_tokens]).toEqual([9, 3])
  })

  test('a candidate that fails is left out, and the others keep their numbers', async () => {
    scriptParts(service, { answer: [answer('same'), failure(500), answer('same')], judge: [answer('none')] })
    expect(textOf(await ask(service, 'poet', 'x'))).toBe('same')
    const judgePrompt: string = messagesOf(requestsOfPart(service, 'judge')[0]).at(-1).content
    expect(judgePrompt).toMatch(/^Candidate \d:\nsame\n\nCandidate \d:\nsame$/)
  })

  test('one candidate that is left needs no judge, and where none is left the turn fails as the model did', async () => {
    scriptParts(service, { answer: [failure(500), answer('alone'), failure(500)] })
    expect(textOf(await ask(service, 'poet', 'x'))).toBe('alone')
    scriptParts(service, { answer: [failure(429), failure(429), failure(429)] })
    await expect(ask(service, 'poet', 'x')).rejects.toThrow(/^429/)
  })

  test('a candidate that calls a tool of the client’s own is the answer, streamed or not', async () => {
    const tools = [{ type: 'function', function: { name: 'open_door', parameters: { type: 'object' } } }]
    const script = () => [
      textAndCalls('Opening.', { name: 'open_door', arguments: { door: 1 }, id: 'd1' }),
      ...three().slice(1),
    ]
    scriptParts(service, { answer: script() })
    const { choices } = await ask(service, 'poet', 'x', { tools })
    expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { tool_calls: [{ id: 'd1' }] } })
    scriptParts(service, { answer: script() })
    const heard = await streamed(service, 'poet', 'x', { tools })
    expect([heard.text, heard.finish]).toEqual(['Opening.', 'tool_calls'])
    expect(heard.toolCalls).toEqual([
      { index: 0, id: 'd1', type: 'function', function: { name: 'open_door', arguments: '{"door":1}' } },
    ])
  })

  test('the form that the client wants is the answer’s: the judge is free of it', async () => {
    scriptParts(service, { answer: three(), judge: [answer('1')] })
    const form = { response_format: { type: 'json_object' }, max_tokens: 5, stop: ['x'] }
    await ask(service, 'poet', 'x', { ...form, temperature: 0.5 })
    expect(requestsOfPart(service, 'answer')[0]?.body).toMatchObject(form)
    const { model, messages, ...rest } = requestsOfPart(service, 'judge')[0]?.body ?? {}
    expect(rest).toEqual({ temperature: 0.5 })
  })
})

describe('a debate', () => {
  beforeEach(() => changeSettings(service, { SERVICE_AGENT_BEST_OF_N: '', SERVICE_AGENT_DEBATE_N: '2' }))

  const debated = () => [answer('A1'), answer('A1'), answer('A2'), answer('A2')]

  test('is held in rounds: in the second everyone reads what the others said in the first', async () => {
    scriptParts(service, { answer: debated(), 'debate-judge': [answer('In the end.')] })
    expect(textOf(await ask(service, 'poet', 'Which?'))).toBe('In the end.')
    const rounds = requestsOfPart(service, 'answer')
    expect(rounds).toHaveLength(4)
    for (const first of rounds.slice(0, 2)) expect(conversationOf(first)).toEqual(['user: Which?'])
    for (const each of rounds) {
      expect(messagesOf(each)[0].content).toContain('You are a poet.')
      expect(messagesOf(each)[0].content).toMatch(/You are one of several experts[\s\S]*keep what holds\.$/)
    }
    const own = 'Your answer:\nA1'
    const other = 'Answer of another expert:\nA1'
    const again = '\n\nNow give your answer again, improved where it can be.'
    expect(
      rounds
        .slice(2)
        .map((each) => messagesOf(each).at(-1).content)
        .sort(),
    ).toEqual([`${own}\n\n${other}${again}`, `${other}\n\n${own}${again}`].sort())
  })

  test('is summed up by a judge who is told the last round alone', async () => {
    scriptParts(service, { answer: debated(), 'debate-judge': [answer('In the end.')] })
    const completion = await ask(service, 'poet', 'Which?')
    const [judge] = requestsOfPart(service, 'debate-judge')
    expect(conversationOf(judge)).toEqual(['user: Which?', 'user: Expert 1:\nA2\n\nExpert 2:\nA2'])
    expect(judge?.body.tools).toBeUndefined()
    expect(completion.usage.total_tokens).toBe(5 * 12)
    expect(placesOf(await lastSteps(service))).toEqual([
      ...['debate-1-1#0 model', 'debate-1-2#0 model', 'debate-2-1#0 model', 'debate-2-2#0 model'],
      'debate-judge#0 model',
    ])
  })

  test('is told to a client that streams in comments; of the words it hears the judge’s', async () => {
    scriptParts(service, { answer: debated(), 'debate-judge': [answer('In the end.')] })
    expect((await streamed(service, 'poet', 'x')).order).toEqual([
      ...[': debate, round 1 of 2', ': debate, round 2 of 2', ': judging the debate', 'In the end.'],
    ])
  })

  test('goes on with what an expert said before when he fails in a later round', async () => {
    scriptParts(service, {
      answer: [...debated().slice(0, 2), failure(500), answer('A2')],
      'debate-judge': [answer('End.')],
    })
    expect(textOf(await ask(service, 'poet', 'x'))).toBe('End.')
    const judgePrompt: string = messagesOf(requestsOfPart(service, 'debate-judge')[0]).at(-1).content
    expect(['Expert 1:\nA1\n\nExpert 2:\nA2', 'Expert 1:\nA2\n\nExpert 2:\nA1']).toContain(judgePrompt)
  })

  test('stands in for the best of several where both are on', async () => {
    await changeSettings(service, { SERVICE_AGENT_BEST_OF_N: '3' })
    scriptParts(service, { answer: debated(), 'debate-judge': [answer('Debated.')] })
    expect(textOf(await ask(service, 'poet', 'x'))).toBe('Debated.')
    expect(requestsOfPart(service, 'judge')).toHaveLength(0)
  })
})

test.each(['SERVICE_AGENT_BEST_OF_N', 'SERVICE_AGENT_DEBATE_N'] as const)('%s at 1 is off', async (key) => {
  await changeSettings(service, { SERVICE_AGENT_BEST_OF_N: '', SERVICE_AGENT_DEBATE_N: '' })
  await changeSettings(service, { [key]: '1' })
  scriptParts(service, { answer: [answer('plain')] })
  expect(textOf(await ask(service, 'poet', 'x'))).toBe('plain')
  expect(service.endpoint.requests).toHaveLength(1)
})
