/** Creating and changing channels: what is refused, what is shown, and what the audit log has of it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest, testKey } from '../../support/gateway.ts'

let running: GatewayUnderTest
const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`

beforeAll(async () => {
  running = await gatewayUnderTest()
})
afterAll(() => running.stop())

async function send(method: string, path: string, body?: unknown) {
  const answer = await fetch(`${running.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: whatever the answer holds
  return { status: answer.status, body: (await answer.json()) as any }
}

const made = (name: string, more: object = {}) =>
  send('POST', '/v1/admin/channels', { name, adapter: 'generic', ...more })

interface AuditEntry {
  action: string
  target: string
  detail: unknown
  before_digest: string | null
  after_digest: string | null
}

async function audited(target: string) {
  const { body } = await send('GET', '/v1/admin/audit?limit=200')
  return (body.items as AuditEntry[]).filter((entry) => entry.target === target)
}

test('a new channel is shown with its whole policy, and its secrets only by name', async () => {
  const answer = await made('one', {
    config: { url: 'https://example.com/answers' },
    secrets: { signing_secret: secret },
    policy: { turns_max: 3 },
  })
  expect(answer.status).toBe(201)
  expect(answer.body).toMatchObject({
    name: 'one',
    adapter: 'generic',
    secrets: ['signing_secret'],
    is_enabled: true,
    is_paused: false,
    policy: { turns_max: 3, backlog_max: 10_000 },
    config: { url: 'https://example.com/answers' },
  })
  const stored = await running.db.system<object>`select * from channels`
  const log = await running.db.system<object>`select * from audit_log`
  expect(JSON.stringify([answer.body, stored, log, running.lines])).not.toContain(secret.slice(6))
  // The connection changes meanwhile.
  const { connection: _then, ...created } = answer.body
  const { connection: _now, ...read } = (await send('GET', '/v1/admin/channels/one')).body
  expect(read).toEqual(created)
})

test.each([
  ['name', { name: 'Big Letters' }],
  ['adapter', { name: 'x', adapter: 'pigeon' }],
  ['config.url', { name: 'x', config: { url: 'ftp://example.com' } }],
  ['config', { name: 'x', config: { uri: 'https://example.com' } }],
  ['policy.turns_max', { name: 'x', policy: { turns_max: 0 } }],
  ['policy', { name: 'x', policy: { turnsmax: 1 } }],
  ['secrets.signing_secret', { name: 'x', secrets: { signing_secret: 'short-secret-text' } }],
])('an invalid field is refused with its name: %s', async (param, body) => {
  const answer = await send('POST', '/v1/admin/channels', { adapter: 'generic', ...body })
  expect([answer.status, answer.body.error.param]).toEqual([400, param])
  expect(JSON.stringify(answer.body)).not.toContain('short-secret-text')
})

test('a taken name is refused, and not audited', async () => {
  expect((await made('taken')).status).toBe(201)
  const again = await made('taken')
  expect([again.status, again.body.error.code]).toEqual([409, 'channel_name_taken'])
  expect(await audited('taken')).toHaveLength(1)
})

test('a change keeps the fields that it leaves out, and the audit log shows that something changed', async () => {
  await made('two', {
    config: { url: 'https://example.com/a' },
    policy: { turns_max: 3 },
    secrets: { signing_secret: secret },
  })
  const changed = await send('PATCH', '/v1/admin/channels/two', { policy: { answers: 'together' }, is_paused: true })
  expect(changed.status).toBe(200)
  expect(changed.body).toMatchObject({
    policy: { turns_max: 3, answers: 'together' },
    config: { url: 'https://example.com/a' },
    is_paused: true,
    secrets: ['signing_secret'],
  })
  await send('PATCH', '/v1/admin/channels/two', { secrets: { signing_secret: null } })
  expect((await send('GET', '/v1/admin/channels/two')).body.secrets).toEqual([])
  const [removed, paused, creation] = await audited('two')
  expect([removed?.action, paused?.action, creation?.action]).toEqual([
    'channel.change',
    'channel.change',
    'channel.create',
  ])
  expect(creation?.before_digest).toBeNull()
  for (const entry of [removed, paused]) expect(entry?.before_digest).not.toBe(entry?.after_digest)
})

test('the audit summary of a change has names and switches, and neither values of the configuration nor secrets', async () => {
  await made('summarised', {
    config: { url: 'https://name:pass-word@example.com/a' },
    secrets: { signing_secret: secret },
  })
  await send('PATCH', '/v1/admin/channels/summarised', {
    config: {},
    secrets: { signing_secret: null },
    is_paused: true,
  })
  const [change, creation] = await audited('summarised')
  const created = { config: ['url'], secrets: ['signing_secret'], isEnabled: true, isPaused: false }
  expect(creation?.detail).toEqual({
    before: null,
    after: { adapter: 'generic', ...created, changedSecrets: ['signing_secret'] },
  })
  expect(change?.detail).toEqual({
    before: { ...created, changedSecrets: [] },
    after: { config: [], secrets: [], isEnabled: true, isPaused: true, changedSecrets: ['signing_secret'] },
  })
  expect(JSON.stringify([change, creation])).not.toContain('pass-word')
})

test('a rotated secret has another digest in the audit log, which is not computed from it', async () => {
  const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
  await made('three', { secrets: { signing_secret: secret } })
  await made('four', { secrets: { signing_secret: other } })
  await send('PATCH', '/v1/admin/channels/three', { secrets: { signing_secret: other } })
  const [rotated, creation] = await audited('three')
  expect(rotated?.before_digest).not.toBe(rotated?.after_digest)
  expect(creation?.after_digest).toBe((await audited('four'))[0]?.after_digest)
})

test('senders are bound, rebound and unbound, listed in pages, and each change is audited', async () => {
  const { body: channel } = await made('bound')
  const path = '/v1/admin/channels/bound/bindings'
  for (const sender of ['anna', 'bert', 'carl'])
    expect((await send('POST', path, { external_id: sender })).status).toBe(200)
  await send('POST', path, { external_id: 'bert', role: 'guest', name: 'Bert' })
  const first = (await send('GET', `${path}?limit=2`)).body
  expect(first.items.map((row: { external_id: string; role: string }) => [row.external_id, row.role])).toEqual([
    ['anna', 'user'],
    ['bert', 'guest'],
  ])
  const second = (await send('GET', `${path}?limit=2&cursor=${first.next_cursor}`)).body
  expect([second.items.length, second.next_cursor]).toEqual([1, null])
  expect((await send('DELETE', `${path}/bert`)).status).toBe(200)
  expect((await send('DELETE', `${path}/bert`)).status).toBe(404)
  const entries = await audited(`${channel.id}/bert`)
  expect(entries.map(({ action }) => action)).toEqual(['channel.unbind', 'channel.bind', 'channel.bind'])
  expect(entries[2]?.before_digest).toBeNull()
  expect(entries[1]?.before_digest).toBe(entries[2]?.after_digest)
  expect(entries[0]?.before_digest).toBe(entries[1]?.after_digest)
})

test('a deleted channel is gone, with an entry in the audit log; its name is free', async () => {
  await made('gone', { secrets: { signing_secret: secret } })
  await send('POST', '/v1/admin/channels/gone/bindings', { external_id: 'anna' })
  const deleted = await send('DELETE', '/v1/admin/channels/gone')
  expect([deleted.status, deleted.body]).toEqual([200, { ok: true, cancelled: { turns: 0, deliveries: 0 } }])
  expect((await send('GET', '/v1/admin/channels/gone')).status).toBe(404)
  expect((await send('POST', '/v1/inbound/gone', { external_id: 'anna', text: 'hello' })).status).toBe(404)
  expect((await send('DELETE', '/v1/admin/channels/gone')).status).toBe(404)
  const [entry, ...earlier] = await audited('gone')
  expect([entry?.action, earlier.length]).toEqual(['channel.delete', 1])
  expect(entry?.detail).toEqual({
    before: { adapter: 'generic' },
    after: { cancelled: { turns: 0, deliveries: 0 } },
  })
  expect((await made('gone')).status).toBe(201)
  expect((await send('GET', '/v1/admin/channels/gone/bindings')).body.items).toEqual([])
})

test('the built-in channel cannot be deleted, and one that cannot be read can', async () => {
  const builtIn = await send('DELETE', '/v1/admin/channels/generic')
  expect([builtIn.status, builtIn.body.error.code]).toEqual([409, 'channel_built_in'])
  await made('unreadable')
  await running.db.system`update channels set adapter = 'pigeon', updated_at = now() where name = 'unreadable'`
  await send('POST', '/v1/admin/channels', { name: 'any', adapter: 'generic' })
  expect((await send('GET', '/v1/admin/channels/unreadable')).status).toBe(404)
  expect((await send('DELETE', '/v1/admin/channels/unreadable')).status).toBe(200)
})

test('an unknown channel cannot be read, changed or bound to', async () => {
  expect((await send('GET', '/v1/admin/channels/nowhere')).status).toBe(404)
  expect((await send('PATCH', '/v1/admin/channels/nowhere', { is_paused: true })).status).toBe(404)
  expect((await send('POST', '/v1/admin/channels/nowhere/bindings', { external_id: 'a' })).status).toBe(404)
})

test('creating and revoking keys is audited, without their text', async () => {
  const { body: key } = await send('POST', '/v1/admin/apikeys', { name: 'for the shop' })
  expect((await send('POST', '/v1/admin/apikeys/revoke', { id: key.id })).status).toBe(200)
  expect((await send('POST', '/v1/admin/apikeys/revoke', { id: key.id })).status).toBe(404)
  expect((await audited(key.id)).map(({ action }) => action)).toEqual(['api_key.revoke', 'api_key.create'])
  const log = await running.db.system<object>`select * from audit_log`
  expect(JSON.stringify(log)).not.toContain(key.key)
})

test('the kinds of channel are listed with the fields of their forms', async () => {
  const { status, body } = await send('GET', '/v1/admin/channel-adapters')
  expect(status).toBe(200)
  expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['chatapp', 'email', 'generic'])
  expect(body.items[2]).toMatchObject({
    title: { en: 'Any application', ru: 'Любое приложение' },
    fields: [{ path: 'url', kind: 'text', is_required: false }],
    secrets: [{ name: 'signing_secret', is_generated: true }],
  })
})

test('the list is narrowed by name or agent, kind and state', async () => {
  await made('narrow-one', { policy: { agent: 'Clerk' } })
  await made('narrow-two', { is_paused: true })
  const chat = { adapter: 'chatapp', is_enabled: false, secrets: { bot_token: `1234:${'t'.repeat(32)}` } }
  await made('narrow-three', chat)
  const names = async (query: string) => {
    const { status, body } = await send('GET', `/v1/admin/channels?${query}`)
    expect(status).toBe(200)
    expect(body.total).toBe(body.items.length)
    return body.items.map(({ name }: { name: string }) => name)
  }
  expect(await names('q=NARROW')).toEqual(['narrow-one', 'narrow-three', 'narrow-two'])
  expect(await names('q=clerk')).toEqual(['narrow-one'])
  expect(await names('q=narrow&state=paused')).toEqual(['narrow-two'])
  expect(await names('q=narrow&state=on')).toEqual(['narrow-one'])
  expect(await names('q=narrow&state=off')).toEqual(['narrow-three'])
  expect(await names('q=narrow&adapter=generic')).toEqual(['narrow-one', 'narrow-two'])
  expect(await names('q=no%25such')).toEqual([])
  expect((await send('GET', '/v1/admin/channels?state=gone')).status).toBe(400)
})

test('what another node has just written is there before the notice of it has come, and a change does not take it back', async () => {
  const { db } = running
  const stored = (name: string) => db.system`
    insert into channels (id, workspace_id, name, adapter, config)
    select gen_random_uuid(), workspace_id, ${name}, adapter, config from channels where name = 'generic'`
  await stored('elsewhere')
  expect((await send('GET', '/v1/admin/channels/elsewhere')).status).toBe(200)
  await db.system`
    update channels set config = '{"policy": {"turns_max": 7}}', is_paused = true, updated_at = now() where name = 'elsewhere'`
  const changed = await send('PATCH', '/v1/admin/channels/elsewhere', { policy: { rate_per_s: 3 } })
  expect(changed.body).toMatchObject({ is_paused: true, policy: { turns_max: 7, rate_per_s: 3 } })
  await stored('elsewhere-too')
  await db.system`delete from channels where name = 'elsewhere'`
  const { body } = await send('GET', '/v1/admin/channels?q=e&limit=200')
  const names = body.items.map(({ name }: { name: string }) => name)
  expect(names).toContain('elsewhere-too')
  expect(names).not.toContain('elsewhere')
  expect((await send('GET', '/v1/admin/channels/elsewhere')).status).toBe(404)
})
