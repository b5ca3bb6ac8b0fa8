/** Tickets end with what made them, and so does what they have opened: a revoked key leaves no way in behind it. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest, testKey } from '../../support/gateway.ts'
import { firstOwner, letIn, type Person, withKey } from '../admin/support/people.ts'
import { readEvents, type SseReader } from '../events/support/sse-reader.ts'
import { type ChatClient, chatSocket } from './support/chat-socket.ts'

let service: GatewayUnderTest
let owner: Person
/** Opened by the ticket of a key that nobody touches. */
let others: Opened

beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_MODERATION: 'off' })
  owner = await firstOwner(service)
  others = await open(await ticketByKey(testKey))
})
afterAll(async () => {
  others.feed.leave()
  await service.stop()
})

interface Opened {
  ticket: string
  feed: SseReader
  chat: ChatClient
}

async function open(ticket: string): Promise<Opened> {
  const feed = await readEvents(`${service.url}/v1/web/stream?ticket=${ticket}`)
  expect(feed.response.status).toBe(200)
  return { ticket, feed, chat: await chatSocket(service.url, { ticket }) }
}

async function opened(ticket: string): Promise<Opened> {
  const held = await open(ticket)
  await Promise.all([held.feed.untilKind('ready'), held.chat.untilKind('ready')])
  return held
}

async function ticketByKey(key: string): Promise<string> {
  const made = await withKey(service, key, '/v1/web/tickets', {})
  expect(made.status).toBe(201)
  return String(made.body['ticket'])
}

async function ticketBy({ browser }: Person, conversation_id = 'new'): Promise<string> {
  const made = await browser.post('/v1/web/tickets', { conversation_id })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return String(made.body['ticket'])
}

async function freshKey(): Promise<{ id: string; key: string }> {
  const made = await service.post('/v1/admin/apikeys', { name: 'a', scopes: ['chat'] })
  return (await made.json()) as { id: string; key: string }
}

async function isRefused(ticket: string): Promise<void> {
  const feed = await readEvents(`${service.url}/v1/web/stream?ticket=${ticket}`)
  feed.leave()
  expect(feed.response.status).toBe(401)
  await expect(chatSocket(service.url, { ticket })).rejects.toThrow('the socket was not opened')
}

async function over({ ticket, feed, chat }: Opened): Promise<void> {
  await feed.until(() => feed.isOver, 'the end of the feed')
  await chat.until(() => chat.closed !== undefined, 'the close of the socket')
  expect(chat.closed).toEqual({ code: 1008, reason: 'the credential has ended' })
  await isRefused(ticket)
  goesOn(others)
}

function goesOn({ feed, chat }: Opened): void {
  expect([feed.isOver, chat.closed]).toEqual([false, undefined])
}

it('a ticket of a revoked key opens nothing from the answer to the revocation on', async () => {
  const { id, key } = await freshKey()
  const ticket = await ticketByKey(key)
  expect((await service.post('/v1/admin/apikeys/revoke', { id })).status).toBe(200)
  await isRefused(ticket)
})

it('feeds and sockets that a ticket has opened end with the key that made it', async () => {
  const { id, key } = await freshKey()
  const held = await opened(await ticketByKey(key))
  await service.post('/v1/admin/apikeys/revoke', { id })
  await over(held)
})

it('and with the owner of the personal key that made it', async () => {
  const user = await letIn(service, owner, 'user', 'user')
  const { key } = (await user.browser.post('/v1/admin/own-keys', { name: 'phone' })).body
  const held = await opened(await ticketByKey(String(key)))
  await owner.browser.post('/v1/admin/operators/delete', { operator_id: user.id })
  await over(held)
})

it('and with the session that made it', async () => {
  const clerk = await letIn(service, owner, 'operator', 'clerk')
  const held = await opened(await ticketBy(clerk))
  await clerk.browser.post('/v1/admin/auth/logout', undefined)
  await over(held)
})

it('and when its operator is disabled', async () => {
  const clerk = await letIn(service, owner, 'operator', 'disabled')
  const held = await opened(await ticketBy(clerk))
  await owner.browser.post('/v1/admin/operators/update', { operator_id: clerk.id, is_disabled: true })
  await over(held)
})

it('a role that may still chat keeps tickets for new conversations, and loses those for conversations that were there', async () => {
  const chat = { model: 'demo', messages: [{ role: 'user', content: 'Hello!' }] }
  const said = await service.post('/v1/chat/completions', chat, { 'x-service-conversation-id': 'new' })
  const clerk = await letIn(service, owner, 'operator', 'demoted')
  const own = await opened(await ticketBy(clerk))
  const known = await opened(await ticketBy(clerk, said.headers.get('x-service-conversation-id') ?? ''))
  await owner.browser.post('/v1/admin/operators/update', { operator_id: clerk.id, role: 'user' })
  await over(known)
  goesOn(own)
  await owner.browser.post('/v1/admin/operators/update', { operator_id: clerk.id, role: 'auditor' })
  await over(own)
})
