/**
 * Two nodes and two workspaces: whoever administers the one learns nothing of the other, at neither node. What is there and
 * another's is answered to the letter as what is nowhere.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { keyDigest, keyHint, newKeyText } from '../../../http/auth/key-text.ts'
import { createApiKey } from '../../../store/api-keys/changes.ts'
import { firstWorkspaceId, newApiKeyId, newWorkspaceId, uuidOf } from '../../../store/id.ts'
import type { Scope } from '../../../store/scopes.ts'
import { ensureWorkspace } from '../../../store/workspaces.ts'
import { readEvents } from '../../http/events/support/sse-reader.ts'
import { freshAddress } from '../../support/database.ts'
import { type GatewayUnderTest, gatewayUnderTest, testKey } from '../../support/gateway.ts'
import { completionOf, json } from '../../support/model-endpoint.ts'
import { absentOf, furtherRequests, type Operation, requestsTo, told } from './support/requests-about.ts'

// biome-ignore lint/suspicious/noExplicitAny: any answer
type Body = any

/** Words that are nowhere but in the first workspace. */
const secrets = ['a secret', 'an answer', 'one of ours', 'login-of-ours', 'hook-of-ours']

let nodes: [GatewayUnderTest, GatewayUnderTest]
let drop: () => Promise<void>
let strangers: string[]
const elsewhere = newWorkspaceId()
/** Of the first workspace, by what they are of. */
const ids: Record<string, string> = {}
/** Of the same forms, and nobody's. */
const nowhere: Record<string, string> = {}

async function ask(
  at: GatewayUnderTest,
  key: string,
  method: string,
  path: string,
  body?: unknown,
  more: Record<string, string> = {},
) {
  const response = await fetch(`${at.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  })
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel()
    return { status: response.status, text: 'a feed', body: {} as Body }
  }
  const text = await response.text()
  let parsed: Body
  try {
    parsed = JSON.parse(text)
  } catch {
    parsed = text
  }
  return { status: response.status, text, body: parsed }
}

const own = async (method: string, path: string, body?: unknown): Promise<Body> => {
  const answer = await ask(nodes[0], testKey, method, path, body)
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.body
}

async function keyWith(scopes: Scope[]): Promise<string> {
  const text = newKeyText()
  await createApiKey(nodes[0].db, {
    ...{
      id: newApiKeyId(),
      workspaceId: elsewhere,
      name: 'theirs',
      kind: 'service',
      scopes,
      rateLimitRpm: null,
      expiresAt: null,
    },
    ...{ hint: keyHint(text), hash: Buffer.from(keyDigest(text), 'hex'), createdBy: 'test' },
  })
  return text
}

beforeAll(async () => {
  const fresh = await freshAddress()
  drop = fresh.drop
  const environment = {
    SERVICE_MASTER_KEY: Buffer.alloc(32, 'f').toString('base64'),
    SERVICE_INBOUND_REQUIRE_BINDING: 'false',
  }
  const one = await gatewayUnderTest(environment, { address: fresh.address })
  nodes = [
    one,
    await gatewayUnderTest({ ...environment, SERVICE_LLM_GATEWAY_URL: one.endpoint.url }, { address: fresh.address }),
  ]
  one.endpoint.always(json(completionOf('an answer')))
  await vi.waitFor(() => expect(nodes.map(({ gateway }) => gateway.stats()['slots'])).toEqual([128, 128]), {
    timeout: 20_000,
  })
  await ensureWorkspace(one.db, elsewhere, 'elsewhere')
  strangers = [await keyWith(['*']), await keyWith(['admin:read', 'admin:write', 'chat', 'operators:write'])]

  const { db } = one
  const said = await one.post(
    '/v1/chat/completions',
    { model: 'm', messages: [{ role: 'user', content: 'a secret' }] },
    { 'x-service-conversation-id': 'new' },
  )
  ids['conversation'] = said.headers.get('x-service-conversation-id') ?? ''
  await said.text()
  const turns = await own('GET', '/v1/admin/turns')
  ids['turn'] = turns.items[0].id
  const messages = await own('GET', `/v1/admin/conversations/messages?id=${ids['conversation']}`)
  ids['message'] = messages.messages[0].id
  ids['answer'] = messages.messages[1].id
  ids['response'] = (await own('POST', '/v1/responses', { model: 'm', input: 'a secret' })).id
  const subscription = await own('POST', '/v1/admin/subscriptions', {
    name: 'ours',
    kind: 'webhook',
    target: 'https://example.com/hook-of-ours',
    event_kinds: ['message.*', 'delivery.*'],
  })
  ids['subscription'] = subscription.id ?? subscription.subscription?.id
  await own('POST', '/v1/admin/channels', {
    name: 'theirs',
    adapter: 'generic',
    config: { url: 'https://example.com/hook-of-ours' },
  })
  ids['channel name'] = 'theirs'
  ids['channel'] = (await own('GET', '/v1/admin/channels/theirs')).id
  await fetch(`${one.url}/v1/inbound/theirs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ external_id: 'anna', text: 'hi' }),
  })
  await vi.waitFor(async () => expect((await own('GET', '/v1/admin/deliveries')).items.length).toBe(1), {
    timeout: 20_000,
  })
  ids['delivery'] = (await own('GET', '/v1/admin/deliveries')).items[0].id
  ids['key'] = (await own('POST', '/v1/admin/apikeys', { name: 'one of ours', scopes: ['chat'] })).id
  ids['agent'] = (await own('POST', '/v1/admin/agents', { name: 'ours', definition: {} })).id
  ids['operator'] = (
    await own('POST', '/v1/admin/operators', {
      login: 'login-of-ours',
      role: 'admin',
      password: 'correct horse battery staple',
    })
  ).id
  const notices = `/v1/admin/subscriptions/deliveries?subscription_id=${ids['subscription']}`
  await vi.waitFor(
    async () => {
      ids['notice'] = (await own('GET', notices)).items[0].id
    },
    { timeout: 20_000 },
  )
  ids['workspace'] = firstWorkspaceId
  ids['audit'] = (await own('GET', '/v1/admin/audit?limit=1')).items[0].id
  const approval = randomUUID()
  await db.system`
    insert into approvals (id, workspace_id, turn_id, path, n, agent, tool, arguments, digest, requested_at, expires_at)
    values (${approval}, ${uuidOf(firstWorkspaceId)}, ${uuidOf(ids['turn'] as never)}, '', 1, 'a', 'pay', '{}', gen_random_uuid(), now(), now() + interval '1 day')`
  ids['approval'] = (await own('GET', '/v1/admin/approvals')).items[0]?.id
  const budget = { subject: 'workspace', period: 'day', unit: 'tokens', soft_limit: 1_000, hard_limit: 2_000 }
  ids['budget'] = (await own('POST', '/v1/admin/budgets/set', budget)).id
  for (const each of Object.keys(ids)) expect(ids[each], each).toBeTypeOf('string')
  for (const [each, id] of Object.entries(ids)) nowhere[each] = absentOf(id)
})
afterAll(async () => {
  for (const node of nodes?.toReversed() ?? []) await node.stop()
  await drop?.()
})

