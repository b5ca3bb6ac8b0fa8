/** NUL, which PostgreSQL does not store, wherever a client may put it: a refusal in words, never a defect. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '../../../http/routes.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'

const priceOf = (model: string) => ({ model, currency: 'USD', from: '2020-01-01T00:00:00Z', units: { call: 1 } })

let service: GatewayUnderTest
beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_INBOUND_REQUIRE_BINDING: 'false' })
})
afterAll(() => service.stop())

test('in the name of a key is a 400, and no key is made', async () => {
  const count = async () => (await service.db.system`select id from api_keys`).length
  const before = await count()
  for (const name of ['\u0000', 'a\u0000b', 'a\ud800']) {
    const answer = await service.post('/v1/admin/apikeys', { name })
    if (answer.status === 201) continue
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
    expect(await count()).toBe(before)
  }
})

test('in a query is a 400, on every route that reads one', async () => {
  const reads = routes.filter(({ method, query, access }) => method === 'GET' && query && access.kind !== 'own')
  expect(reads.length).toBeGreaterThan(10)
  for (const { path } of reads) {
    const answer = await service.get(`${path.replaceAll(/:\w+/g, 'x')}?cursor=%00&search=a%00b`)
    await answer.body?.cancel()
    expect([path, answer.status]).toEqual([path, 400])
  }
})

test('in any text of a body is no defect', async () => {
  const nul = 'a\u0000b'
  const bodies: [string, object][] = [
    ['/v1/admin/operators', { login: nul, role: 'user' }],
    ['/v1/admin/operators', { login: 'anna', name: nul, role: 'user' }],
    ['/v1/admin/channels', { name: 'shop', adapter: 'generic', config: { url: `https://example.com/${nul}` } }],
    ['/v1/admin/agents', { name: 'agent', definition: { instructions: nul } }],
    ['/v1/admin/workspaces/rename', { name: nul }],
    ['/v1/admin/conversations/organize', { conversation_id: nul, folder: nul }],
    ['/v1/admin/settings', { set: { SERVICE_LLM_MODEL: nul } }],
    ['/v1/admin/apikeys', { name: nul, allowed_ips: [nul] }],
    ['/v1/admin/approvals/decide', { approval_id: nul, decision: 'approve', reason: nul }],
    ['/v1/admin/prices/import', { prices: ['a\ud800', 'a\ud801'].map(priceOf) }],
    ['/v1/client-log', { level: 'info', message: nul }],
  ]
  for (const [path, body] of bodies) {
    const answer = await service.post(path, body)
    expect([path, answer.status < 500], await answer.text()).toEqual([path, true])
  }
})
