/** An answer that the store no longer takes, as its turn was cancelled or closed meanwhile: its caller is not told of one. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { completionOf, json } from '../../support/model-endpoint.ts'

let running: GatewayUnderTest
beforeAll(async () => {
  running = await gatewayUnderTest({ SERVICE_MODERATION: 'off' })
})
afterAll(() => running.stop())

const ends = [
  ['interrupted', 503, 'node_lost'],
  ['cancelled', 499, 'cancelled'],
] as const

test.each(ends)('a turn that others ended as %s', async (ending, status, code) => {
  running.endpoint.script(async (call) => {
    // As another node does it that takes this one for dead, and as an operator at another node does.
    await running.db.system`update turns set status = ${ending}, error_code = ${code} where status = 'running'`
    await json(completionOf('nobody hears this'))(call)
  })
  const answer = await running.post(
    '/v1/chat/completions',
    { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
    { 'x-service-conversation-id': 'new' },
  )
  expect(answer.status).toBe(status)
  expect(((await answer.json()) as { error: { code: string } }).error.code).toBe(code)
  const roles = await running.db.system`
    select role from messages where conversation_id = (select conversation_id from turns order by id desc limit 1)`
  expect(roles).toEqual([{ role: 'user' }])
})
