/** Who may post messages of channels: the inbound secret, and senders who are bound. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isInboundSecret } from '../../../http/edge/inbound-secret.ts'
import { type GatewayUnderTest, gatewayUnderTest, testKey } from '../../support/gateway.ts'

const secret = 'the-inbound-secret-of-the-test'
let running: GatewayUnderTest

beforeAll(async () => {
  running = await gatewayUnderTest({ SERVICE_INBOUND_SECRET: secret })
})
afterAll(() => running.stop())

async function post(sender: string, headers: Record<string, string> = {}, path = '/v1/inbound') {
  const answer = await fetch(`${running.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ channel: 'generic', external_id: sender, text: 'hello' }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: whatever the answer holds
  return { status: answer.status, body: (await answer.json()) as any }
}

const known = { 'x-service-inbound-secret': secret }

async function rows(sender: string): Promise<number> {
  const [row] = await running.db.system<{ n: number }>`
    select count(*)::integer as n from conversations where external_id = ${sender}`
  return row?.n ?? 0
}

describe('the inbound secret', () => {
  test.each([
    ['none', {}],
    ['a wrong one', { 'x-service-inbound-secret': `${secret}x` }],
    ['an empty one', { 'x-service-inbound-secret': '' }],
    ['a part of it', { 'x-service-inbound-secret': secret.slice(0, -1) }],
    ['a key in its place', { authorization: `Bearer ${testKey}` }],
  ])('%s: nothing is taken, on either path', async (_, headers) => {
    for (const path of ['/v1/inbound', '/v1/inbound/generic']) {
      const { status, body } = await post('nobody', headers, path)
      expect([status, body.error.code]).toEqual([401, 'unauthorized'])
      expect(JSON.stringify(body)).not.toContain(secret)
    }
    expect(await rows('nobody')).toBe(0)
  })

  test('the right one opens both paths, without a key', async () => {
    expect((await post('anna', known)).status).toBe(202)
    expect((await post('anna', known, '/v1/inbound/generic')).status).toBe(202)
  })

  test('it is not in the log', () => {
    expect(JSON.stringify(running.lines)).not.toContain(secret)
  })

  test('it is compared whole, whatever the length; where none is set, anything will do', () => {
    expect(isInboundSecret(secret, secret)).toBe(true)
    for (const wrong of ['', 'x', secret.toUpperCase(), `${secret}\0`, ` ${secret}`, 'ü'.repeat(10_000)])
      expect(isInboundSecret(wrong, secret), wrong.slice(0, 40)).toBe(false)
    expect(isInboundSecret('old', 'new')).toBe(false)
    expect(isInboundSecret('new', 'new')).toBe(true)
    expect([isInboundSecret('', ''), isInboundSecret('anything', '')]).toEqual([true, true])
  })
})

describe('a sender who is not bound', () => {
  test('is ignored, and nothing is stored', async () => {
    expect(await post('stranger', known)).toEqual({ status: 202, body: { disposition: 'ignored' } })
    expect(await rows('stranger')).toBe(0)
    const [messages] = await running.db.system<{ n: number }>`select count(*)::integer as n from messages`
    expect(messages?.n).toBe(0)
  })

  test('is heard once bound, and no longer once unbound', async () => {
    const path = '/v1/admin/channels/generic/bindings'
    expect((await running.post(path, { external_id: 'bert' })).status).toBe(200)
    expect((await post('bert', known)).body.disposition).toBe('accepted')
    expect((await post('Bert', known)).body.disposition).toBe('ignored')
    const unbound = await fetch(`${running.url}${path}/bert`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${testKey}` },
    })
    expect(unbound.status).toBe(200)
    expect((await post('bert', known)).body.disposition).toBe('ignored')
  })
})
