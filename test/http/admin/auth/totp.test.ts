/** Authenticator apps and recovery codes on the real service: set up, asked for, spent once, and what their change ends. */
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { unseal } from '../../../../config/seal.ts'
import { notifyChange } from '../../../../store/changes.ts'
import { type GatewayUnderTest, gatewayUnderTest, until } from '../../../support/gateway.ts'
import { type Browser, browser } from './support/browser.ts'
import { anotherOperator, audited, firstOperator, password } from './support/operators.ts'

const masterKey = Buffer.alloc(32, 7)
let service: GatewayUnderTest
let ada: Browser
let secret: string

beforeAll(async () => {
  service = await gatewayUnderTest({
    SERVICE_MODERATION: 'off',
    SERVICE_MASTER_KEY: masterKey.toString('base64'),
    SERVICE_REQUIRE_2FA: '1',
    SERVICE_TRUSTED_PROXIES: '127.0.0.1',
  })
  ada = browser(service)
  await firstOperator(service, ada)
})
afterAll(() => service.stop())

/** As a phone shows it, `steps` half minutes away from now. */
const codeOf = (of: string, steps = 0): string =>
  TOTP.generate({ secret: Secret.fromBase32(of), timestamp: Date.now() + steps * 30_000 })

let address = 0
/** From an address that has failed at nothing yet. */
const elsewhere = (): Browser => browser(service, { headers: { 'x-forwarded-for': `192.0.2.${++address}` } })

/** So long later that codes of now are new again. */
const muchLater = () => service.db.system`update operators set totp_step = 0`

const wanted = { second_factor_wanted: true }

interface Enrolled {
  page: Browser
  secret: string
  /** The one that made it count. */
  code: string
  recoveryCodes: string[]
}

/** Another operator with an app: failures at one are no failures at the others. */
async function enrolled(login: string): Promise<Enrolled> {
  await anotherOperator(service, login)
  const page = elsewhere()
  await page.signIn(login, password)
  const begun = await page.post('/v1/admin/auth/totp/begin', {})
  const ownSecret = String(begun.body['secret'])
  const code = codeOf(ownSecret)
  const confirmed = await page.post('/v1/admin/auth/totp/confirm', { code })
  if (confirmed.status !== 200) throw new Error(`no app for ${login}: ${JSON.stringify(confirmed.body)}`)
  return { page, secret: ownSecret, code, recoveryCodes: confirmed.body['recovery_codes'] as string[] }
}

describe('setting up', () => {
  it('is asked for where SERVICE_REQUIRE_2FA is on, and nobody is locked out for want of it', async () => {
    expect(await elsewhere().signIn('ada', password)).toMatchObject({ status: 200, body: { ok: true, ...wanted } })
  })

  it('gives a secret that does not count before its first code was shown', async () => {
    const begun = await ada.post('/v1/admin/auth/totp/begin', {})
    expect(begun.status).toBe(200)
    secret = String(begun.body['secret'])
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(begun.body['uri']).toMatch(new RegExp(`^otpauth://totp/.*ada\\?.*secret=${secret}`))
    expect(await elsewhere().signIn('ada', password)).toMatchObject({ status: 200, body: { ok: true } })
  })

  it('keeps the secret sealed under its owner’s name', async () => {
    const [row] = await service.db.system<{ totp_secret: string; id: string }>`
      select totp_secret, id from operators where login = 'ada'`
    const name = `operator/oper_${row?.id.replaceAll('-', '')}/totp`
    expect(row?.totp_secret).not.toContain(secret)
    expect(unseal({ bytes: masterKey }, name, row?.totp_secret ?? '')).toBe(secret)
  })

  it('refuses a wrong first code', async () => {
    const other = codeOf(secret) === '123456' ? '654321' : '123456'
    const refused = await ada.post('/v1/admin/auth/totp/confirm', { code: other })
    expect(refused).toMatchObject({ status: 401, body: { error: { code: 'code_refused' } } })
  })

  it('ends the other sessions, gives ten recovery codes, and cannot be done over the one that counts', async () => {
    const other = elsewhere()
    await other.signIn('ada', password)
    const confirmed = await ada.post('/v1/admin/auth/totp/confirm', { code: codeOf(secret) })
    expect(confirmed.status).toBe(200)
    const recoveryCodes = confirmed.body['recovery_codes'] as string[]
    expect(new Set(recoveryCodes).size).toBe(10)
    expect((await other.get('/v1/admin/auth/session')).status).toBe(401)
    expect(await ada.get('/v1/admin/auth/session')).toMatchObject({
      status: 200,
      body: { second_factor_wanted: false },
    })
    const again = await ada.post('/v1/admin/auth/totp/begin', {})
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'totp_already_on' } } })
  })

  it('keeps of the recovery codes their hashes only', async () => {
    const rows = await service.db.system<{ row: string }>`
      select (to_jsonb(c) - 'operator_id')::text as row from operator_recovery_codes c`
    expect(rows).toHaveLength(10)
    for (const { row } of rows) expect(row).not.toMatch(/[A-Z0-9]{4}-[A-Z0-9]{4}|[A-Z]{4}/)
  })
})

