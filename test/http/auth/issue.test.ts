/** Whatever a key makes has no more than that key, and ends with it: keys, keys of keys, tickets, and what these open. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyChainMax } from '../../../store/api-keys/changes.ts'
import { type GatewayUnderTest, gatewayUnderTest, testKey } from '../../support/gateway.ts'
import { codeOf, withKey } from '../admin/support/people.ts'
import { readEvents } from '../events/support/sse-reader.ts'
import { chatSocket } from '../web-chat/support/chat-socket.ts'

let service: GatewayUnderTest
beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_MODERATION: 'off', SERVICE_TRUSTED_PROXIES: '127.0.0.1' })
})
afterAll(() => service?.stop())

interface Issued {
  id: string
  key: string
  made_with: string | null
}

const home = { 'x-forwarded-for': '192.0.2.7' }
const away = { 'x-forwarded-for': '198.51.100.7' }
const soon = () => new Date(Date.now() + 600_000).toISOString()
const ask = (key: string, path: string, body?: object, headers: Record<string, string> = home) =>
  withKey(service, key, path, body, headers)

async function issued(wish: object, maker = testKey): Promise<Issued> {
  const made = await ask(maker, '/v1/admin/apikeys', { name: 'k', scopes: ['admin:write', 'chat'], ...wish })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body as unknown as Issued
}

async function ticketOf(key: string, body: object = {}): Promise<{ ticket: string; expires_at: string }> {
  const made = await ask(key, '/v1/web/tickets', body)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body as { ticket: string; expires_at: string }
}

const statusOf = async ({ key }: Issued, path = '/v1/models') => (await ask(key, path)).status
const revoke = (id: string) => ask(testKey, '/v1/admin/apikeys/revoke', { id })
const rotate = (id: string, as: string) => ask(as, '/v1/admin/apikeys/rotate', { id })

describe('a key made with a key', () => {
  it('ends with it, and so do those made with that one in turn, and the list shows it', async () => {
    const parent = await issued({})
    const child = await issued({}, parent.key)
    const grandchild = await issued({ scopes: ['chat'] }, child.key)
    const sibling = await issued({})
    expect((await revoke(parent.id)).status).toBe(200)
    expect(await Promise.all([parent, child, grandchild, sibling].map((one) => statusOf(one)))).toEqual([
      401, 401, 401, 200,
    ])
    const { body } = await ask(testKey, '/v1/admin/apikeys')
    const shown = (body['items'] as { id: string; revoked_at: string | null; made_with: string | null }[]).find(
      ({ id }) => id === grandchild.id,
    )
    expect(shown).toMatchObject({ made_with: child.id, revoked_at: expect.any(String) })
  })

  it('has its open streams ended with its maker', async () => {
    const parent = await issued({})
    const child = await issued({ scopes: ['chat'] }, parent.key)
    const { ticket } = await ticketOf(child.key)
    const feed = await readEvents(`${service.url}/v1/web/stream?ticket=${ticket}`)
    const chat = await chatSocket(service.url, { ticket })
    await Promise.all([feed.untilKind('ready'), chat.untilKind('ready')])
    await revoke(parent.id)
    await feed.until(() => feed.isOver, 'the end of the feed')
    await chat.until(() => chat.closed !== undefined, 'the close of the socket')
    expect(chat.closed).toEqual({ code: 1008, reason: 'the credential has ended' })
  })

  it('is not left over by a maker that is revoked at the same moment', async () => {
    for (let round = 0; round < 10; round++) {
      const parent = await issued({})
      const [made] = await Promise.all([
        ask(parent.key, '/v1/admin/apikeys', { name: 'k', scopes: ['chat'] }),
        revoke(parent.id),
      ])
      if (made.status === 201) expect(await statusOf(made.body as unknown as Issued)).toBe(401)
      else expect([made.status, codeOf(made)]).toEqual([401, expect.stringMatching('unauthorized|maker_ended')])
    }
  })

  it('may have narrower bounds, and no wider ones', async () => {
    const parent = await issued({ allowed_ips: ['192.0.2.0/24'], rate_limit_rpm: 100, expires_at: soon() })
    const child = await issued({ allowed_ips: ['192.0.2.7'], rate_limit_rpm: 10 }, parent.key)
    expect([await statusOf(child), (await ask(child.key, '/v1/models', undefined, away)).status]).toEqual([200, 403])
    const late = new Date(Date.now() + 6_000_000).toISOString()
    const wider = {
      allowed_ips: { allowed_ips: ['192.0.0.0/16'] },
      expires_at: { expires_at: late },
      rate_limit_rpm: { rate_limit_rpm: 101 },
    }
    for (const [param, wish] of Object.entries(wider)) {
      const refused = await ask(parent.key, '/v1/admin/apikeys', { name: 'k', scopes: ['chat'], ...wish })
      expect(refused).toMatchObject({ status: 403, body: { error: { code: 'looser_than_maker', param } } })
    }
  })

  it('counts on the rate of its maker too, so that many of them have no more together', async () => {
    const parent = await issued({ rate_limit_rpm: 8 })
    const children = [await issued({ scopes: ['chat'] }, parent.key), await issued({ scopes: ['chat'] }, parent.key)]
    const statuses: number[] = []
    for (let turn = 0; turn < 8; turn++) statuses.push(await statusOf(children[turn % 2] as Issued))
    // Two of the eight made the children.
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429])
  })

  it('is at most the eighth of a chain', async () => {
    // The test's own key is the first.
    let last = await issued({})
    for (let place = 2; place < keyChainMax; place++) last = await issued({}, last.key)
    const refused = await ask(last.key, '/v1/admin/apikeys', { name: 'k', scopes: ['chat'] })
    expect([refused.status, codeOf(refused)]).toEqual([409, 'key_chain_too_long'])
  })
})

describe('a rotated key', () => {
  it('stands in the place of the old one for the keys made with that', async () => {
    const parent = await issued({})
    const child = await issued({ scopes: ['chat'] }, parent.key)
    const next = (await rotate(parent.id, testKey)).body as unknown as Issued
    expect([await statusOf(parent), await statusOf(child), await statusOf(next)]).toEqual([401, 200, 200])
    await revoke(next.id)
    expect(await statusOf(child)).toBe(401)
  })

  it('is, with bounds, rotated by itself and its makers, and no other key with bounds', async () => {
    const expires_at = soon()
    const bounded = await issued({ expires_at })
    const { made_with: firstKey } = bounded
    const child = await issued({ scopes: ['chat'] }, bounded.key)
    const foreign = await issued({ scopes: ['chat'], expires_at })
    const refused = await rotate(foreign.id, bounded.key)
    expect([refused.status, codeOf(refused)]).toEqual([403, 'bounded_key'])
    expect((await rotate(child.id, bounded.key)).status).toBe(201)
    const itself = await rotate(bounded.id, bounded.key)
    expect(itself).toMatchObject({ status: 201, body: { expires_at, made_with: firstKey } })
  })
})

describe('a ticket', () => {
  it('ends no later than its key, and opens only from the addresses of that', async () => {
    const expires_at = new Date(Date.now() + 30_000).toISOString()
    const { key } = await issued({ scopes: ['chat'], expires_at, allowed_ips: ['192.0.2.0/24'] })
    const made = await ticketOf(key, { ttl_s: 3_600 })
    expect(made.expires_at).toBe(expires_at)
    const open = async (headers: Record<string, string>) => {
      const leaving = new AbortController()
      const url = `${service.url}/v1/web/stream?ticket=${made.ticket}`
      const { status } = await fetch(url, { headers, signal: leaving.signal })
      leaving.abort()
      return status
    }
    expect([await open(home), await open(away)]).toEqual([200, 403])
  })

  it('has its frames and requests counted on the rates of its key and of the key that made that', async () => {
    const parent = await issued({ rate_limit_rpm: 5 })
    const { key } = await issued({ scopes: ['chat'] }, parent.key)
    const { ticket } = await ticketOf(key)
    const chat = await chatSocket(service.url, { ticket })
    for (const id of ['a', 'b', 'c']) chat.send({ type: 'cancel', id })
    expect(await chat.answerTo('c')).toMatchObject({ kind: 'error', error: { code: 'rate_limit_exceeded' } })
    for (const id of ['a', 'b']) expect(await chat.answerTo(id)).not.toHaveProperty('error.code', 'rate_limit_exceeded')
    expect((await ask(parent.key, '/v1/admin/apikeys/revoke', { id: parent.id })).status).toBe(429)
    await chat.leave()
  })
})

it('a key with bounds sets no fixed credential, which would have none', async () => {
  const { key } = await issued({ scopes: ['*'], expires_at: soon() })
  for (const name of ['SERVICE_COMPAT_KEY', 'SERVICE_INBOUND_SECRET']) {
    const refused = await ask(key, '/v1/admin/settings', { set: { [name]: 'x'.repeat(40) } })
    expect([refused.status, codeOf(refused)], name).toEqual([400, 'settings_refused'])
    const checked = await ask(testKey, '/v1/admin/settings/check', { set: { [name]: 'x'.repeat(40) } })
    expect(checked.body['refusals']).toEqual([])
  }
})
