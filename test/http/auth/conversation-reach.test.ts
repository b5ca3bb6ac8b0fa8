/** Whose conversations a caller reaches: a person's key and a role `user` their own only, by every way there is. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '../../../http/auth/permissions.ts'
import { type GatewayUnderTest, gatewayUnderTest, testKey } from '../../support/gateway.ts'
import { firstOwner, letIn, type Person, withKey } from '../admin/support/people.ts'
import { chatSocket } from '../web-chat/support/chat-socket.ts'

let service: GatewayUnderTest
let owner: Person
beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_MODERATION: 'off' })
  owner = await firstOwner(service)
})
afterAll(() => service?.stop())

interface WithKey extends Person {
  key: string
}

let people = 0
async function person(role: Role): Promise<WithKey> {
  const one = role === 'owner' ? owner : await letIn(service, owner, role, `${role}-${++people}`)
  const made = await one.browser.post('/v1/admin/own-keys', { name: 'phone' })
  return { ...one, key: String(made.body['key']) }
}

const say = { model: 'm', messages: [{ role: 'user', content: 'hi' }] }
const inConversation = (id: string) => ({ ...say, metadata: { conversation_id: id } })

async function begun(key: string): Promise<string> {
  const answer = await fetch(`${service.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(inConversation('new')),
  })
  expect(answer.status).toBe(200)
  return String(answer.headers.get('x-service-conversation-id'))
}

async function responded(key: string, more: object = {}): Promise<{ id: string; item: string }> {
  const { status, body } = await withKey(service, key, '/v1/responses', { model: 'm', input: 'hi', ...more })
  expect(status, JSON.stringify(body)).toBe(200)
  return { id: String(body['id']), item: String((body['output'] as { id: string }[])[0]?.id) }
}

const removed = async (key: string, id: string) =>
  (
    await fetch(`${service.url}/v1/responses/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key}` },
    })
  ).status

/** Each way into a conversation and a response of it; the status of each. */
async function ways(key: string, conversation: string, response: { id: string; item: string }) {
  const status = async (path: string, body?: object) => {
    const answer = await fetch(`${service.url}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    await answer.body?.cancel()
    return answer.status
  }
  const reference = { type: 'item_reference', id: response.item }
  return {
    chat: await status('/v1/chat/completions', inConversation(conversation)),
    streamedChat: await status('/v1/chat/completions', { ...inConversation(conversation), stream: true }),
    feed: await status(`/v1/web/stream?conversation_id=${conversation}`),
    ticket: await status('/v1/web/tickets', { conversation_id: conversation }),
    retrieve: await status(`/v1/responses/${response.id}`),
    replay: await status(`/v1/responses/${response.id}?stream=true`),
    items: await status(`/v1/responses/${response.id}/input_items`),
    cancel: await status(`/v1/responses/${response.id}/cancel`, {}),
    goOn: await status('/v1/responses', { model: 'm', input: 'and?', previous_response_id: response.id }),
    goOnUnstored: await status('/v1/responses', {
      ...{ model: 'm', input: 'and?', previous_response_id: response.id, store: false },
    }),
    refer: await status('/v1/responses', { model: 'm', input: [reference, { role: 'user', content: 'and?' }] }),
  }
}

const allOpen = {
  ...{ chat: 200, streamedChat: 200, feed: 200, ticket: 201, retrieve: 200, replay: 200, items: 200 },
  // Only one in the background can be cancelled.
  ...{ cancel: 400, goOn: 200, goOnUnstored: 200, refer: 200 },
}
const noneOpen = {
  ...{ chat: 404, streamedChat: 404, feed: 404, ticket: 404, retrieve: 404, replay: 404, items: 404 },
  ...{ cancel: 404, goOn: 404, goOnUnstored: 404, refer: 400 },
}

describe.each(['user', 'operator', 'admin', 'owner'] as const)('a personal key of role %s', (role) => {
  test('opens what its person began, and nothing of others', async () => {
    const [one, other] = [await person(role), await person('user')]
    const own = await begun(one.key)
    const ownResponse = await responded(one.key)
    expect(await ways(one.key, own, ownResponse)).toEqual(allOpen)
    const foreign = await begun(other.key)
    const foreignResponse = await responded(other.key)
    expect(await ways(one.key, foreign, foreignResponse)).toEqual(noneOpen)
    expect(await removed(one.key, foreignResponse.id)).toBe(404)
    // Neither what a program began.
    expect(await ways(one.key, await begun(testKey), await responded(testKey))).toEqual(noneOpen)
    // Another key of the same person opens the same.
    const second = await one.browser.post('/v1/admin/own-keys', { name: 'laptop' })
    expect(await ways(String(second.body['key']), own, ownResponse)).toEqual(allOpen)
    expect(await removed(one.key, ownResponse.id)).toBe(200)
  })
})

test('a key of a service opens all of its workspace', async () => {
  const { key } = await person('user')
  expect(await ways(testKey, await begun(key), await responded(key))).toEqual(allOpen)
})

test('a session whose role may not read the others’ conversations chats into its own only', async () => {
  const user = await person('user')
  const own = await begun(user.key)
  const foreign = await begun(testKey)
  const into = async (one: Person, id: string) =>
    (await one.browser.post('/v1/chat/completions', inConversation(id))).status
  expect([await into(user, own), await into(user, foreign)]).toEqual([200, 404])
  expect([await into(await person('operator'), own), await into(owner, foreign)]).toEqual([200, 200])
})

test('what is begun with a ticket is its maker’s, and a fork stays its first owner’s', async () => {
  const [one, other] = [await person('user'), await person('user')]
  const made = await withKey(service, one.key, '/v1/web/tickets', {})
  const { ticket, conversation_id: id } = made.body as { ticket: string; conversation_id: string }
  const socket = await chatSocket(service.url, { ticket })
  socket.send({ type: 'send', id: '1', text: 'hi' })
  await socket.untilKind('turn.completed')
  await socket.leave()
  const chat = async (key: string, conversation: string) =>
    (await withKey(service, key, '/v1/chat/completions', inConversation(conversation))).status
  expect([await chat(one.key, id), await chat(other.key, id)]).toEqual([200, 404])
  const fork = await owner.browser.post('/v1/admin/conversations/fork', { conversation_id: id })
  expect(fork.status, JSON.stringify(fork.body)).toBe(200)
  const copy = String(fork.body['conversation_id'])
  expect([await chat(one.key, copy), await chat(other.key, copy)]).toEqual([200, 404])
})

test('a refusal does not tell a conversation that is not theirs from one that is not there', async () => {
  const user = await person('user')
  const answers = []
  for (const id of [await begun(testKey), `conv_${'0'.repeat(32)}`]) {
    const chat = await withKey(service, user.key, '/v1/chat/completions', inConversation(id))
    const ticket = await withKey(service, user.key, '/v1/web/tickets', { conversation_id: id })
    answers.push([chat, ticket].map(({ status, body }) => ({ status, error: body['error'] })))
  }
  expect(JSON.stringify(answers[0]).replaceAll(/req_\w+/g, '')).toBe(
    JSON.stringify(answers[1]).replaceAll(/req_\w+/g, ''),
  )
})
