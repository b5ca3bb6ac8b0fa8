/** Signing in on the real service: the first operator, sessions, what a stranger's page may not do, and guessing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../../support/gateway.ts'
import { type Browser, browser } from './support/browser.ts'

let service: GatewayUnderTest
let owner: Browser
const password = 'correct horse battery'

beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_MODERATION: 'off' })
  owner = browser(service)
})
afterAll(() => service.stop())

describe('the first operator', () => {
  it('is not made without the code that the start printed', async () => {
    expect((await browser(service).get('/v1/admin/auth/setup')).body).toEqual({ is_needed: true })
    const refused = await browser(service).post('/v1/admin/auth/setup', {
      code: 'AAAA-AAAA-AAAA',
      login: 'x',
      password,
    })
    expect(refused).toMatchObject({ status: 401, body: { error: { code: 'setup_code_wrong' } } })
  })

  it('is an owner, and signed in', async () => {
    const code = service.gateway.setupCode ?? ''
    const guessable = await owner.post('/v1/admin/auth/setup', { code, login: 'Ada', password: 'password123' })
    expect(guessable).toMatchObject({ status: 400, body: { error: { param: 'password' } } })
    const made = await owner.post('/v1/admin/auth/setup', { code: code.toLowerCase(), login: 'Ada', password })
    expect(made).toMatchObject({ status: 201, body: { ok: true, role: 'owner', operator: { login: 'ada' } } })
    expect(await owner.get('/v1/admin/auth/session')).toMatchObject({ status: 200, body: { role: 'owner' } })
    expect((await owner.get('/v1/admin/overview')).status).toBe(200)
  })

  it('is made once', async () => {
    expect(service.gateway.setupCode).toBeUndefined()
    const again = await browser(service).post('/v1/admin/auth/setup', {
      code: 'AAAA-AAAA-AAAA',
      login: 'eve',
      password,
    })
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'already_set_up' } } })
  })
})

describe('the cookie', () => {
  it('is HttpOnly, SameSite=Strict, for the whole host, and named after the installation', async () => {
    const answer = await owner.raw('/v1/admin/auth/login', { login: 'ada', password })
    expect(answer.headers.get('set-cookie')).toMatch(
      /^service-session-[0-9a-f]{12}=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    )
  })

  it('is another one after each login: a session that was foisted on a browser is not the one that is signed in', async () => {
    const one = browser(service)
    one.cookie = owner.cookie
    await one.signIn('ada', password)
    expect(one.cookie).not.toBe(owner.cookie)
    expect((await owner.get('/v1/admin/auth/session')).status).toBe(200)
  })

  it('is nothing worth when it was made up', async () => {
    const stranger = browser(service)
    stranger.cookie = `${owner.cookie.split('=')[0]}=${'A'.repeat(43)}`
    expect(await stranger.get('/v1/admin/overview')).toMatchObject({
      status: 401,
      body: { error: { code: 'session_ended' } },
    })
  })
})

describe('a write with the cookie', () => {
  const agent = { conversation_id: `conv_${'0'.repeat(32)}` }

  it('is refused from a page of another origin', async () => {
    for (const origin of ['https://evil.example.com', 'http://127.0.0.1:1', 'null']) {
      const refused = await owner.post('/v1/admin/conversations/reset', agent, { origin })
      expect(refused).toMatchObject({ status: 403, body: { error: { code: 'origin_refused' } } })
    }
  })

  it('is refused without an origin', async () => {
    const refused = await owner.post('/v1/admin/conversations/reset', agent, { origin: '' })
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'origin_refused' } } })
  })

  it('is refused without the token that only our pages can read', async () => {
    const refused = await owner.post('/v1/admin/auth/logout', {}, { 'x-csrf-token': 'guessed' })
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'csrf_token_invalid' } } })
    expect((await owner.get('/v1/admin/auth/session')).status).toBe(200)
  })

  it('is taken from the admin UI', async () => {
    const taken = await owner.post('/v1/admin/auth/confirm', { password }, { origin: owner.uiOrigin })
    expect(taken.status).toBe(200)
  })
})

describe('guessing', () => {
  it('costs a growing wait, also with the right password, and names no reason', async () => {
    const guesser = browser(service)
    for (let guess = 0; guess < 6; guess++) {
      const login = guess % 2 === 0 ? 'ada' : 'nobody-of-that-name'
      const refused = await guesser.post('/v1/admin/auth/login', { login, password: `wrong ${guess}` })
      expect(refused).toMatchObject({ status: 401, body: { error: { code: 'login_refused' } } })
    }
    const waiting = await guesser.post('/v1/admin/auth/login', { login: 'ada', password })
    expect(waiting).toMatchObject({ status: 429, body: { error: { code: 'too_many_attempts' } } })
    const flood = Array.from({ length: 50 }, (_, n) =>
      guesser.post('/v1/admin/auth/login', { login: n % 2 === 0 ? 'ada' : `secret ${n}`, password }),
    )
    for (const { status } of await Promise.all(flood)) expect(status).toBe(429)
    const { items } = (await owner.get('/v1/admin/audit?action=session.throttled')).body
    expect(items).toMatchObject([{ actor: 'nobody', target: 'ada', ip: '127.0.0.1' }])
  })
})

describe('signing out', () => {
  it('ends the session at once', async () => {
    const other = browser(service)
    other.cookie = owner.cookie
    expect((await owner.post('/v1/admin/auth/logout', {})).status).toBe(200)
    expect((await other.get('/v1/admin/auth/session')).status).toBe(401)
  })
})
