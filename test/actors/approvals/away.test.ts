/** What is not there when the word comes: a server of tools that is still connecting, a caller who has left, a turn that has ended. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freshAddress } from '../../support/database.ts'
import { httpServer } from '../../tools/mcp/support/http-server.ts'
import { answer, calls, makeAgent, toolResults } from '../turn/support/agents.ts'
import { type Supervised, supervised } from './support/supervised.ts'

let our: Supervised
beforeAll(async () => {
  our = await supervised()
  await makeAgent(our.service, 'clerk', { tools: ['http_request'] })
  await makeAgent(our.service, 'default', { tools: ['http_request', 'message_user'] })
  await our.makeChannel('shop')
})
afterAll(() => our.stop())

test('an approved call of a server that reconnects after a restart is made once the server is there, and only once', async () => {
  const { address, drop } = await freshAddress()
  onTestFinished(drop)
  let isAway = false
  const server = await httpServer((_asked, response) => {
    if (isAway) response.destroy()
    return isAway
  })
  onTestFinished(() => server.close())
  const settings = {
    SERVICE_APPROVAL_TOOLS: 'far__go',
    SERVICE_MCP_SERVERS: JSON.stringify({ mcpServers: { far: { url: server.url } } }),
  }
  const made = () => server.asked.filter(({ message }) => message.method === 'tools/call').length
  const first = await supervised(settings, { address })
  onTestFinished(() => first.stop())
  await first.makeChannel('shop')
  await expect.poll(() => first.service.gateway.port > 0 && server.asked.length).toBeGreaterThan(2)
  first.service.endpoint.script(calls({ name: 'far__go', arguments: {} }))
  const conversation = await first.say('shop', 'anna', 'Go')
  const [approval] = await first.pending()
  await first.turns(conversation, ['waiting'])
  await first.service.stop()

  isAway = true
  const before = server.asked.length
  const second = await supervised(settings, { address, effects: first.effects, receiver: first.receiver })
  onTestFinished(() => second.stop())
  second.service.endpoint.script(answer('Gone.'))
  await second.decide(approval.id, 'approve')
  await second.turns(conversation, ['running'])
  await expect.poll(() => server.asked.length).toBeGreaterThan(before + 1)
  expect(second.service.endpoint.requests).toEqual([])
  isAway = false
  await second.turns(conversation, ['completed'])
  expect(made()).toBe(1)
  expect(toolResults(second.service.endpoint.requests[0])[0]).toContain('fine')
})

test('what an agent wrote before its turn was paused is told to the next turn', async () => {
  our.service.endpoint.requests.length = 0
  our.service.endpoint.script(
    calls({ name: 'message_user', arguments: { text: 'One moment.' } }),
    calls(our.effect('/meanwhile')),
    answer('Ordered.'),
    answer('Welcome.'),
  )
  const conversation = await our.say('shop', 'berta', 'Order it')
  const [approval] = await our.pending()
  await our.turns(conversation, ['waiting'])
  await our.decide(approval.id, 'approve')
  await our.turns(conversation, ['completed'])
  await our.say('shop', 'berta', 'Thanks')
  await our.turns(conversation, ['completed', 'completed'])
  const historyMessages = our.service.endpoint.requests.at(-1)?.body.messages.slice(1)
  expect(historyMessages.map(({ content }: { content: string }) => content)).toEqual([
    ...['Order it', 'One moment.', 'Ordered.', 'Thanks'],
  ])
})

test('a call cannot be approved once its caller has left, and the operator is told so', async () => {
  our.service.endpoint.script(calls(our.effect('/left')))
  const leaving = new AbortController()
  const body = { model: 'clerk', messages: [{ role: 'user', content: 'Order it' }] }
  const call = our.service.post('/v1/chat/completions', body, {}, leaving.signal).catch(() => 'left')
  const [approval] = await our.pending()
  leaving.abort()
  expect(await call).toBe('left')
  const status = async () => {
    const [turn] = await our.service.db.system<{ status: string }>`
      select status from turns where id = ${approval.turn_id.slice('turn_'.length)}::uuid`
    return turn?.status
  }
  await expect.poll(status).toBe('cancelled')
  const decided = await our.decide(approval.id, 'approve')
  expect(decided).toMatchObject({ status: 409, body: { error: { code: 'already_decided' } } })
  expect(decided.body.error.message).toMatch(/withdrawn|cancelled/)
  expect(our.effects.made).not.toContain('/left')
})

test('a stop does not wait for an operator: the caller is told at once, and the next start asks anew', async () => {
  const { address, drop } = await freshAddress()
  onTestFinished(drop)
  // Longer than this test may take.
  const settings = { SERVICE_DRAIN_TIMEOUT_S: '600' }
  const first = await supervised(settings, { address })
  onTestFinished(() => first.stop())
  await makeAgent(first.service, 'clerk', { tools: ['http_request'] })
  const body = { model: 'clerk', messages: [{ role: 'user', content: 'Order it' }] }
  first.service.endpoint.script(calls(first.effect('/whole')), calls(first.effect('/streamed')))
  const whole = first.service.post('/v1/chat/completions', body)
  await first.pending(1)
  const streamed = first.service.post('/v1/chat/completions', { ...body, stream: true })
  const [approval] = await first.pending(2)
  await first.service.stop()
  const refused = await whole
  expect([refused.status, (await refused.json()) as object]).toMatchObject([503, { error: { code: 'interrupted' } }])
  expect(await (await streamed).text()).toMatch(/"code":"interrupted"[\s\S]*data: \[DONE\]/)

  const second = await supervised(settings, { address, effects: first.effects, receiver: first.receiver })
  onTestFinished(() => second.stop())
  expect((await second.decide(approval.id, 'approve')).status).toBe(409)
  second.service.endpoint.script(calls(second.effect('/again')), answer('Ordered.'))
  const again = second.service.post('/v1/chat/completions', body)
  const [anew] = await second.pending(1)
  await second.decide(anew.id, 'approve')
  expect((await again).status).toBe(200)
  expect(first.effects.made).toEqual(['/again'])
})