describe('signing in with a code', () => {
  beforeEach(async () => {
    await muchLater()
  })

  it('is asked for after the right password only, and without it there is no session', async () => {
    const page = elsewhere()
    const asked = await page.signIn('ada', password)
    expect(asked).toMatchObject({
      status: 200,
      body: { ok: false, second_factor: { methods: ['totp', 'recovery_code'], passkey: null } },
    })
    expect(asked.headers.get('set-cookie')).toBeNull()
    const wrong = await page.signIn('ada', 'not the password', { code: codeOf(secret) })
    expect(wrong).toMatchObject({ status: 401, body: { error: { code: 'login_refused' } } })
    // It was not spent by the attempt without the password.
    expect(await page.signIn('ada', password, { code: codeOf(secret) })).toMatchObject({ body: { ok: true } })
  })

  it('takes each code once', async () => {
    const code = codeOf(secret)
    expect(await elsewhere().signIn('ada', password, { code })).toMatchObject({ status: 200, body: { ok: true } })
    const replayed = await elsewhere().signIn('ada', password, { code })
    expect(replayed).toMatchObject({ status: 401, body: { error: { code: 'second_factor_refused' } } })
    expect(replayed.headers.get('set-cookie')).toBeNull()
  })

  it('takes it once also when it is shown several times at the same instant', async () => {
    const code = codeOf(secret)
    const answers = await Promise.all([1, 2, 3, 4].map(() => elsewhere().signIn('ada', password, { code })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
  })

  it('refuses a code older than one that was taken', async () => {
    expect((await elsewhere().signIn('ada', password, { code: codeOf(secret, 1) })).status).toBe(200)
    expect((await elsewhere().signIn('ada', password, { code: codeOf(secret) })).status).toBe(401)
  })

  it('takes the code of a phone that is half a minute ahead, and none that is minutes off', async () => {
    expect((await elsewhere().signIn('ada', password, { code: codeOf(secret, 1) })).status).toBe(200)
    await muchLater()
    for (const steps of [-10, 10])
      expect((await elsewhere().signIn('ada', password, { code: codeOf(secret, steps) })).status).toBe(401)
  })

  it('refuses the code of another operator', async () => {
    const bob = await enrolled('bob')
    await muchLater()
    expect((await elsewhere().signIn('ada', password, { code: codeOf(bob.secret) })).status).toBe(401)
    expect((await elsewhere().signIn('bob', password, { code: codeOf(bob.secret) })).status).toBe(200)
  })

  it('is no matter of guessing: wrong codes cost a wait that grows, from whatever address they come', async () => {
    const answers: number[] = []
    for (const code of ['100001', '100002', '100003', '100004', '100005', '100006'])
      answers.push((await elsewhere().signIn('bob', password, { code })).status)
    expect(answers).toEqual([401, 401, 401, 401, 401, 401])
    const waiting = await elsewhere().signIn('bob', password, { code: '100007' })
    expect(waiting).toMatchObject({ status: 429, body: { error: { code: 'too_many_attempts' } } })
  })

  it('writes down what was shown', async () => {
    const page = elsewhere()
    await page.signIn('ada', password, { code: codeOf(secret) })
    const listed = (await page.get('/v1/admin/auth/sessions')).body['items'] as {
      is_current: boolean
      proofs: string[]
    }[]
    expect(listed.find((session) => session.is_current)?.proofs).toEqual(['password', 'totp'])
    expect(await audited(service, 'factor.')).toContain('ada factor.refused')
  })
})

describe('a recovery code', () => {
  let carol: Enrolled
  let codes: string[]
  beforeAll(async () => {
    carol = await enrolled('carol')
    codes = carol.recoveryCodes
  })
  const statusWith = async (code: string | undefined) => (await elsewhere().signIn('carol', password, { code })).status

  it('stands in once for a code, however it is written', async () => {
    expect(await statusWith(codes[0]?.toLowerCase().replaceAll('-', ' '))).toBe(200)
    expect(await statusWith(codes[0])).toBe(401)
    expect((await carol.page.get('/v1/admin/auth/factors')).body).toMatchObject({ recovery_codes_left: 9 })
    expect(await audited(service, 'factor.recovery_code_use')).toEqual(['carol factor.recovery_code_use'])
  })

  it('is taken once when it is shown twice at the same instant', async () => {
    expect((await Promise.all([statusWith(codes[1]), statusWith(codes[1])])).sort()).toEqual([200, 401])
  })

  it('is nobody else’s', async () => {
    expect((await elsewhere().signIn('ada', password, { code: codes[2] })).status).toBe(401)
    expect(await statusWith(codes[2])).toBe(200)
  })

  it('is void once there are new ones, and other sessions end', async () => {
    const other = elsewhere()
    await other.signIn('carol', password, { code: codes[3] })
    const made = await carol.page.post('/v1/admin/auth/recovery-codes', {})
    expect(made.status).toBe(200)
    expect((await other.get('/v1/admin/auth/session')).status).toBe(401)
    expect(await statusWith(codes[4])).toBe(401)
    expect(await statusWith((made.body['recovery_codes'] as string[])[4])).toBe(200)
  })
})

describe('showing again who is there', () => {
  it('is wanted before factors are changed, and takes a code that was not used before', async () => {
    const dora = await enrolled('dora')
    await service.db.system`update operator_sessions set confirmed_at = now() - interval '1 hour'`
    await notifyChange(service.db, 'sessions')
    const { page } = dora
    await until(async () => (await page.post('/v1/admin/auth/totp/begin', {})).status === 403)
    for (const path of [
      'totp/begin',
      'totp/remove',
      'recovery-codes',
      'passkeys/register/options',
      'passkeys/remove',
    ]) {
      const refused = await page.post(`/v1/admin/auth/${path}`, {})
      expect(refused, path).toMatchObject({ status: 403, body: { error: { code: 'confirmation_required' } } })
    }
    expect((await page.post('/v1/admin/auth/confirm', { code: dora.code })).status).toBe(401)
    expect((await page.post('/v1/admin/auth/confirm', { code: codeOf(dora.secret, 1) })).status).toBe(200)
    expect((await page.post('/v1/admin/auth/totp/begin', {})).status).toBe(409)
  })
})

describe('a password that somebody else has reset', () => {
  it('is not enough: the second factor stays, and is asked for', async () => {
    const { page, recoveryCodes } = await enrolled('fay')
    const { operator } = (await page.get('/v1/admin/auth/session')).body as { operator: { id: string } }
    await anotherOperator(service, 'grace')
    const grace = elsewhere()
    await grace.signIn('grace', password)
    const reset = await grace.post('/v1/admin/operators/reset-password', { operator_id: operator.id })
    const { path } = reset.body['password_link'] as { path: string }
    const set = { secret: path.split('#')[1], password: 'another correct battery' }
    expect(await elsewhere().post('/v1/admin/auth/set-password', set)).toMatchObject({ body: { login: 'fay' } })
    expect((await elsewhere().signIn('fay', password)).status).toBe(401)
    expect(await elsewhere().signIn('fay', set.password)).toMatchObject({
      body: { ok: false, second_factor: { methods: ['totp', 'recovery_code'] } },
    })
    expect((await elsewhere().signIn('fay', set.password, { code: recoveryCodes[0] })).body['ok']).toBe(true)
  })
})

describe('removing it', () => {
  it('takes the recovery codes along, ends the other sessions, and the password is enough again', async () => {
    const { page, recoveryCodes } = await enrolled('emma')
    const other = elsewhere()
    await other.signIn('emma', password, { code: recoveryCodes[5] })
    expect((await page.post('/v1/admin/auth/totp/remove', {})).status).toBe(200)
    expect((await other.get('/v1/admin/auth/session')).status).toBe(401)
    const factors = await page.get('/v1/admin/auth/factors')
    expect(factors.body).toEqual({ has_password: true, totp_since: null, passkeys: 0, recovery_codes_left: 0 })
    expect(await elsewhere().signIn('emma', password)).toMatchObject({ status: 200, body: { ok: true, ...wanted } })
    const written = (await audited(service, 'factor.totp')).filter((line) => line.startsWith('emma'))
    expect(written).toEqual(['emma factor.totp_begin', 'emma factor.totp_add', 'emma factor.totp_remove'])
  })
})
