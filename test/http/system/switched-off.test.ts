/** Features that this version does not have: said in the envelope, whatever is sent, and absent from the document. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { switchedOff } from '../../../http/system/switched-off.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'

let service: GatewayUnderTest
beforeAll(async () => {
  service = await gatewayUnderTest()
})
afterAll(() => service.stop())

test.each(switchedOff.map(({ method, path }) => [`${method} ${path}`] as const))('%s', async (line) => {
  const [method = '', path = ''] = line.split(' ')
  const hasBody = method !== 'GET' && method !== 'DELETE'
  const answer = await fetch(`${service.url}${path.replaceAll(/:[a-z_]+/g, 'x')}`, {
    method,
    ...(hasBody && { body: new Uint8Array(100_000) }),
  })
  expect(answer.status).toBe(501)
  const { error } = (await answer.json()) as { error: Record<string, unknown> }
  expect(error).toMatchObject({
    code: 'feature_disabled',
    type: 'invalid_request_error',
    message: expect.stringContaining('does not have this feature'),
  })
})

test('a request for one is logged in one line with the reason, without a stack', async () => {
  const answer = await fetch(`${service.url}/v1/mcp`, { method: 'POST' })
  const requestId = answer.headers.get('x-request-id')
  const logged = service.lines.find((line) => line['request_id'] === requestId)
  expect(logged).toMatchObject({ code: 'feature_disabled', reason: expect.stringContaining('The MCP server: ') })
  expect(logged).not.toHaveProperty('err')
})

test('the setting that concerns a feature is the parameter', async () => {
  const answer = await fetch(`${service.url}/v1/mcp`, { method: 'POST' })
  expect(await answer.json()).toMatchObject({ error: { param: 'SERVICE_MCP_PUBLISH' } })
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: object }
  expect(Object.keys(document.paths)).not.toContain('/v1/mcp')
})
