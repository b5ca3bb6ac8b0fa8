/** Sub-agents: who may be handed what, side by side, with tools of their own, on the turn's account, ended with it. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readEvents } from '../../http/events/support/sse-reader.ts'
import { eventsOf, type GatewayUnderTest, gatewayUnderTest, testKey } from '../../support/gateway.ts'
import { hang, type RecordedRequest, type ScriptedAnswer } from '../../support/model-endpoint.ts'
import { answer, ask, calls, defects, makeAgent, textOf, toolResults } from './support/agents.ts'
import { changeSettings, conversationOf, lastSteps, lastTurn, messagesOf, placesOf, streamed } from './support/parts.ts'

let service: GatewayUnderTest

beforeAll(async () => {
  service = await gatewayUnderTest()
  await makeAgent(service, 'lead', { instructions: 'You are lead.', sub_agents: ['clerk', 'scout', 'gone'], tools: [] })
  await makeAgent(service, 'clerk', {
    instructions: 'You are clerk.',
    sub_agents: ['scout'],
    tools: ['time_now'],
    temperature: 0.1,
  })
  await makeAgent(service, 'scout', { instructions: 'You are scout.', sub_agents: ['lead'], tools: ['calculator'] })
})
afterAll(() => service.stop())
beforeEach(() => {
  service.endpoint.requests.length = 0
})

/** Who is asked, by the instructions that it is told. */
const whoOf = (request: RecordedRequest): string =>
  /You are (\w+)\./.exec(String(messagesOf(request)[0]?.content))?.[1] ?? ''

const requestsOf = (who: string) => service.endpoint.requests.filter((request) => whoOf(request) === who)

/** Each agent gets its answers in order. */
function cast(answers: Record<string, ScriptedAnswer[]>): void {
  service.endpoint.always((call) => {
    const next = answers[whoOf(call.request)]?.shift()
    if (!next) throw new Error(`nothing is scripted for ${whoOf(call.request)}`)
    return next(call)
  })
}

const hand = (agent: string, task: string, id = `to_${agent}`) => ({ name: 'delegate', arguments: { agent, task }, id })

const toolNames = (request: RecordedRequest | undefined): string[] =>
  (request?.body.tools ?? []).map((tool: { function: { name: string } }) => tool.function.name)

test('a sub-agent is told its own instructions and the task, and its answer is the result of the call', async () => {
  cast({ lead: [calls(hand('clerk', 'What time is it?')), answer('It is noon.')], clerk: [answer('Noon.')] })
  const completion = await ask(service, 'lead', 'Time, please', {
    temperature: 1.5,
    max_tokens: 9,
    response_format: { type: 'json_object' },
  })
  expect(textOf(completion)).toBe('It is noon.')
  const [clerk] = requestsOf('clerk')
  expect(conversationOf(clerk)).toEqual(['user: What time is it?'])
  expect(messagesOf(clerk)[0].content).not.toContain('You are lead.')
  expect(toolNames(clerk).sort()).toEqual(['delegate', 'time_now'])
  // What the client wants of the answer is not asked of it.
  expect([clerk?.body.temperature, clerk?.body.max_tokens, clerk?.body.response_format]).toEqual([
    0.1,
    undefined,
    undefined,
  ])
  expect(toolResults(requestsOf('lead')[1])).toEqual(['Noon.'])
})

test('a model is told which agents it may delegate to', async () => {
  cast({ lead: [answer('No need.')] })
  await ask(service, 'lead', 'x')
  const [delegate] = requestsOf('lead')[0]?.body.tools ?? []
  expect(delegate.function.description).toMatch(/There are these agents: clerk, scout, gone\.$/)
})

test('work is delegated only to agents that the definition names and that still exist', async () => {
  cast({ lead: [calls(hand('lead', 'x'), hand('gone', 'x'), hand('default', 'x')), answer('Alone then.')] })
  await ask(service, 'lead', 'x')
  const [itself, gone, byDefault] = toolResults(requestsOf('lead')[1])
  expect(itself).toContain('There are: clerk, scout, gone.')
  expect(gone).toBe('The agent "gone" is not there any more.')
  expect(byDefault).toContain('There is no agent "default"')
})

test('sub-agents nest to the allowed depth: the last one cannot delegate further', async () => {
  cast({
    lead: [calls(hand('clerk', 'a')), answer('Done.')],
    clerk: [calls(hand('scout', 'b')), answer('b is done')],
    scout: [calls(hand('lead', 'c')), answer('alone')],
  })
  await ask(service, 'lead', 'x')
  const [first, second] = requestsOf('scout')
  expect(toolNames(first)).toEqual(['calculator'])
  expect(toolResults(second)[0]).toContain('There is no tool "delegate"')
  expect(requestsOf('lead')).toHaveLength(2)
  expect(placesOf(await lastSteps(service))).toEqual([
    ...['#0 model', '#1 delegate', '#100 model'],
    ...['1#0 model', '1#1 delegate', '1#100 model', '1/1#0 model', '1/1#1 delegate', '1/1#100 model'],
  ])
})

