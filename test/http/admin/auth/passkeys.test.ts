/** Passkeys on the real service, with an authenticator in software: made, shown, and refused where anything does not fit. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest } from '../../../support/gateway.ts'
import { type Authenticator, authenticator, type Ceremony, certified } from './support/authenticator.ts'
import { type Browser, browser } from './support/browser.ts'
import { anotherOperator, audited, firstOperator, password } from './support/operators.ts'

const origin = 'https://admin.example.com'
let service: GatewayUnderTest
let ada: Browser
let key: Authenticator

beforeAll(async () => {
  service = await gatewayUnderTest({
    SERVICE_MODERATION: 'off',
    SERVICE_WEBUI_ORIGIN: origin,
    SERVICE_CORS_ORIGINS: 'http://nas, https://192.0.2.1, https://other.example.com',
    SERVICE_TRUSTED_PROXIES: '127.0.0.1',
  })
  ada = elsewhere()
  key = authenticator()
  await firstOperator(service, ada)
})
afterAll(() => service.stop())

let address = 0
/** From an address that has failed at nothing yet. */
function elsewhere(from = origin): Browser {
  return browser(service, { origin: from, headers: { 'x-forwarded-for': `192.0.2.${++address}` } })
}

interface Asked {
  challenge_id: string
  options: unknown
}
const asked = async (page: Browser, path: string): Promise<Asked> => {
  const answer = await page.post(`/v1/admin/auth/${path}`, {})
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body as unknown as Asked
}

async function register(page: Browser, by: Authenticator, ceremony: Partial<Ceremony> = {}, name = 'laptop') {
  const { challenge_id, options } = await asked(page, 'passkeys/register/options')
  const response = by.create(options, { origin, ...ceremony })
  return await page.post('/v1/admin/auth/passkeys/register/verify', { challenge_id, name, response })
}

async function passkeyLogin(by: Authenticator, ceremony: Partial<Ceremony> = {}, page = elsewhere()) {
  const { challenge_id, options } = await asked(page, 'passkey/options')
  const response = by.get(options, { origin, ...ceremony })
  return {
    page,
    shown: { challenge_id, response },
    ...(await page.post('/v1/admin/auth/passkey/login', { challenge_id, response })),
  }
}

const refused = { status: 401, body: { error: { code: 'passkey_refused' } } }

describe('making one', () => {
  it('ends other sessions, and brings recovery codes where it is the first second factor', async () => {
    const other = elsewhere()
    await other.signIn('ada', password)
    const made = await register(ada, key)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    expect(made.body['recovery_codes']).toHaveLength(10)
    expect((await other.get('/v1/admin/auth/session')).status).toBe(401)
    const listed = await ada.get('/v1/admin/auth/passkeys')
    const one = { id: key.credentialId, name: 'laptop', transports: ['internal', 'hybrid'], used_at: null }
    expect(listed.body['items']).toMatchObject([one])
  })

  it('leaves the recovery codes of before as they are', async () => {
    const second = await register(ada, authenticator(), {}, 'phone')
    expect(second).toMatchObject({ status: 201, body: { recovery_codes: null } })
  })

  it('is refused for a credential that is kept already', async () => {
    expect(await register(ada, key)).toMatchObject({ status: 409, body: { error: { code: 'passkey_taken' } } })
  })

  it('is refused where the page, the challenge or the session is another one', async () => {
    const wrong = { status: 400, body: { error: { code: 'passkey_refused' } } }
    expect(await register(ada, authenticator(), { origin: 'https://evil.example.com' })).toMatchObject(wrong)
    expect(await register(ada, authenticator(), { challenge: 'AAAA' })).toMatchObject(wrong)
    await anotherOperator(service, 'mallory')
    const mallory = elsewhere()
    await mallory.signIn('mallory', password)
    const { challenge_id, options } = await asked(ada, 'passkeys/register/options')
    const response = authenticator().create(options, { origin })
    const stolen = await mallory.post('/v1/admin/auth/passkeys/register/verify', { challenge_id, name: 'x', response })
    expect(stolen).toMatchObject(wrong)
    const replayed = await ada.post('/v1/admin/auth/passkeys/register/verify', { challenge_id, name: 'x', response })
    expect(replayed).toMatchObject(wrong)
  })

  it('says why where browsers have no passkeys for the page', async () => {
    const pages = { 'http://nas': 'passkeys_need_https', 'https://192.0.2.1': 'passkeys_need_host_name' }
    for (const [page, code] of Object.entries(pages)) {
      const answer = await elsewhere(page).post('/v1/admin/auth/passkey/options', {})
      expect(answer, page).toMatchObject({ status: 400, body: { error: { code } } })
    }
    const none = await browser(service, { origin: '' }).post('/v1/admin/auth/passkey/options', {})
    expect(none).toMatchObject({ status: 400, body: { error: { code: 'passkeys_need_page' } } })
    const strange = await elsewhere('https://evil.example.com').post('/v1/admin/auth/passkey/options', {})
    expect(strange).toMatchObject({ status: 403, body: { error: { code: 'origin_refused' } } })
  })
})

