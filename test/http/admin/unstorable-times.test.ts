/** Times that the database does not have, wherever a client may put one: a refusal in words, never a defect. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { routes } from '../../../http/routes.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'

let service: GatewayUnderTest
beforeAll(async () => {
  service = await gatewayUnderTest()
})
afterAll(() => service.stop())

const strange = [
  '0000-01-01T00:00:00Z',
  '0000-01-01T00:00:00+23:59',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59-23:59',
  '1969-12-31T23:59:59.999Z',
]

test('in a query is no defect, on every route that reads one', async () => {
  const names = ['from', 'until', 'since', 'to']
  const reads = routes.flatMap(({ method, path, query }) => {
    const shape = (query as { shape?: object } | undefined)?.shape ?? {}
    const times = names.filter((name) => Object.hasOwn(shape, name))
    return method === 'GET' && !path.includes(':') ? times.map((name) => ({ path, name })) : []
  })
  expect(reads.length).toBeGreaterThan(12)
  for (const { path, name } of reads)
    for (const time of strange) {
      const answer = await service.get(`${path}?${name}=${encodeURIComponent(time)}`)
      await answer.body?.cancel()
      expect([path, name, time, answer.status < 500]).toEqual([path, name, time, true])
    }
})

test('in a price is a 400', async () => {
  const price = { model: 'm', currency: 'USD', units: { call: 1 } }
  for (const from of strange.slice(0, 2)) {
    const answer = await service.post('/v1/admin/prices/import', { prices: [{ ...price, from }] })
    expect([from, answer.status], await answer.text()).toEqual([from, 400])
  }
})