test('answers about what is another workspace’s are those about what is nowhere, and have nothing of it', async () => {
  const { paths } = (await own('GET', '/openapi.json')) as { paths: Record<string, Record<string, Operation>> }
  const wrongs: string[] = []
  const refusedFor404 = new Set<string>()
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  for (const { path, method, operation } of all) {
    if (!path.startsWith('/v1/') || /admin\/auth|client-log|operators$|inbound/.test(path)) continue
    const pairs = [...requestsTo(path, operation, ids)].map(
      (foreign, at) => [foreign, [...requestsTo(path, operation, nowhere)][at]] as const,
    )
    const once = new Map(pairs.map((pair) => [JSON.stringify(pair[0]), pair]))
    for (const [sent, [foreign, absent]] of once) {
      for (const stranger of strangers)
        for (const node of nodes) {
          if (!absent) throw new TypeError('requests come in pairs')
          const one = await ask(node, stranger, method, foreign.path, foreign.body)
          const other = await ask(node, stranger, method, absent.path, absent.body)
          if (one.status === 404) refusedFor404.add(`${method} ${path}`)
          if (one.status === 429 || other.status === 429) continue
          if (told(one, ids) !== told(other, nowhere))
            wrongs.push(`${method} ${sent}: ${told(one, ids).slice(0, 300)} <> ${told(other, nowhere).slice(0, 300)}`)
          for (const secret of secrets)
            if (one.status < 300 && one.text.includes(secret)) wrongs.push(`${method} ${sent} has ${secret}`)
        }
    }
  }
  const elsewhereToo = furtherRequests(nowhere)
  for (const [at, foreign] of furtherRequests(ids).entries())
    for (const node of nodes) {
      const absent = elsewhereToo[at] ?? foreign
      const one = await ask(node, strangers[0] ?? '', foreign.method, foreign.path, foreign.body, foreign.headers)
      const other = await ask(node, strangers[0] ?? '', absent.method, absent.path, absent.body, absent.headers)
      if (told(one, ids) !== told(other, nowhere))
        wrongs.push(`${JSON.stringify(foreign)}: ${told(one, ids)} <> ${told(other, nowhere)}`)
      for (const secret of secrets) if (one.text.includes(secret)) wrongs.push(`${foreign.path} has ${secret}`)
    }
  expect(wrongs).toEqual([])
  expect(refusedFor404.size).toBeGreaterThan(50)
}, 600_000)

test('a feed that goes on from another workspace’s event, at any node, has nothing of it', async () => {
  const of = (at: GatewayUnderTest, key: string, query: string, headers = {}) =>
    readEvents(`${at.url}/v1/events/stream${query}`, { authorization: `Bearer ${key}`, ...headers })
  const ours = await of(nodes[0], testKey, '')
  await ours.untilKind('ready')
  await own('POST', '/v1/admin/agents', { name: 'another', definition: {} })
  const said = () =>
    nodes[1].post(
      '/v1/chat/completions',
      { model: 'm', messages: [{ role: 'user', content: 'a secret' }] },
      { 'x-service-conversation-id': 'new' },
    )
  await (await said()).text()
  await ours.untilKind('turn.completed')
  const cursor = ours.lastId()
  expect(cursor).not.toBe('')
  for (const at of nodes)
    for (const feed of [
      await of(at, strangers[0] ?? '', `?cursor=${cursor}`),
      await of(at, strangers[0] ?? '', '', { 'last-event-id': cursor }),
      await of(at, strangers[0] ?? '', `?conversation_id=${ids['conversation']}`),
    ]) {
      await feed.untilKind('ready')
      await (await said()).text()
      await nodes[0].db.system`insert into events (workspace_id, kind) values (${uuidOf(elsewhere)}, 'test.theirs')`
      if (!feed.response.url.includes('conversation_id')) await feed.untilKind('test.theirs')
      expect(feed.kinds().filter((kind) => kind !== 'ready' && kind !== 'test.theirs')).toEqual([])
      feed.leave()
    }
  ours.leave()
})