describe('signing in with a passkey alone', () => {
  it('needs no login and no password', async () => {
    const { page, status, body } = await passkeyLogin(key)
    expect({ status, body }).toMatchObject({ status: 200, body: { ok: true, operator: { login: 'ada' } } })
    const listed = (await page.get('/v1/admin/auth/sessions')).body['items'] as {
      is_current: boolean
      proofs: string[]
    }[]
    expect(listed.find((session) => session.is_current)?.proofs).toEqual(['passkey'])
  })

  it('is refused where the authenticator has not made sure of the person', async () => {
    expect(await passkeyLogin(key, { isVerified: false })).toMatchObject(refused)
  })

  it('is refused for a page, a challenge or a passkey that is not the one', async () => {
    expect(await passkeyLogin(key, { origin: 'https://other.example.com' })).toMatchObject(refused)
    expect(await passkeyLogin(key, { challenge: 'AAAA' })).toMatchObject(refused)
    expect(await passkeyLogin(authenticator())).toMatchObject(refused)
  })

  it('takes each challenge once', async () => {
    const { page, shown, status } = await passkeyLogin(key)
    expect(status).toBe(200)
    expect(await page.post('/v1/admin/auth/passkey/login', shown)).toMatchObject(refused)
    const both = await asked(page, 'passkey/options')
    const bodies = [1, 2].map(() => ({ challenge_id: both.challenge_id, response: key.get(both.options, { origin }) }))
    const answers = await Promise.all(bodies.map((body) => elsewhere().post('/v1/admin/auth/passkey/login', body)))
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 401])
  })

  it('takes no challenge that was made for something else', async () => {
    const { challenge_id, options } = await asked(ada, 'confirm/options')
    const body = { challenge_id, response: key.get(options, { origin }) }
    expect(await elsewhere().post('/v1/admin/auth/passkey/login', body)).toMatchObject(refused)
  })

  it('is refused once the counter went back: there is a copy', async () => {
    expect((await passkeyLogin(key, { counter: 1_000 })).status).toBe(200)
    expect(await passkeyLogin(key, { counter: 1_000 })).toMatchObject(refused)
    expect(await passkeyLogin(key, { counter: 999 })).toMatchObject(refused)
    expect(await passkeyLogin(key, { counter: 0 })).toMatchObject(refused)
    expect(await audited(service, 'factor.passkey_copied')).toHaveLength(3)
    expect((await passkeyLogin(key, { counter: 1_001 })).status).toBe(200)
  })

  it('takes authenticators that do not count', async () => {
    const other = authenticator()
    await register(ada, other, { counter: 0 }, 'synced')
    for (const _ of [1, 2]) expect((await passkeyLogin(other, { counter: 0 })).status).toBe(200)
  })

  it('is refused for an operator who is disabled', async () => {
    const mallory = elsewhere()
    await mallory.signIn('mallory', password)
    const own = authenticator()
    expect((await register(mallory, own)).status).toBe(201)
    await service.db.system`update operators set is_disabled = true where login = 'mallory'`
    expect(await passkeyLogin(own)).toMatchObject(refused)
  })
})

