/** Model endpoints beside the one of the settings: set, listed, ordered, removed, followed at once, and on the turn's record. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listenForChanges } from '../../../store/changes.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import {
  completionOf,
  failure,
  json,
  type ModelEndpoint,
  modelEndpoint,
  streamOf,
} from '../../support/model-endpoint.ts'
import { codeOf, firstOwner, letIn, type Person, withKey } from './support/people.ts'

let service: GatewayUnderTest
let owner: Person
let head: Person
let backup: ModelEndpoint

beforeAll(async () => {
  service = await gatewayUnderTest({
    SERVICE_MODERATION: 'off',
    SERVICE_LLM_MODEL: 'own',
    SERVICE_LLM_API_KEY: 'sk-own',
  })
  owner = await firstOwner(service)
  head = await letIn(service, owner, 'admin', 'grace')
  backup = await modelEndpoint()
})
afterAll(async () => {
  await backup.close()
  await service.stop()
})
beforeEach(async () => {
  for (const { name } of (await listed()).items.slice(1)) await post('remove', { name })
  await setting('SERVICE_LLM_FALLBACKS', '')
  service.endpoint.always(json(completionOf('from the first')))
  backup.always(json(completionOf('from the backup')))
})

const key = 'sk-nobody-sees-this-key'
const post = (path: string, body: object) => owner.browser.post(`/v1/admin/models/endpoints/${path}`, body)
const set = (body: object) => post('set', { name: 'backup', url: backup.url, key, models: ['spare', 'own'], ...body })

// biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect in it
async function listed(): Promise<any> {
  const { status, body } = await head.browser.get('/v1/admin/models/endpoints')
  expect(status).toBe(200)
  return body
}

async function setting(name: string, value: string): Promise<void> {
  const changed = await owner.browser.post('/v1/admin/settings', { set: { [name]: value } })
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
}

const chat = (model: string, more: object = {}) =>
  service.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'hi' }], ...more })

/** Another process hears of a change a moment later; so does this one. */
const answeredBy = (model: string) =>
  expect.poll(
    async () => {
      // biome-ignore lint/suspicious/noExplicitAny: a chat completion
      const body = (await (await chat(model)).json()) as any
      return body.choices?.[0].message.content ?? body.error.code
    },
    { timeout: 5_000 },
  )

test('an owner adds one, and its models are listed and answered by it with its key; nobody sees the key', async () => {
  expect((await set({})).body).toEqual({ ok: true })
  await answeredBy('spare').toBe('from the backup')
  expect(backup.requests.at(-1)).toMatchObject({
    headers: { authorization: `Bearer ${key}` },
    body: { model: 'spare' },
  })
  const models = (await (await service.get('/v1/models')).json()) as { data: { id: string; owned_by: string }[] }
  expect(models.data.map(({ id, owned_by }) => [id, owned_by])).toEqual([
    ['own', 'service'],
    ['spare', 'backup'],
  ])
  expect(await (await service.get('/v1/models/spare')).json()).toMatchObject({ owned_by: 'backup' })
  // A name that nobody lists means the first endpoint and its own model.
  await answeredBy('whatever').toBe('from the first')
  expect(service.endpoint.requests.at(-1)?.body.model).toBe('own')

  const body = await listed()
  expect(body.items).toMatchObject([
    { name: 'default', url: service.endpoint.url, has_key: true, models: ['own'], is_default: true, enabled: true },
    {
      name: 'backup',
      url: backup.url,
      has_key: true,
      models: ['spare', 'own'],
      is_default: false,
      updated_by: 'owner',
    },
  ])
  const audit = await owner.browser.get('/v1/admin/audit?action=model_endpoint.')
  const stored = JSON.stringify(await service.db.system`select * from model_endpoints, secrets, audit_log`)
  expect(JSON.stringify(audit.body)).toContain('model_endpoint.set')
  for (const text of [JSON.stringify(body), JSON.stringify(audit.body), stored, JSON.stringify(service.lines)]) {
    expect(text).not.toContain(key)
  }
})

