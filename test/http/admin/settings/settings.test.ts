/** Settings over the admin API: what is told of them, and changes that are all or none. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest, until } from '../../../support/gateway.ts'

let running: GatewayUnderTest
beforeAll(async () => {
  running = await gatewayUnderTest({
    SERVICE_MODERATION: 'off',
    SERVICE_LLM_MODEL: 'of-the-environment',
    SERVICE_MCP_PUBLISH: '1',
    SERVICE_LLM_TOP_P: '0.5',
  })
})
afterAll(() => running.stop())

interface Item {
  key: string
  value: string | null
  is_set: boolean
  origin: string
  pending_restart: boolean
  problem: string | null
  [field: string]: unknown
}

async function items(): Promise<Map<string, Item>> {
  const answer = await running.get('/v1/admin/settings')
  expect(answer.status).toBe(200)
  const { items: found } = (await answer.json()) as { items: Item[] }
  return new Map(found.map((item) => [item.key, item]))
}

test('whether a model is configured is told beside the list', async () => {
  const has = async () => ((await (await running.get('/v1/admin/settings')).json()) as { has_model: boolean }).has_model
  expect(await has()).toBe(true)
  await change({ set: { SERVICE_LLM_GATEWAY_URL: '' } })
  expect(await has()).toBe(false)
  await change({ unset: ['SERVICE_LLM_GATEWAY_URL'] })
  expect(await has()).toBe(true)
})

async function change(body: object, path = '/v1/admin/settings') {
  const answer = await running.post(path, body)
  // Tests look at what they expect in it.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  return { status: answer.status, body: (await answer.json()) as any }
}

async function stored(): Promise<Record<string, string>> {
  const rows = await running.db.system<{ key: string; value: string }>`select key, value from settings order by key`
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]))
}

test('the catalogue tells of each setting what it is, what counts, and where that comes from', async () => {
  const all = await items()
  expect(all.get('SERVICE_LLM_MODEL')).toMatchObject({
    ...{ group: 'LLM', value: 'of-the-environment', origin: 'environment', apply: 'live', secret: false },
    ...{ environment_hidden: false, environment_ignored: false, environment_only: false, pending_restart: false },
  })
  expect(all.get('SERVICE_MCP_PUBLISH')).toMatchObject({ environment_ignored: true, origin: 'default' })
  expect(all.get('SERVICE_LLM_API_KEY')).toMatchObject({ secret: true, value: null, is_set: false })
  const address = all.get('SERVICE_DATABASE_URL')
  expect(address).toMatchObject({ environment_only: true, secret: true, value: null, is_set: true })
})

test('a live setting counts at once, hides the environment, and comes back when it is forgotten', async () => {
  const set = await change({ set: { SERVICE_LLM_MODEL: 'of-the-store' } })
  expect(set).toMatchObject({ status: 200, body: { changed: ['SERVICE_LLM_MODEL'], pending_restart: [] } })
  expect(set.body.items).toMatchObject([{ value: 'of-the-store', origin: 'stored', environment_hidden: true }])
  await until(async () => {
    await running.post('/v1/chat/completions', { model: 'x', messages: [{ role: 'user', content: 'hello' }] })
    return running.endpoint.requests.at(-1)?.body.model === 'of-the-store'
  })
  await change({ unset: ['SERVICE_LLM_MODEL'] })
  expect((await items()).get('SERVICE_LLM_MODEL')).toMatchObject({ value: 'of-the-environment', origin: 'environment' })
})

test('what is pending is told truthfully: by value, gone when the change is taken back, also by forgetting it', async () => {
  const pending = async () => (await items()).get('SERVICE_MODERATION')?.pending_restart
  expect(await pending()).toBe(false)
  expect((await change({ set: { SERVICE_MODERATION: 'on' } })).body.pending_restart).toEqual(['SERVICE_MODERATION'])
  expect(await pending()).toBe(true)
  await change({ set: { SERVICE_MODERATION: 'OFF' } }) // the same as `off`, which runs
  expect(await pending()).toBe(false)
  await change({ set: { SERVICE_MODERATION: '1' } })
  expect((await change({ unset: ['SERVICE_MODERATION'] })).body.pending_restart).toEqual([])
  expect(await pending()).toBe(false)
})

test('every refusal is told with its key, and then nothing is stored, not even what could be', async () => {
  const before = await stored()
  const refused = await change({
    set: {
      SERVICE_LLM_MODEL: 'fine',
      SERVICE_LLM_RETRIES: 'many',
      SERVICE_LLM_TOP_P: '7',
      SERVICE_NO_SUCH: '1',
      SERVICE_DATA_DIR: '/elsewhere',
      SERVICE_LLM_GATEWAY_URL: 'no address sk-secret-1234567890',
    },
    unset: ['SERVICE_LLM_MODEL'],
  })
  expect(refused.status).toBe(400)
  expect(refused.body.error.code).toBe('settings_refused')
  const keys = refused.body.refusals.map(({ key }: { key: string }) => key).sort()
  expect(keys).toEqual([
    ...['SERVICE_DATA_DIR', 'SERVICE_LLM_GATEWAY_URL', 'SERVICE_LLM_MODEL', 'SERVICE_LLM_RETRIES', 'SERVICE_LLM_TOP_P'],
    'SERVICE_NO_SUCH',
  ])
  expect(await stored()).toEqual(before)
})

test('a check says the same and stores nothing, whether or not something speaks against it', async () => {
  const before = await stored()
  const path = '/v1/admin/settings/check'
  const bad = await change({ set: { SERVICE_LLM_RETRIES: '99', SERVICE_LLM_MODEL: 'm' } }, path)
  expect(bad).toMatchObject({ status: 200, body: { ok: false, refusals: [{ key: 'SERVICE_LLM_RETRIES' }] } })
  expect(await change({ set: { SERVICE_LLM_MODEL: 'm' } }, path)).toMatchObject({ body: { ok: true, refusals: [] } })
  expect(await stored()).toEqual(before)
})

test('values that cannot be together are refused, and can be when they come together', async () => {
  const alone = await change({ set: { SERVICE_LLM_PROVIDER: 'subscription' } })
  expect(alone).toMatchObject({ status: 400, body: { refusals: [{ key: 'SERVICE_LLM_PROVIDER' }] } })
  const path = '/v1/admin/settings/check'
  const address = 'https://models.example.com/v1'
  const together = { set: { SERVICE_LLM_PROVIDER: 'subscription', SERVICE_SUBSCRIPTION_BASE_URL: address } }
  expect((await change(together, path)).body.ok).toBe(true)
  const listeners = { set: { SERVICE_GATEWAY_ADDR: ':9000', SERVICE_WEBUI_ADDR: '127.0.0.1:9000' } }
  expect((await change(listeners, path)).body.ok).toBe(false)
})

test('whoever changes what is something else by now is told what is there, and nothing changes', async () => {
  await change({ set: { SERVICE_LOCALE: 'de' } })
  const late = await change({ set: { SERVICE_LOCALE: 'fr' }, expected: { SERVICE_LOCALE: null } })
  expect(late).toMatchObject({
    status: 409,
    body: { error: { code: 'settings_conflict', param: 'SERVICE_LOCALE' }, current: { SERVICE_LOCALE: 'de' } },
  })
  expect((await stored())['SERVICE_LOCALE']).toBe('de')
  expect((await change({ unset: ['SERVICE_LOCALE'], expected: { SERVICE_LOCALE: 'de' } })).status).toBe(200)
})

test('a secret goes in and never comes out: not in answers, not in the log, not in the audit log', async () => {
  const secret = 'a-very-own-secret-value-of-32-characters'
  const set = await change({ set: { SERVICE_INBOUND_SECRET: secret } })
  expect(set.body.items).toMatchObject([{ value: null, is_set: true, origin: 'stored', pending_restart: true }])
  const audit = await running.get('/v1/admin/audit?action=setting.&target=SERVICE_INBOUND_SECRET')
  const text = await audit.text()
  expect(JSON.parse(text).items).toMatchObject([{ detail: { before: null, after: { isSet: true } } }])
  await change({ unset: ['SERVICE_INBOUND_SECRET'] })
  const everything = [text, JSON.stringify(set.body), JSON.stringify(running.lines), JSON.stringify(await stored())]
  expect(everything.join('\n')).not.toContain(secret)
})

test('a secret that others have to know is long; a short one that is there stays usable', async () => {
  for (const key of ['SERVICE_COMPAT_KEY', 'SERVICE_INBOUND_SECRET', 'SERVICE_MEDIA_TOKEN_SECRET']) {
    for (const weak of ['x', 'x'.repeat(31), `${' '.repeat(40)}x`]) {
      const refused = await change({ set: { [key]: weak, SERVICE_LOCALE: 'fr' } })
      expect(refused).toMatchObject({ status: 400, body: { error: { code: 'settings_refused' }, refusals: [{ key }] } })
      expect(refused.body.refusals[0].message).toMatch(/at least 32 characters/)
      const checked = await running.post('/v1/admin/settings/check', { set: { [key]: weak } })
      expect(await checked.json()).toMatchObject({ refusals: [{ key }] })
    }
    expect(await stored()).not.toHaveProperty(key)
    expect((await change({ set: { [key]: 'x'.repeat(32) } })).status).toBe(200)
    expect((await change({ set: { [key]: '' } })).status).toBe(200)
    expect((await change({ unset: [key] })).status).toBe(200)
  }
  expect((await change({ set: { SERVICE_LLM_API_KEY: 'local' } })).status).toBe(200)
  await change({ unset: ['SERVICE_LLM_API_KEY'] })
})

test('an address with a password comes out without it, and put back as it came out stays as it was', async () => {
  const url = 'http://user:pass-word-1@models.example.com/v1'
  await change({ set: { SERVICE_NATIVE_BASE_URL: url } })
  const shown = (await items()).get('SERVICE_NATIVE_BASE_URL')?.value
  expect(shown).toBe('http://user:(hidden)@models.example.com/v1')
  expect((await change({ set: { SERVICE_NATIVE_BASE_URL: shown } })).body.changed).toEqual([])
  expect((await stored())['SERVICE_NATIVE_BASE_URL']).toBe(url)
  const moved = await change({ set: { SERVICE_NATIVE_BASE_URL: shown?.replace('models', 'other') } })
  expect(moved).toMatchObject({ status: 400, body: { refusals: [{ key: 'SERVICE_NATIVE_BASE_URL' }] } })
  await change({ unset: ['SERVICE_NATIVE_BASE_URL'] })
})

test('a stored text that cannot be is told as a problem, and what it hides can still be mended', async () => {
  await running.db.system`
    insert into settings (key, value, is_sealed, updated_by) values ('SERVICE_LLM_RETRIES', 'many', false, 'older version')`
  expect((await items()).get('SERVICE_LLM_RETRIES')).toMatchObject({ problem: expect.stringContaining('many') })
  expect((await change({ set: { SERVICE_LOCALE: 'de' } })).status).toBe(200)
  expect((await change({ set: { SERVICE_LLM_RETRIES: '1' } })).status).toBe(200)
  expect((await items()).get('SERVICE_LLM_RETRIES')).toMatchObject({ problem: null, value: '1' })
  await change({ unset: ['SERVICE_LLM_RETRIES', 'SERVICE_LOCALE'] })
})

test('the audit log of it is a chain that verifies, over the API too', async () => {
  const verdict = (await (await running.get('/v1/admin/audit/verify')).json()) as Record<string, unknown>
  expect(verdict).toMatchObject({ intact: true, complete: true, problem: null, deleted_by_retention: null })
})