describe('a passkey after the password', () => {
  const factorOf = async (page: Browser) => {
    const { body } = await page.signIn('ada', password)
    return (body['second_factor'] as { methods: string[]; passkey: Asked }) ?? {}
  }

  it('is asked for with the operator’s passkeys, and signs in', async () => {
    const page = elsewhere()
    const { methods, passkey } = await factorOf(page)
    expect(methods).toEqual(['recovery_code', 'passkey'])
    expect(passkey.options).toMatchObject({ rpId: 'admin.example.com' })
    const shown = {
      challenge_id: passkey.challenge_id,
      response: key.get(passkey.options, { origin, isVerified: false }),
    }
    expect(await page.signIn('ada', password, { passkey: shown })).toMatchObject({ status: 200, body: { ok: true } })
    const again = await page.signIn('ada', password, { passkey: shown })
    expect(again).toMatchObject({ status: 401, body: { error: { code: 'second_factor_refused' } } })
  })

  it('is refused where it is another operator’s', async () => {
    const bob = await anotherOperator(service, 'bob')
    expect(bob).toBeTruthy()
    const page = elsewhere()
    await page.signIn('bob', password)
    const ofBob = authenticator()
    expect((await register(page, ofBob)).status).toBe(201)
    const { passkey } = await factorOf(elsewhere())
    const shown = { challenge_id: passkey.challenge_id, response: ofBob.get(passkey.options, { origin }) }
    expect((await elsewhere().signIn('ada', password, { passkey: shown })).status).toBe(401)
  })

  it('is offered by no page that cannot have any; the recovery codes are', async () => {
    const { body } = await elsewhere('http://nas').signIn('ada', password)
    expect(body).toMatchObject({ ok: false, second_factor: { methods: ['recovery_code', 'passkey'], passkey: null } })
  })
})

describe('an attestation with a certificate', () => {
  let revocations: Server
  let asks = 0
  beforeAll(async () => {
    revocations = createServer((_request, answer) => {
      asks++
      answer.end()
    })
    await new Promise<void>((resolve) => revocations.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => new Promise((resolve) => revocations.close(resolve)))

  it('is refused before anything that it names is asked for', async () => {
    const { port } = revocations.address() as AddressInfo
    const made = await register(ada, authenticator(), {
      attestation: certified(Buffer.from(`http://127.0.0.1:${port}/list.crl`)),
    })
    expect(made).toMatchObject({ status: 400, body: { error: { code: 'passkey_refused' } } })
    const line = service.lines.findLast((one) => JSON.stringify(one).includes('a new passkey was refused'))
    expect(JSON.stringify(line)).toContain('was not asked for')
    expect(asks).toBe(0)
  })
})

describe('showing again who is there', () => {
  it('takes a passkey of the same operator, of whose person it has made sure', async () => {
    const unsure = await asked(ada, 'confirm/options')
    const withoutPerson = {
      challenge_id: unsure.challenge_id,
      response: key.get(unsure.options, { origin, isVerified: false }),
    }
    expect((await ada.post('/v1/admin/auth/confirm', { passkey: withoutPerson })).status).toBe(401)
    const { challenge_id, options } = await asked(ada, 'confirm/options')
    const passkey = { challenge_id, response: key.get(options, { origin }) }
    expect((await ada.post('/v1/admin/auth/confirm', { passkey })).status).toBe(200)
  })
})

describe('a passkey', () => {
  it('is renamed and removed by its owner only', async () => {
    const bob = elsewhere()
    await anotherOperator(service, 'eve')
    await bob.signIn('eve', password)
    for (const path of ['rename', 'remove']) {
      const body = { id: key.credentialId, ...(path === 'rename' && { name: 'mine' }) }
      expect((await bob.post(`/v1/admin/auth/passkeys/${path}`, body)).status, path).toBe(404)
    }
    expect((await ada.post('/v1/admin/auth/passkeys/rename', { id: key.credentialId, name: 'desk' })).status).toBe(200)
    const listed = (await ada.get('/v1/admin/auth/passkeys')).body['items'] as { name: string }[]
    expect(listed.map(({ name }) => name)).toEqual(['desk', 'phone', 'synced'])
  })

  it('stays where it is the only way to sign in', async () => {
    const listed = (await ada.get('/v1/admin/auth/passkeys')).body['items'] as { id: string }[]
    await service.db.system`update operators set password_hash = null where login = 'ada'`
    const answers: number[] = []
    for (const { id } of listed.reverse())
      answers.push((await ada.post('/v1/admin/auth/passkeys/remove', { id })).status)
    expect(answers).toEqual([200, 200, 409])
    expect((await passkeyLogin(key)).status).toBe(200)
  })

  it('is gone for every use once it is removed, and recovery codes with the last', async () => {
    await service.db.system`update operators set password_hash =
      (select password_hash from operators where login = 'eve') where login = 'ada'`
    expect((await ada.post('/v1/admin/auth/passkeys/remove', { id: key.credentialId })).status).toBe(200)
    expect(await passkeyLogin(key)).toMatchObject(refused)
    expect(await elsewhere().signIn('ada', password)).toMatchObject({ body: { ok: true } })
    expect((await ada.get('/v1/admin/auth/factors')).body).toMatchObject({ passkeys: 0, recovery_codes_left: 0 })
  })
})
