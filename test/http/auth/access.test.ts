/** Who may do what: 401 for not known, 403 for known and not allowed, 429 for too often. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { admin, key, open, type Principal } from '../../../http/access.ts'
import { rateLimiter } from '../../../http/auth/rate-limiter.ts'
import { route } from '../../../http/route.ts'
import { newApiKeyId } from '../../../store/id.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import { fixedKeys, principal, type TestGateway, testGateway } from '../support/server.ts'

const face = { tag: 'test', summary: 'test', answers: {} } as const
const routes = [
  route({
    ...face,
    access: key('chat'),
    method: 'POST',
    path: '/chat',
    handle: (call) => ({ kind: call.principal.kind }),
  }),
  route({ ...face, access: open, method: 'POST', path: '/sign-in', handle: () => ({ csrf_token: 'of the session' }) }),
  route({ ...face, access: open, method: 'GET', path: '/public', handle: () => ({ ok: true }) }),
  route({ ...face, access: admin('keys.read'), method: 'GET', path: '/read', handle: () => ({ ok: true }) }),
  route({ ...face, access: admin('keys.write'), method: 'POST', path: '/write', handle: () => ({ ok: true }) }),
]
const limited: Principal = { ...principal('chat'), rateLimitRpm: 3, keyId: newApiKeyId() }
const keys = fixedKeys({
  chat: principal('chat'),
  read: principal('admin:read'),
  all: principal('*'),
  personal: { ...principal('chat', 'admin:read'), kind: 'personal' },
  limited,
})

let test: TestGateway
const clock = virtualClock()
beforeAll(async () => {
  test = await testGateway(routes, { keys, limits: rateLimiter(clock), policy: { arePersonalKeysAllowed: false } })
})
afterAll(() => test.stop())

const ask = (method: string, path: string, bearer?: string) =>
  fetch(`${test.url}${path}`, { method, headers: bearer === undefined ? {} : { authorization: `Bearer ${bearer}` } })

describe('401', () => {
  it('is the answer to no credential, and says how to send one', async () => {
    const answer = await ask('POST', '/chat')
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(await answer.json()).toMatchObject({ error: { type: 'invalid_request_error', code: 'unauthorized' } })
  })
  it('is the answer to an unknown one', async () => expect((await ask('GET', '/read', 'nobody')).status).toBe(401))
  it('is the answer to a personal key where those are switched off, and 403 elsewhere: it administers nothing, whatever its scopes', async () => {
    expect((await ask('POST', '/chat', 'personal')).status).toBe(401)
    expect((await ask('GET', '/read', 'personal')).status).toBe(403)
  })
})

describe('403', () => {
  it('is the answer to a key without the scope', async () => {
    const answer = await ask('GET', '/read', 'chat')
    expect(answer.status).toBe(403)
    expect(await answer.json()).toMatchObject({ error: { type: 'permission_error', code: 'forbidden' } })
    expect((await ask('POST', '/write', 'read')).status).toBe(403)
    expect((await ask('POST', '/chat', 'read')).status).toBe(403)
  })
  it('is not the answer to *', async () => {
    for (const [method, path] of [
      ['POST', '/chat'],
      ['GET', '/read'],
      ['POST', '/write'],
    ] as const) {
      expect((await ask(method, path, 'all')).status).toBe(200)
    }
  })
})

describe('429', () => {
  it('is the answer past the rate of a key, whatever it asks for, with what it needs to wait', async () => {
    const seen: (string | null)[] = []
    for (let request = 0; request < 3; request++) {
      const answer = await ask(request === 2 ? 'GET' : 'POST', request === 2 ? '/read' : '/chat', 'limited')
      expect(answer.status).toBe(request === 2 ? 403 : 200)
      seen.push(answer.headers.get('ratelimit-remaining'))
    }
    expect(seen).toEqual(['2', '1', '0'])
    const refused = await ask('POST', '/chat', 'limited')
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } })
    expect(Object.fromEntries(refused.headers)).toMatchObject({
      'retry-after': '60',
      'ratelimit-limit': '3',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '60',
    })
    await clock.advance(60_000)
    expect((await ask('POST', '/chat', 'limited')).status).toBe(200)
  })
})

it('answers to a credential are kept by no cache, nor those that bring one, nor refusals', async () => {
  for (const answer of [ask('POST', '/chat', 'chat'), ask('GET', '/read', 'chat'), ask('POST', '/sign-in')])
    expect((await answer).headers.get('cache-control')).toBe('no-store')
  expect((await ask('GET', '/public')).headers.get('cache-control')).toBeNull()
})
