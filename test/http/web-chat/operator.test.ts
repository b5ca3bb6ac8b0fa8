/** An operator's session and web chats: what the role says, and no way around it by a ticket. */
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
