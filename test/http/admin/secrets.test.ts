import { afterAll, beforeAll, expect, test } from 'vitest'
import { openMasterKey } from '../../../config/seal.ts'
import { createLog } from '../../../runtime/log/log.ts'
import { listenForChanges } from '../../../store/changes.ts'
import { readSecret } from '../../../store/secrets.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { codeOf, firstOwner, letIn, type Person, withKey } from './support/people.ts'

const environment = { SERVICE_MASTER_KEY: 'ab'.repeat(32) }
const masterKey = () => openMasterKey({ dataDir: '', environment })

let service: GatewayUnderTest
let owner: Person
let head: Person
beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_MODERATION: 'off', ...environment })
  owner = await firstOwner(service)
  head = await letIn(service, owner, 'admin', 'grace')
})
afterAll(() => service.stop())

const id = { scope: 'ldap', name: 'bind_password' }
const value = 'nobody-sees-this-value'

async function keyOf(scopes: string[]): Promise<string> {
  const made = await owner.browser.post('/v1/admin/apikeys', { name: 'machine', scopes })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return String(made.body['key'])
}

test('an owner sets, lists and removes; no answer and no audit entry has the value; others hear of it', async () => {
  const heard: string[] = []
  const changes = await listenForChanges(service.db, createLog({ level: 'error' }))
  changes.onChange('secrets', () => heard.push('secrets'))
  const set = await owner.browser.post('/v1/admin/secrets/set', { ...id, value })
  expect(set).toMatchObject({ status: 200, body: { ok: true } })
  expect(await readSecret(service.db, masterKey, id)).toBe(value)
  const listed = await head.browser.get('/v1/admin/secrets')
  expect(listed).toMatchObject({ status: 200, body: { items: [{ ...id, updated_by: 'owner' }] } })
  const audit = await owner.browser.get('/v1/admin/audit?action=secret.')
  expect(JSON.stringify([set.body, listed.body, audit.body])).not.toContain(value)

  expect((await owner.browser.post('/v1/admin/secrets/remove', id)).status).toBe(200)
  const again = await owner.browser.post('/v1/admin/secrets/remove', id)
  expect([again.status, codeOf(again)]).toEqual([404, 'not_found'])
  await expect.poll(() => heard.length).toBe(2)
  await changes.close()
})

test('neither an admin nor a key with admin:write changes secrets; a key with every scope does', async () => {
  const refused = await head.browser.post('/v1/admin/secrets/set', { ...id, value })
  expect([refused.status, codeOf(refused)]).toEqual([403, 'forbidden'])
  const [writer, every] = [await keyOf(['admin:read', 'admin:write']), await keyOf(['*'])]
  expect((await withKey(service, writer, '/v1/admin/secrets')).status).toBe(200)
  for (const [path, body] of [
    ['/v1/admin/secrets/set', { ...id, value }],
    ['/v1/admin/secrets/remove', id],
  ] as const) {
    const byKey = await withKey(service, writer, path, body)
    expect([path, byKey.status, codeOf(byKey)]).toEqual([path, 403, 'forbidden'])
  }
  expect((await withKey(service, every, '/v1/admin/secrets/set', { ...id, value })).status).toBe(200)
  expect((await withKey(service, every, '/v1/admin/secrets/remove', id)).status).toBe(200)
})

test.each([
  ['a scope in capitals', { scope: 'LDAP' }, 'scope'],
  ['a path for a name', { name: '../x' }, 'name'],
  ['an empty value', { value: '' }, 'value'],
  ['a NUL in the value', { value: 'a\0b' }, 'value'],
  ['a value of too many bytes', { value: 'é'.repeat(32_769) }, 'value'],
])('%s is refused, and nothing is stored', async (_, wrong, param) => {
  const refused = await owner.browser.post('/v1/admin/secrets/set', { ...id, value, ...wrong })
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'bad_request', param } } })
  expect(JSON.stringify(refused.body)).not.toContain(value)
  expect((await owner.browser.get('/v1/admin/secrets')).body).toEqual({ items: [] })
})
