/** An agent's model of the responses style thinks on from call to call within one turn, and nobody else sees what it thought. */
import { expect, onTestFinished, test } from 'vitest'
import { callItem, completed, created, messageItem, responseOf } from '../../models/support/responses.ts'
import { gatewayUnderTest } from '../../support/gateway.ts'
import { events, modelEndpoint } from '../../support/model-endpoint.ts'
import { makeAgent } from './support/agents.ts'

test('the model’s reasoning before a tool call is sent back with the result, and not with the next turn', async () => {
  const endpoint = await modelEndpoint()
  onTestFinished(() => endpoint.close())
  const service = await gatewayUnderTest({
    SERVICE_LLM_GATEWAY_URL: '',
    SERVICE_NATIVE_API: 'responses',
    SERVICE_NATIVE_API_KEY: 'sk-native',
    SERVICE_NATIVE_BASE_URL: endpoint.url,
  })
  onTestFinished(() => service.stop())
  await makeAgent(service, 'clerk', { tools: ['time_now'] })
  const thought = { type: 'reasoning', id: 'r1', summary: [], encrypted_content: 'sealed' }
  const responseStream = (...output: Record<string, unknown>[]) => events(created, completed(responseOf(output)))
  endpoint.script(
    responseStream(thought, callItem('a', 'time_now', '{}')),
    responseStream(messageItem('Late.')),
    responseStream(messageItem('Bye.')),
  )
  const post = async (text: string, conversation: string): Promise<Response> => {
    const body = { model: 'clerk', stream: true, messages: [{ role: 'user', content: text }] }
    return await service.post('/v1/chat/completions', body, { 'x-service-conversation-id': conversation })
  }
  const first = await post('The time?', 'new')
  expect(await first.text()).not.toMatch(/sealed|reasoning/)
  await (await post('Thanks', first.headers.get('x-service-conversation-id') ?? '')).text()
  const [, second, third] = endpoint.requests
  expect(second?.body.input.map(({ type }: { type: string }) => type)).toEqual([
    ...['message', 'reasoning', 'function_call', 'function_call_output'],
  ])
  expect(second?.body.input[1]).toEqual(thought)
  expect(JSON.stringify(third?.body.input)).not.toContain('sealed')
})
