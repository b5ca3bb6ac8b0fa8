/** Streams and sockets that are open when their credential ends: they end too, within moments, and those of others go on. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest, testKey } from '../../support/gateway.ts'
import { firstOwner, letIn, type Person } from '../admin/support/people.ts'
import { chatSocket } from '../web-chat/support/chat-socket.ts'
import { readEvents, type SseReader } from './support/sse-reader.ts'

let service: GatewayUnderTest
let owner: Person
let others: SseReader

beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_MODERATION: 'off' })
  owner = await firstOwner(service)
  others = await readEvents(`${service.url}/v1/events/stream`, { authorization: `Bearer ${testKey}` })
})
afterAll(async () => {
  others.leave()
  await service.stop()
})

async function opened(headers: Record<string, string>, path = '/v1/events/stream'): Promise<SseReader> {
  const reader = await readEvents(`${service.url}${path}`, headers)
  expect(reader.response.status).toBe(200)
  if (path.startsWith('/v1/events')) await reader.untilKind('ready')
  return reader
}

const streamOf = ({ browser }: Person) => opened({ cookie: browser.cookie })

async function over(reader: SseReader): Promise<void> {
  await reader.until(() => reader.isOver, 'the end of the stream')
  expect(others.isOver).toBe(false)
}

async function freshKey(...scopes: string[]): Promise<{ id: string; bearer: string }> {
  const made = await service.post('/v1/admin/apikeys', { name: 'a', scopes })
  const { id, key } = (await made.json()) as { id: string; key: string }
  return { id, bearer: `Bearer ${key}` }
}

it('a revoked key takes its streams with it, events and log alike', async () => {
  const { id, bearer } = await freshKey('admin:read')
  const readers = [
    await opened({ authorization: bearer }),
    await opened({ authorization: bearer }, '/v1/admin/log/stream'),
  ]
  await service.post('/v1/admin/apikeys/revoke', { id })
  for (const reader of readers) await over(reader)
})

it('a revoked key takes its WebSockets with it', async () => {
  const { id, bearer } = await freshKey('chat')
  const conversation = await conversationOf(bearer)
  const address = `${service.url.replace('http', 'ws')}/v1/web/ws?conversation_id=${conversation}`
  const socket = new WebSocket(address, { headers: { authorization: bearer } } as never)
  const ended = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason })),
  )
  const heard = await Promise.race([
    new Promise<string>((resolve) => socket.addEventListener('message', ({ data }) => resolve(String(data)))),
    ended.then(({ code }) => `closed: ${code}`),
  ])
  expect(heard).toContain('"kind":"ready"')
  await service.post('/v1/admin/apikeys/revoke', { id })
  expect(await ended).toEqual({ code: 1008, reason: 'the credential has ended' })
})

it('an operator who signs out ends the streams of that session only', async () => {
  const clerk = await letIn(service, owner, 'operator', 'clerk')
  const reader = await streamOf(clerk)
  const owners = await streamOf(owner)
  await clerk.browser.post('/v1/admin/auth/logout', undefined)
  await over(reader)
  expect(owners.isOver).toBe(false)
  owners.leave()
})

it('an operator who is disabled, or whose role may no longer follow, is cut off', async () => {
  const [first, second] = [
    await letIn(service, owner, 'operator', 'one'),
    await letIn(service, owner, 'operator', 'two'),
  ]
  const readers = [await streamOf(first), await streamOf(second)]
  const update = '/v1/admin/operators/update'
  expect((await owner.browser.post(update, { operator_id: first.id, is_disabled: true })).status).toBe(200)
  expect((await owner.browser.post(update, { operator_id: second.id, role: 'user' })).status).toBe(200)
  for (const reader of readers) await over(reader)
})

it('a stream whose operator gets another name or another role that may follow goes on', async () => {
  const clerk = await letIn(service, owner, 'operator', 'three')
  const reader = await streamOf(clerk)
  const leaving = await letIn(service, owner, 'operator', 'four')
  const lost = await streamOf(leaving)
  const update = '/v1/admin/operators/update'
  await owner.browser.post(update, { operator_id: clerk.id, role: 'auditor', name: 'Cleo' })
  await owner.browser.post('/v1/admin/operators/delete', { operator_id: leaving.id })
  await over(lost)
  expect(reader.isOver).toBe(false)
  reader.leave()
})

async function conversationOf(bearer: string): Promise<string> {
  const made = await fetch(`${service.url}/v1/web/tickets`, {
    method: 'POST',
    headers: { authorization: bearer, 'content-type': 'application/json' },
    body: '{}',
  })
  const { ticket, conversation_id: id } = (await made.json()) as { ticket: string; conversation_id: string }
  const client = await chatSocket(service.url, { ticket })
  client.send({ type: 'send', id: '1', text: 'hello' })
  expect(await client.answerTo('1')).toMatchObject({ kind: 'ok' })
  await client.leave()
  return id
}
