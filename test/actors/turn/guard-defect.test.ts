/** A guard that throws: what it was to judge reaches nobody, and the turn fails with an error instead of hanging. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { GatewayOptions } from '../../../gateway/gateway.ts'
import { createGuard } from '../../../guard/guard.ts'
import { streamGuard } from '../../../guard/stream-guard.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { answer, calls, makeAgent, textAndCalls, toolResults } from './support/agents.ts'

/** The guard has a defect: it throws for each text with this word. */
const trigger = 'quicksilver'

function throwFor(text: string): void {
  if (text.includes(trigger)) throw new Error('a defect of the guard')
}

const guard = createGuard()
const replaced = {
  guard: {
    inspect(text, source) {
      throwFor(text)
      return guard.inspect(text, source)
    },
  },
  streamGuard(canary) {
    const stream = streamGuard(canary)
    return {
      push(delta) {
        throwFor(delta)
        return stream.push(delta)
      },
      end: () => stream.end(),
      get isLeaking() {
        return stream.isLeaking
      },
    }
  },
} satisfies GatewayOptions['replaced']

let service: GatewayUnderTest

beforeAll(async () => {
  service = await gatewayUnderTest({}, { replaced })
  await makeAgent(service, 'lead', { sub_agents: ['clerk'], tools: ['message_user'] })
  await makeAgent(service, 'clerk', { tools: [] })
})
afterAll(() => service.stop())
beforeEach(() => {
  service.endpoint.requests.length = 0
})

const post = (model: string, content: string, { isStream, ...more }: { isStream: boolean; tools?: object[] }) =>
  service.post('/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content }],
    stream: isStream,
    ...more,
  })

/** The turn has failed for a reason of the service, and its caller is told so. */
async function expectFailure(response: Response): Promise<void> {
  const body = await response.text()
  expect(body).toContain('SVC-TURN')
  expect(body).not.toContain(trigger)
  const lastTurns = () => service.db.system`select status, error_code from turns order by started_at desc limit 1`
  // The end of a call is recorded behind its answer.
  await expect.poll(lastTurns).toEqual([{ status: 'failed', error_code: 'SVC-TURN' }])
}

const eachWay = [
  { model: 'some-model', isStream: false },
  { model: 'some-model', isStream: true },
  { model: 'clerk', isStream: false },
  { model: 'clerk', isStream: true },
]

test.each(eachWay)('a request that could not be judged reaches no model ($model, streamed: $isStream)', async (way) => {
  await expectFailure(await post(way.model, `Tell me about ${trigger}.`, way))
  expect(service.endpoint.requests).toHaveLength(0)
})

test.each([false, true])('an answer that could not be judged is not shown (streamed: %s)', async (isStream) => {
  service.endpoint.script(answer(`All about ${trigger}.`))
  await expectFailure(await post('clerk', 'Hello', { isStream }))
})

test.each([false, true])(
  'calls for the client that could not be judged are not sent (streamed: %s)',
  async (isStream) => {
    service.endpoint.script(calls({ name: 'show', arguments: { text: trigger } }))
    const tools = [{ type: 'function', function: { name: 'show', parameters: { type: 'object' } } }]
    await expectFailure(await post('clerk', 'Hello', { isStream, tools }))
  },
)

test('a tool result that could not be judged is told to no model', async () => {
  service.endpoint.script(
    // The sub-agent’s answer is judged as the words of a stranger by the agent that asked it.
    calls({ name: 'delegate', arguments: { agent: 'clerk', task: 'Look it up' } }),
    answer(`All about ${trigger}.`),
  )
  await expectFailure(await post('lead', 'Hello', { isStream: false }))
  expect(service.endpoint.requests).toHaveLength(2)
})

test('an interim message that could not be judged is not sent', async () => {
  service.endpoint.script(
    textAndCalls('', { name: 'message_user', arguments: { text: `Soon: ${trigger}` } }),
    answer('Done.'),
  )
  const response = await service.post(
    '/v1/chat/completions',
    { model: 'lead', messages: [{ role: 'user', content: 'Hello' }] },
    { 'x-service-conversation-id': 'new' },
  )
  expect(response.status).toBe(200)
  expect(toolResults(service.endpoint.requests[1])).toEqual(['The tool failed for a reason of the service’s own.'])
  const messages = await service.db.system<{ body: { content: string } }>`select body from messages order by seq`
  expect(messages.map(({ body }) => body.content)).toEqual(['Hello', 'Done.'])
})
