/** Usage and prices by the API: what a call used and cost, on its turn and in the sums. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../../support/gateway.ts'
import { completionOf, failure, json } from '../../../support/model-endpoint.ts'
import { codeOf, firstOwner, letIn, type Person } from '../support/people.ts'

let service: GatewayUnderTest
let owner: Person
let auditor: Person

beforeAll(async () => {
  service = await gatewayUnderTest({
    SERVICE_MODERATION: 'off',
    SERVICE_LLM_MODEL: 'own',
    SERVICE_LLM_API_KEY: 'sk-own',
  })
  owner = await firstOwner(service)
  auditor = await letIn(service, owner, 'auditor', 'grace')
  service.endpoint.always(
    json({
      ...completionOf('an answer'),
      model: 'own-2026',
      usage: {
        ...{ prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 },
        prompt_tokens_details: { cached_tokens: 400 },
        completion_tokens_details: { reasoning_tokens: 30 },
      },
    }),
  )
})
afterAll(() => service.stop())

const importPrices = (prices: object[], more: object = {}) =>
  owner.browser.post('/v1/admin/prices/import', { prices, ...more })

const price = (more: object = {}) => ({
  ...{ model: 'own-2026', currency: 'USD', from: '2020-01-01T00:00:00Z' },
  units: { token_in: 2_500_000, token_cached: 1_250_000, token_out: 10_000_000 },
  ...more,
})

// biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect in it
async function read(path: string, by = auditor): Promise<any> {
  const { status, body } = await by.browser.get(path)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

const ask = async () => {
  const { status } = await service.post('/v1/chat/completions', {
    model: 'own',
    messages: [{ role: 'user', content: 'hi' }],
  })
  expect(status).toBe(200)
}

test('a call that the endpoint refuses is counted, and nothing about it is an estimate', async () => {
  service.endpoint.script(failure(401))
  const refused = await service.post('/v1/chat/completions', {
    model: 'own',
    messages: [{ role: 'user', content: 'hi' }],
  })
  expect(refused.status).toBe(502)
  await expect
    .poll(async () => (await read('/v1/admin/analytics?group_by=model')).total)
    .toMatchObject({ turns: 1, failed: 1, tokens_in: 0, estimated: 0, usage_unknown: 0 })
  await service.db.system`delete from usage_entries`
  await service.db.system`delete from turns`
})

test('a call is counted and priced, on its turn and in the sums', async () => {
  expect((await importPrices([price()])).status).toBe(200)
  await expect.poll(async () => (await read('/v1/admin/prices')).currency).toBe('USD')
  await ask()
  // 600 × 2.5 + 400 × 1.25 + 100 × 10 millionths
  const cost = { currency: 'USD', micro_units: '3000' }
  await expect
    .poll(async () => (await read('/v1/admin/turns')).items[0])
    .toMatchObject({
      ...{ model: 'own-2026', endpoint: 'default', cost, usage_unknown: false },
      ...{ prompt_tokens: 1_000, cached_tokens: 400, completion_tokens: 100, reasoning_tokens: 30 },
    })
  const usage = await read('/v1/admin/analytics?group_by=model&bucket=hour&compare=true')
  expect(usage).toMatchObject({
    total: {
      turns: 1,
      failed: 0,
      tokens_in: 1_000,
      tokens_cached: 400,
      tokens_out: 100,
      calls_without_price: 0,
      cost: [cost],
    },
    total_before: { turns: 0, cost: [] },
    groups: [{ value: 'own-2026', name: null, usage: { calls: 1, latency: { count: 1 } }, before: { turns: 0 } }],
    groups_total: 1,
    series: [{ value: 'own-2026', usage: { turns: 1 } }],
  })
  const nextHour = Date.parse(usage.series[0].at) + 3_600_000
  const [from, until] = [nextHour, nextHour + 3_600_000].map((ms) => new Date(ms).toISOString())
  for (const only of ['group_by=model', 'group_by=none', 'group_by=model&value=own-2026']) {
    const later = await read(`/v1/admin/analytics?${only}&compare=true&from=${from}&until=${until}`)
    expect(later).toMatchObject({ total: { turns: 0 }, total_before: { turns: 1, latency: { count: 1 } } })
  }
  const byKey = await read('/v1/admin/analytics?group_by=key')
  expect(byKey.groups).toMatchObject([{ value: expect.stringMatching(/^key_/), name: expect.any(String) }])
  const one = await read(`/v1/admin/analytics?group_by=key&value=${byKey.groups[0].value}`)
  expect(one.total).toMatchObject({ turns: 1 })
  expect((await read('/v1/admin/analytics?group_by=key&value=key_00000000000070008000000000000000')).total.turns).toBe(
    0,
  )
  expect((await read('/v1/admin/analytics?group_by=workspace', owner)).groups).toMatchObject([{ name: 'default' }])
  expect((await read('/v1/admin/analytics?origin=eval')).total.turns).toBe(0)
})

test('as a file it has the same lines', async () => {
  const answer = await service.get('/v1/admin/analytics?group_by=model&format=csv')
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  const [head = '', line = ''] = (await answer.text()).split('\r\n')
  expect(head.split(',')).toHaveLength(line.split(',').length)
  expect(line).toContain('"own-2026"')
  const cells = new Map(head.split(',').map((name, at) => [name, line.split(',')[at]?.replaceAll('"', '')]))
  expect(cells.get('name')).toBe('own-2026')
  expect(Number(cells.get('cost')) * 1_000_000).toBeCloseTo(Number(cells.get('cost_micro_units')), 3)
  expect(cells.get('cost')).toMatch(/^\d+\.\d{6}$/)
})

test('a time that is too long or ends before it begins is refused', async () => {
  const refusals = [
    'from=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z',
    'from=2020-01-01T00:00:00Z&bucket=hour',
    'from=x',
  ]
  for (const query of refusals)
    expect((await auditor.browser.get(`/v1/admin/analytics?${query}`)).status, query).toBe(400)
})

test('prices refuse what would be counted wrong', async () => {
  const bad: object[] = [
    price({ units: { token_in: -1 } }),
    price({ units: { token_in: 1.5 } }),
    price({ units: { token_in: 1_000_000_000_000_001 } }),
    price({ units: {} }),
    price({ units: { token: 1 } }),
    price({ currency: 'XQZ' }),
    price({ currency: 'usd' }),
    price({ model: '' }),
    price({ until: '2020-01-01T00:00:00Z' }),
  ]
  for (const each of bad) expect((await importPrices([each])).status, JSON.stringify(each)).toBe(400)
  expect(codeOf(await importPrices([price()]))).toBe('prices_overlap')
  expect(codeOf(await importPrices([price({ from: '2019-01-01T00:00:00Z', until: '2020-06-01T00:00:00Z' })]))).toBe(
    'prices_overlap',
  )
  expect(codeOf(await importPrices([price({ model: 'other', currency: 'EUR' })]))).toBe('currency_mixed')
  expect((await auditor.browser.post('/v1/admin/prices/import', { prices: [price({ model: 'x' })] })).status).toBe(403)
  expect((await read('/v1/admin/prices')).items).toHaveLength(1)
})

test('a later price ends the one before; an export is an import; all of another currency replace all', async () => {
  expect((await importPrices([price({ from: '2100-01-01T00:00:00Z' }), price({ model: 'other' })])).status).toBe(200)
  const { items } = await read('/v1/admin/prices')
  const exported = items.map(({ id: _id, created_at: _at, created_by: _by, ...rest }: Record<string, unknown>) => rest)
  expect(exported).toHaveLength(3)
  const inEuro = exported.map((each: object) => ({ ...each, currency: 'EUR' }))
  const budget = { subject: 'workspace', period: 'day', unit: 'micro_units', currency: 'USD', hard_limit: 1_000_000 }
  const { id } = (await owner.browser.post('/v1/admin/budgets/set', budget)).body
  expect(codeOf(await importPrices(inEuro, { replace: true }))).toBe('currency_budgeted')
  expect((await read('/v1/admin/prices')).currency).toBe('USD')
  expect((await owner.browser.post('/v1/admin/budgets/remove', { id })).status).toBe(200)
  expect((await importPrices(inEuro, { replace: true })).status).toBe(200)
  const after = await read('/v1/admin/prices')
  expect(after).toMatchObject({ currency: 'EUR' })
  expect((await owner.browser.post('/v1/admin/prices/remove', { id: after.items[0].id })).status).toBe(200)
  expect((await owner.browser.post('/v1/admin/prices/remove', { id: after.items[0].id })).status).toBe(404)
})

test('times that no calendar of the database has are refused', async () => {
  const cursor = Buffer.alloc(22, 255).toString('base64url')
  const old = '0000-01-01T00:00:00Z'
  for (const path of [
    `analytics?from=${old}&until=0001-01-01T00:00:00Z`,
    'analytics?from=9999-12-30T00:00:00Z&until=9999-12-31T23:59:59Z',
    `turns?since=${old}`,
    'turns?until=9999-12-31T23:59:59-14:00',
    `conversations?since=${old}`,
    `conversations?order=active&cursor=${cursor}`,
    `audit?from=${old}`,
  ]) {
    const answer = await service.get(`/v1/admin/${path}`)
    expect([path, answer.status]).toEqual([path, 400])
    expect(await answer.json()).toMatchObject({ error: { code: 'time_out_of_range' } })
  }
})
