import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { completionOf, json } from '../../support/model-endpoint.ts'

let service: GatewayUnderTest
beforeAll(async () => {
  service = await gatewayUnderTest()
})
afterAll(() => service.stop())

test('/metrics shows the database’s pools and readiness, and nothing of requests, turns or tenants', async () => {
  service.endpoint.script(json(completionOf('hello')))
  const answer = await service.post('/v1/chat/completions', {
    model: 'a-model-of-a-tenant',
    messages: [{ role: 'user', content: 'hello' }],
  })
  expect(answer.status).toBe(200)
  const text = await (await fetch(`${service.url}/metrics`)).text()
  expect(text).toContain('service_ready 1\n')
  for (const pool of ['hot', 'system', 'system_transactions', 'tenant_transactions']) {
    expect(text).toMatch(new RegExp(`service_database_connections_max\\{pool="${pool}"\\} [1-9]`))
    expect(text).toMatch(new RegExp(`service_database_work\\{pool="${pool}",state="waiting"\\} 0\\n`))
  }
  expect(text).not.toContain('a-model-of-a-tenant')
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
  expect(names.filter((name) => !/^(process_|nodejs_|service_(ready|build_info|database_))/.test(name ?? ''))).toEqual(
    [],
  )
})
