/** Webhooks of messengers over two nodes: whichever a post comes to, it is taken. */
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../bench/process/free-port.ts'
import { botServer, botToken, updateOf } from '../../actors/channel/chatapp/support/bot-server.ts'
import { freshAddress } from '../../support/database.ts'
import { gatewayUnderTest, testKey } from '../../support/gateway.ts'
import { busBetween } from '../../support/lossy-bus.ts'
import { completionOf, json } from '../../support/model-endpoint.ts'

test('a post is taken at each node, by the same secret, and answered; at neither once the channel is off', async () => {
  const { address, drop } = await freshAddress()
  onTestFinished(drop)
  const bots = await botServer()
  onTestFinished(() => bots.close())
  const between = busBetween()
  const ports: number[] = []
  async function start(more: Record<string, string> = {}) {
    const port = await freePort()
    ports.push(port)
    const environment = {
      SERVICE_MASTER_KEY: Buffer.alloc(32, 'n').toString('base64'),
      SERVICE_INBOUND_REQUIRE_BINDING: 'false',
      CHATAPP_PUBLIC_URL: 'https://bots.example.com',
      SERVICE_CHATAPP_CONNECTOR_PORT: String(port),
    }
    const node = await gatewayUnderTest({ ...environment, ...more }, { address, bus: (epoch) => between.of(epoch) })
    onTestFinished(() => node.stop())
    return node
  }
  const one = await start()
  const other = await start({ SERVICE_LLM_GATEWAY_URL: one.endpoint.url })
  one.endpoint.always((call) => json(completionOf('Good morning.'))(call))
  const made = await one.post('/v1/admin/channels', {
    ...{ name: 'bot', adapter: 'chatapp', secrets: { bot_token: botToken }, config: { api_base: bots.url } },
  })
  expect(made.status).toBe(201)
  await expect.poll(() => bots.of('setWebhook').length).toBe(1)
  const [told] = bots.of('setWebhook')
  const path = String(told?.body.url).replace('https://bots.example.com', '')
  const post = async (port: number, update: object, secret = String(told?.body.secret_token)) => {
    const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret }
    const body = JSON.stringify(update)
    return (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body }).catch(() => undefined))
      ?.status
  }
  for (const [at, port] of ports.entries()) {
    const update = updateOf(at, 'hello', { chat: { id: 100 + at } })
    await expect.poll(() => post(port, update)).toBe(200)
    // Posted again, to whichever, it is the same one.
    for (const again of ports) expect(await post(again, update)).toBe(200)
    expect(await post(port, updateOf(9, 'hello'), 'x'.repeat(43))).toBe(401)
  }
  const answered = () => bots.of('sendMessage').map(({ body }) => body.chat_id)
  await expect.poll(() => answered().sort()).toEqual([100, 101])
  await fetch(`${other.url}/v1/admin/channels/bot`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ is_enabled: false }),
  })
  for (const port of ports) await expect.poll(() => post(port, updateOf(10, 'hello'))).toBe(401)
  expect(answered()).toHaveLength(2)
})
