/** An operator's session and web chats: what the role says, and no way around it by a ticket or from another page. */
import { request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { type Browser, browser } from '../admin/auth/support/browser.ts'

let service: GatewayUnderTest
let owner: Browser
let user: Browser
const password = 'correct horse battery'

beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_MODERATION: 'off' })
  owner = browser(service)
  user = browser(service)
  await owner.post('/v1/admin/auth/setup', { code: service.gateway.setupCode ?? '', login: 'ada', password })
  await owner.post('/v1/admin/operators', { login: 'ulf', role: 'user', password })
  await user.signIn('ulf', password)
})
afterAll(() => service.stop())

it('a user gets tickets for conversations of their own making, and none for those of others', async () => {
  const chat = { model: 'demo', messages: [{ role: 'user', content: 'Hello!' }] }
  const made = await owner.post('/v1/chat/completions', chat, { 'x-service-conversation-id': 'new' })
  const conversation_id = made.headers.get('x-service-conversation-id')
  expect(made.status).toBe(200)
  expect((await owner.post('/v1/web/tickets', { conversation_id })).status).toBe(201)
  expect(await user.post('/v1/web/tickets', { conversation_id })).toMatchObject({
    status: 403,
    body: { error: { code: 'forbidden' } },
  })
  expect((await user.post('/v1/web/tickets', {})).status).toBe(201)
  expect((await user.get(`/v1/web/stream?conversation_id=${String(conversation_id)}`)).status).toBe(403)
})

it('a socket by a session is opened for pages of ours only', async () => {
  const chat = { model: 'demo', messages: [{ role: 'user', content: 'Hello!' }] }
  const made = await owner.post('/v1/chat/completions', chat, { 'x-service-conversation-id': 'new' })
  const path = `/v1/web/ws?conversation_id=${made.headers.get('x-service-conversation-id')}`
  for (const origin of ['https://evil.example.com', 'http://127.0.0.1:1', 'null', ''])
    expect(await statusOfUpgrade(path, origin), origin).toBe(403)
  expect(await statusOfUpgrade(path, owner.uiOrigin)).toBe(101)
})

function statusOfUpgrade(path: string, origin: string): Promise<number | undefined> {
  const { resolve, reject, promise } = Promise.withResolvers<number | undefined>()
  const headers = {
    ...{ connection: 'Upgrade', upgrade: 'websocket', cookie: owner.cookie, ...(origin !== '' && { origin }) },
    ...{ 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' },
  }
  request(`${service.url}${path}`, { headers })
    .on('response', (response) => resolve(response.resume().statusCode))
    .on('upgrade', (response, socket) => {
      socket.destroy()
      resolve(response.statusCode)
    })
    .on('error', reject)
    .end()
  return promise
}
