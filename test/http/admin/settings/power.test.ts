/** Settings are the installation's: what an admin, and who is at home in another workspace, may not change. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../../support/gateway.ts'
import { codeOf, firstOwner, letIn, type Person } from '../support/people.ts'

let service: GatewayUnderTest
let owner: Person
let head: Person
beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_MODERATION: 'off' })
  owner = await firstOwner(service)
  head = await letIn(service, owner, 'admin', 'grace')
})
afterAll(() => service.stop())

const commands = { SERVICE_MCP_SERVERS: '{"x":{"command":"/bin/true"}}' }

test('an admin changes daily settings, and none with which one would become the machine', async () => {
  const daily = await head.browser.post('/v1/admin/settings', { set: { SERVICE_LLM_TOP_P: '0.5' } })
  expect(daily.status).toBe(200)
  const both = await head.browser.post('/v1/admin/settings', { set: { SERVICE_LLM_TOP_P: '0.6', ...commands } })
  expect(both).toMatchObject({
    status: 400,
    body: { refusals: [{ key: 'SERVICE_MCP_SERVERS', message: 'Only an owner can change this.' }] },
  })
  const forgotten = await head.browser.post('/v1/admin/settings', { unset: ['SERVICE_TRUSTED_PROXIES'] })
  expect(forgotten.status).toBe(400)
  // Whoever names the address is sent the key that goes with it.
  const address = { SERVICE_LLM_GATEWAY_URL: 'https://elsewhere.example.com/v1' }
  expect((await head.browser.post('/v1/admin/settings', { set: address })).status).toBe(400)
  const stored = await service.db.system<{ value: string }>`select value from settings where key = 'SERVICE_LLM_TOP_P'`
  expect(stored).toEqual([{ value: '0.5' }])
  expect((await owner.browser.post('/v1/admin/settings', { set: commands })).status).toBe(200)
})

test('an admin has only the configured model endpoint called; an owner any', async () => {
  const { url } = service.endpoint
  const path = '/v1/admin/settings/test-model'
  const elsewhere = await head.browser.post(path, { gateway_url: 'http://127.0.0.1:1/v1', model: 'm' })
  expect([elsewhere.status, codeOf(elsewhere)]).toEqual([403, 'forbidden'])
  expect((await head.browser.post(path, { gateway_url: url, model: 'm' })).status).toBe(200)
  expect((await head.browser.post(path, { model: 'm' })).status).toBe(200)
  expect((await owner.browser.post(path, { gateway_url: 'http://127.0.0.1:1/v1', model: 'm' })).status).toBe(200)
})

test('an owner of another workspace reads and changes nothing of the installation', async () => {
  const made = await owner.browser.post('/v1/admin/workspaces', { name: 'branch' })
  expect(made.status).toBe(201)
  const moved = await owner.browser.post('/v1/admin/auth/workspace', { workspace_id: made.body['id'] })
  expect(moved.status).toBe(200)
  for (const path of ['/v1/admin/settings', '/v1/admin/log', '/v1/admin/log/stream', '/v1/admin/actors']) {
    const refused = await owner.browser.get(path)
    expect([path, refused.status, codeOf(refused)]).toEqual([path, 403, 'installation_only'])
  }
  for (const path of ['/v1/admin/settings', '/v1/admin/settings/check', '/v1/admin/settings/test-model']) {
    const refused = await owner.browser.post(path, { set: { SERVICE_LLM_TOP_P: '0.7' } })
    expect([refused.status, codeOf(refused)]).toEqual([403, 'installation_only'])
  }
})