test('where the first is out, the other that lists the model answers, streamed too, and the turn says who was asked', async () => {
  await set({})
  await answeredBy('spare').toBe('from the backup')
  service.endpoint.always(failure(503))
  backup.script(streamOf(['from the ', 'backup']))
  const streamed = await (await chat('own', { stream: true })).text()
  expect(streamed).toContain('"content":"backup"')
  expect((await newestTurn())['endpoints']).toMatchObject([
    { endpoint: 'default', model: 'own', code: 'endpoint_overloaded', status: 503, took_ms: expect.any(Number) },
    { endpoint: 'backup', code: null, status: null },
  ])
})

test('the conversation’s turn and an agent’s say it too, and a turn that fails', async () => {
  await set({})
  await answeredBy('spare').toBe('from the backup')
  const made = await owner.browser.post('/v1/admin/agents', {
    name: 'helper',
    definition: { instructions: 'Help.', model: 'spare' },
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  await answeredBy('helper').toBe('from the backup')
  expect((await newestTurn())['endpoints']).toMatchObject([{ endpoint: 'backup', code: null }])

  backup.always(failure(500))
  for (const more of [{}, { conversation: 'new' }]) {
    const failed = await chat('spare', more)
    expect(failed.status).toBe(502)
    const turn = await newestTurn()
    expect([turn['status'], turn['endpoints']]).toMatchObject([
      'failed',
      [{ endpoint: 'backup', code: 'endpoint_error' }],
    ])
  }
})

test('the fallbacks of the setting are asked in their order, and a change of it counts at once', async () => {
  await set({ models: ['spare'] })
  await answeredBy('spare').toBe('from the backup')
  service.endpoint.always(failure(500))
  expect((await chat('own')).status).toBe(502)
  await setting('SERVICE_LLM_FALLBACKS', 'gone, backup/spare')
  await answeredBy('own').toBe('from the backup')
  expect(backup.requests.at(-1)?.body.model).toBe('spare')
})

test('one that is switched off, or whose key is gone, is not asked; a new key counts at once', async () => {
  await set({})
  await answeredBy('spare').toBe('from the backup')
  await set({ enabled: false, key: undefined })
  await answeredBy('spare').toBe('from the first')
  await set({ key: undefined })
  await answeredBy('spare').toBe('from the backup')
  expect(backup.requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`)
  await owner.browser.post('/v1/admin/secrets/remove', { scope: 'model', name: 'backup' })
  await answeredBy('spare').toBe('from the first')
  await owner.browser.post('/v1/admin/secrets/set', { scope: 'model', name: 'backup', value: 'sk-another' })
  await answeredBy('spare').toBe('from the backup')
  expect(backup.requests.at(-1)?.headers.authorization).toBe('Bearer sk-another')
})

test('a stored key goes to no other host than it was given for', async () => {
  await set({})
  const other = await modelEndpoint()
  await set({ url: other.url, key: undefined })
  other.always(json(completionOf('from the other')))
  await answeredBy('spare').toBe('from the other')
  expect(other.requests.at(-1)?.headers.authorization).toBeUndefined()
  expect((await listed()).items[1]).toMatchObject({ has_key: false })
  await other.close()
})

test('the order is the one that was set, and takes all names once', async () => {
  for (const name of ['a', 'b', 'c']) await set({ name, key: '' })
  expect((await post('order', { names: ['c', 'a', 'b'] })).status).toBe(200)
  expect((await listed()).items.map(({ name }: { name: string }) => name)).toEqual(['default', 'c', 'a', 'b'])
  for (const names of [['a'], ['a', 'b', 'b'], ['a', 'b', 'x'], ['a', 'b', 'c', 'x']]) {
    const refused = await post('order', { names })
    expect([refused.status, codeOf(refused)], String(names)).toEqual([400, 'bad_request'])
  }
  // What is set again stays where it is.
  await set({ name: 'c', key: '', models: ['x'] })
  expect((await listed()).items.map(({ name }: { name: string }) => name)).toEqual(['default', 'c', 'a', 'b'])
})

test.each([
  [{ name: 'default' }, 'name'],
  [{ name: 'With space' }, 'name'],
  [{ url: 'no address' }, 'url'],
  [{ url: 'ftp://example.com' }, 'url'],
  [{ url: 'https://user:pass@example.com/v1' }, 'url'],
  [{ url: 'https://example.com/v1?api_key=abcdefghij' }, 'url'],
  [{ provider: 'other' }, 'provider'],
  [{ models: ['a\nb'] }, 'models[0]'],
  [{ models: Array.from({ length: 501 }, (_, at) => `m${at}`) }, 'models'],
])('%j is refused, and nothing is stored', async (wrong, param) => {
  const refused = await set(wrong)
  expect([refused.status, (refused.body['error'] as { param: string }).param]).toEqual([400, param])
  expect((await listed()).items).toHaveLength(1)
  const [{ secrets } = { secrets: -1 }] = await service.db.system<{ secrets: number }>`
    select count(*)::int as secrets from secrets where scope = 'model'`
  expect(secrets).toBe(0)
})

test('there are 32 at most, and what is removed is gone with its key', async () => {
  for (let at = 0; at < 32; at++) expect((await set({ name: `e${at}`, key: at === 0 ? key : '' })).status).toBe(200)
  const refused = await set({ name: 'one-more' })
  expect([refused.status, codeOf(refused)]).toEqual([409, 'too_many_model_endpoints'])
  expect((await set({ name: 'e0', models: ['again'] })).status).toBe(200)
  expect((await post('remove', { name: 'e0' })).status).toBe(200)
  const again = await post('remove', { name: 'e0' })
  expect([again.status, codeOf(again)]).toEqual([404, 'not_found'])
  expect(await service.db.system`select name from secrets where scope = 'model'`).toHaveLength(0)
})

test('neither an admin nor a key with admin:write names addresses', async () => {
  const made = await owner.browser.post('/v1/admin/apikeys', { name: 'w', scopes: ['admin:read', 'admin:write'] })
  const writer = String(made.body['key'])
  expect((await withKey(service, writer, '/v1/admin/models/endpoints')).status).toBe(200)
  for (const [path, body] of [
    ['set', { name: 'x', url: backup.url }],
    ['remove', { name: 'x' }],
    ['order', { names: [] }],
  ] as const) {
    const byAdmin = await head.browser.post(`/v1/admin/models/endpoints/${path}`, body)
    const byKey = await withKey(service, writer, `/v1/admin/models/endpoints/${path}`, body)
    expect([path, byAdmin.status, byKey.status]).toEqual([path, 403, 403])
  }
  const before = backup.requests.length
  const asked = await withKey(service, writer, '/v1/admin/models/offered', { gateway_url: backup.url })
  expect([asked.status, backup.requests.length]).toEqual([403, before])
})

test('the models of an endpoint are asked for, before and after it is stored, with the key of the same origin only', async () => {
  const offered = (body: object) => owner.browser.post('/v1/admin/models/offered', body)
  backup.always(json({ data: [{ id: 'm1' }, { id: 'm2' }] }))
  expect((await offered({ gateway_url: backup.url, key: 'sk-new' })).body).toEqual({ models: ['m1', 'm2'] })
  expect(backup.requests.at(-1)?.headers.authorization).toBe('Bearer sk-new')
  await set({})
  expect((await offered({ endpoint: 'backup' })).body).toEqual({ models: ['m1', 'm2'] })
  expect(backup.requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`)
  const tried = await owner.browser.post('/v1/admin/settings/test-model', {
    endpoint: 'backup',
    gateway_url: service.endpoint.url,
  })
  expect([tried.status, tried.body['key_sent']]).toEqual([200, false])
  backup.always(failure(401, `no ${key}`))
  const refused = await offered({ endpoint: 'backup' })
  expect([refused.status, codeOf(refused)]).toEqual([502, 'endpoint_credentials'])
  expect(JSON.stringify(refused.body)).not.toContain(key)
  expect((await offered({ endpoint: 'gone' })).status).toBe(404)
  expect((await offered({ gateway_url: 'nothing' })).status).toBe(400)
})

test('another process hears of it', async () => {
  const heard: string[] = []
  const changes = await listenForChanges(service.db, service.log)
  changes.onChange('models', () => heard.push('models'))
  await set({})
  await expect.poll(() => heard.length).toBe(1)
  await changes.close()
})

/** The end of a turn is written a moment after its answer. */
async function newestTurn(): Promise<Record<string, unknown>> {
  let turn: Record<string, unknown> | undefined
  await expect
    .poll(async () => {
      const page = await owner.browser.get('/v1/admin/turns?limit=1')
      turn = (page.body['items'] as Record<string, unknown>[])[0]
      return turn?.['status']
    })
    .not.toBe('running')
  return turn ?? {}
}