test('sub-agents of one step run in parallel, and their tokens count for the turn', async () => {
  const both = Promise.withResolvers<void>()
  const heldAnswer =
    (words: string): ScriptedAnswer =>
    async (call) => {
      await both.promise
      await answer(words)(call)
    }
  cast({
    lead: [calls(hand('clerk', 'a'), hand('scout', 'b'), hand('clerk', 'c', 'again')), answer('All done.')],
    clerk: [heldAnswer('from a clerk'), heldAnswer('from a clerk')],
    scout: [heldAnswer('from the scout')],
  })
  const asking = ask(service, 'lead', 'x')
  await service.endpoint.until(() => requestsOf('clerk').length === 2 && requestsOf('scout').length === 1)
  both.resolve()
  expect((await asking).usage.total_tokens).toBe(5 * 12)
  expect(toolResults(requestsOf('lead')[1])).toEqual(['from a clerk', 'from the scout', 'from a clerk'])
})

test('the tokens of a sub-agent are the turn’s: once it has used them up, nobody has any', async () => {
  await changeSettings(service, { SERVICE_AGENT_TOKENS_MAX: '30' })
  cast({
    lead: [calls(hand('clerk', 'a')), answer('never asked')],
    clerk: [
      calls({ name: 'time_now', arguments: {} }),
      calls({ name: 'time_now', arguments: {} }),
      answer('never asked'),
    ],
  })
  const completion = await ask(service, 'lead', 'x')
  await changeSettings(service, { SERVICE_AGENT_TOKENS_MAX: '' })
  expect(completion.choices[0]).toMatchObject({
    finish_reason: 'length',
    message: { content: '[The turn has used up its tokens before it could answer.]' },
  })
  expect(completion.usage.total_tokens).toBe(36)
  const [, , failed] = (await lastSteps(service)).filter(({ kind }) => kind === 'tool').reverse()
  expect(failed).toMatchObject({ name: 'delegate', status: 'failed', error_code: 'out_of_tokens' })
})

test('a client that streams is told which agent works, and gets no words of the sub-agent', async () => {
  cast({ lead: [calls(hand('clerk', 'a')), answer('Done.')], clerk: [answer('a secret')] })
  expect((await streamed(service, 'lead', 'x')).order).toEqual([': clerk works on a part of it', 'Done.'])
})

test('when the caller hangs up, the sub-agents’ calls of the model are cut off, and the turn is cancelled', async () => {
  cast({ lead: [calls(hand('clerk', 'a'), hand('scout', 'b'))], clerk: [hang], scout: [hang] })
  const { abortedCalls } = service.endpoint
  const before = defects(service).length
  const leaving = new AbortController()
  const body = { model: 'lead', messages: [{ role: 'user', content: 'x' }] }
  const asking = service.post('/v1/chat/completions', body, {}, leaving.signal).catch(() => 'left')
  await service.endpoint.until(() => requestsOf('clerk').length === 1 && requestsOf('scout').length === 1)
  leaving.abort()
  expect(await asking).toBe('left')
  await service.endpoint.until(() => service.endpoint.abortedCalls === abortedCalls + 2)
  await expect.poll(async () => (await lastTurn(service)).status).toBe('cancelled')
  expect(defects(service).slice(before)).toEqual([])
})

test('in a stored conversation the tool calls of a sub-agent are events, and its steps belong to the turn', async () => {
  const reader = await readEvents(`${service.url}/v1/events/stream`, { authorization: `Bearer ${testKey}` })
  await reader.untilKind('ready')
  cast({
    lead: [calls(hand('clerk', 'a')), answer('Done.')],
    clerk: [calls({ name: 'time_now', arguments: {}, id: 'when' }), answer('Noon.')],
  })
  const body = { model: 'lead', messages: [{ role: 'user', content: 'x' }], stream: true }
  const response = await service.post('/v1/chat/completions', body, { 'x-service-conversation-id': 'new' })
  expect(eventsOf(await response.text()).at(-1)).toBe('[DONE]')
  await reader.untilKind('step.succeeded', 2)
  reader.leave()
  const comments = reader.heard
    .filter(({ kind }) => kind.startsWith('step.'))
    .map(({ kind, data }) => `${kind} ${data.path}#${data.n} ${data.name}`)
  expect(comments).toEqual([
    ...['step.started #1 delegate', 'step.started 1#1 time_now', 'step.succeeded 1#1 time_now'],
    'step.succeeded #1 delegate',
  ])
  const { id } = await lastTurn(service)
  expect(reader.of('step.started')[0]?.data.turn_id).toBe(id)
})

test('a sub-agent that takes too long is ended, and the agent above it is told so and goes on', async () => {
  const hasty = await gatewayUnderTest({ SERVICE_SUBAGENT_TIMEOUT_SEC: '1' })
  try {
    await makeAgent(hasty, 'lead', { sub_agents: ['clerk'], tools: [] })
    await makeAgent(hasty, 'clerk', { tools: [] })
    hasty.endpoint.script(calls(hand('clerk', 'a')), hang, answer('Without it then.'))
    expect(textOf(await ask(hasty, 'lead', 'x'))).toBe('Without it then.')
    expect(toolResults(hasty.endpoint.requests[2])).toEqual(['The agent clerk did not finish within 1 s.'])
    await hasty.endpoint.until(() => hasty.endpoint.abortedCalls === 1)
    const failed = (await lastSteps(hasty)).find(({ kind }) => kind === 'tool')
    expect(failed).toMatchObject({ status: 'failed', error_code: 'subagent_timeout' })
    expect(defects(hasty)).toEqual([])
  } finally {
    await hasty.stop()
  }
})
