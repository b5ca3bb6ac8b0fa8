/** The overview by the API: which model endpoints refuse the key of the service, and who is told so. */
import { expect, onTestFinished, test } from 'vitest'
import { gatewayUnderTest } from '../../support/gateway.ts'
import { failure } from '../../support/model-endpoint.ts'
import { firstOwner, letIn } from './support/people.ts'

test('an endpoint that refused the key at its last calls is named to the default workspace alone', async () => {
  const service = await gatewayUnderTest({ SERVICE_MODERATION: 'off' })
  onTestFinished(() => service.stop())
  const owner = await firstOwner(service)
  const auditor = await letIn(service, owner, 'auditor', 'grace')
  const refusing = async (by = auditor) => (await by.browser.get('/v1/admin/overview')).body['key_refused_by']
  const ask = async () =>
    (await service.post('/v1/chat/completions', { model: 'x', messages: [{ role: 'user', content: 'hi' }] })).status
  expect(await refusing()).toEqual([])
  service.endpoint.script(failure(403))
  expect(await ask()).toBe(502)
  await expect.poll(() => refusing(), { timeout: 20_000 }).toEqual(['default'])
  const second = await owner.browser.post('/v1/admin/workspaces', { name: 'Second shop' })
  expect(second.status, JSON.stringify(second.body)).toBe(201)
  expect((await owner.browser.post('/v1/admin/auth/workspace', { workspace_id: second.body['id'] })).status).toBe(200)
  expect(await refusing(owner)).toEqual([])
  expect(await ask()).toBe(200)
  await expect.poll(() => refusing(), { timeout: 20_000 }).toEqual([])
})
