/** A chat from end to end: update, commit, turn, answer, with the bot API and the model as scripted servers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../../support/gateway.ts'
import { completionOf, json, streamOf } from '../../../support/model-endpoint.ts'
import { type BotServer, botServer, botToken, refuse, updateOf } from './support/bot-server.ts'

let server: BotServer
let running: GatewayUnderTest

beforeAll(async () => {
  server = await botServer()
  running = await gatewayUnderTest({ SERVICE_INBOUND_REQUIRE_BINDING: 'false' })
  const made = await running.post('/v1/admin/channels', {
    name: 'chat',
    adapter: 'chatapp',
    config: { api_base: server.url },
    secrets: { bot_token: botToken },
  })
  expect(made.status).toBe(201)
  expect(await made.text()).not.toContain(botToken)
})
afterAll(async () => {
  await running.stop()
  await server.close()
})

function answer(text: string): void {
  running.endpoint.always((call) =>
    call.request.body.stream ? streamOf([text])(call) : json(completionOf(text))(call),
  )
}

const texts = () => server.of('sendMessage').map((call) => call.body.text)

describe('a chat', () => {
  it('is answered where it was asked', async () => {
    answer('Good morning.')
    server.push(updateOf(1, 'hello', { chat: { id: 4_242 } }))
    await expect.poll(texts).toEqual(['Good morning.'])
    expect(server.of('sendMessage')[0]?.body.chat_id).toBe(4_242)
    expect(JSON.stringify(running.endpoint.requests.at(-1)?.body.messages)).toContain('hello')
    await expect.poll(() => server.held).toBe(0)
  })

  it('is answered once where the same message comes in another update', async () => {
    answer('Once.')
    const message = { message_id: 900, chat: { id: 5_000 } }
    server.push(
      updateOf(10, 'twice', message),
      updateOf(11, 'twice', message),
      updateOf(12, 'other', { chat: { id: 5_001 } }),
    )
    await expect.poll(() => texts().filter((text) => text === 'Once.').length).toBe(2)
    await expect.poll(() => server.held).toBe(0)
    const [count] = await running.db.system<{ messages: number }>`
      select count(*)::integer as messages from messages where body->>'content' = 'twice'`
    expect(count?.messages).toBe(1)
  })

  it('of somebody who has blocked the bot ends as undeliverable, and the token is nowhere', async () => {
    answer('Nobody reads this.')
    server.script('sendMessage', refuse(403, `Forbidden: bot was blocked by the user at /bot${botToken}/sendMessage`))
    server.push(updateOf(20, 'bye', { chat: { id: 6_000 } }))
    const attempts = () => running.db.system<{ status: string; reason: string }>`
      select status, reason from deliveries where status = 'undeliverable'`
    await expect.poll(async () => (await attempts()).length).toBe(1)
    expect((await attempts())[0]?.reason).toContain('blocked by the user')
    const events = await running.db.system<object>`select * from events`
    expect(JSON.stringify([await attempts(), events, running.lines])).not.toContain(botToken.split(':')[1])
  })
})
