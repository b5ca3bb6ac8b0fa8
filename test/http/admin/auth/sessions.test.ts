/** Sessions on the real service, in two processes of one database: listed, ended everywhere at once, and kept in cookies that nobody can plant. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { notifyChange } from '../../../../store/changes.ts'
import { type GatewayUnderTest, gatewayUnderTest, until } from '../../../support/gateway.ts'
import { processorMs } from '../../../support/processor-ms.ts'
import { type Browser, browser } from './support/browser.ts'
import { anotherOperator, audited, firstOperator, password } from './support/operators.ts'

const environment = { SERVICE_MODERATION: 'off', SERVICE_TRUSTED_PROXIES: '127.0.0.1' }
let service: GatewayUnderTest
let other: GatewayUnderTest
let ada: Browser

beforeAll(async () => {
  service = await gatewayUnderTest(environment)
  other = await gatewayUnderTest(environment, { address: service.address })
  ada = browser(service)
  await firstOperator(service, ada)
})
afterAll(async () => {
  await other?.stop()
  await service?.stop()
})

const own = '/v1/admin/auth/session'
let address = 0
/** From an address that has failed at nothing yet. */
const elsewhere = (at = service): Browser => browser(at, { headers: { 'x-forwarded-for': `192.0.2.${++address}` } })

async function signedIn(login = 'ada', at = service): Promise<Browser> {
  const page = elsewhere(at)
  expect((await page.signIn(login, password)).status).toBe(200)
  return page
}

/** The same browser at the other process, which has seen the session and remembers it. */
async function knownThere(page: Browser): Promise<Browser> {
  const there = browser(other)
  there.takeOver(page)
  expect((await there.get(own)).status).toBe(200)
  return there
}

interface Listed {
  id: string
  is_current: boolean
  ip: string
  proofs: string[]
}
const listed = async (page: Browser) => (await page.get('/v1/admin/auth/sessions')).body['items'] as Listed[]

describe('one’s sessions', () => {
  it('are listed with where they come from, and those of others are not', async () => {
    await anotherOperator(service, 'bob')
    await signedIn('bob')
    const page = await signedIn()
    const [newest, first] = await listed(page)
    expect(newest).toMatchObject({ is_current: true, ip: `192.0.2.${address}`, proofs: ['password'] })
    expect(first).toMatchObject({ is_current: false, ip: '127.0.0.1' })
    expect(await listed(ada)).toHaveLength(2)
  })

  it('end one by one, in every process', async () => {
    const page = await signedIn()
    const there = await knownThere(page)
    const id = (await listed(page)).find((session) => session.is_current)?.id
    expect((await ada.post('/v1/admin/auth/sessions/revoke', { id })).body).toEqual({ ok: true, sessions_ended: 1 })
    expect(await page.get(own)).toMatchObject({ status: 401, body: { error: { code: 'session_ended' } } })
    // It remembers the session for a minute: only word of the change ends it earlier.
    await until(async () => (await there.get(own)).status === 401)
    expect((await ada.post('/v1/admin/auth/sessions/revoke', { id })).status).toBe(404)
  })

  it('are nobody else’s to end', async () => {
    const bob = await signedIn('bob')
    const [mine] = await listed(ada)
    expect((await bob.post('/v1/admin/auth/sessions/revoke', { id: mine?.id })).status).toBe(404)
    expect((await bob.post('/v1/admin/auth/sessions/revoke', { all_others: true })).status).toBe(200)
    expect((await ada.get(own)).status).toBe(200)
  })

  it('end all but the one that asks', async () => {
    const pages = [await signedIn(), await signedIn()]
    expect((await ada.post('/v1/admin/auth/sessions/revoke', { all_others: true })).status).toBe(200)
    for (const page of pages) expect((await page.get(own)).status).toBe(401)
    expect(await listed(ada)).toHaveLength(1)
  })

  it('end with the one that asks too, whose cookie goes', async () => {
    const page = await signedIn()
    const id = (await listed(page)).find((session) => session.is_current)?.id
    const ended = await page.post('/v1/admin/auth/sessions/revoke', { id })
    expect(ended.headers.get('set-cookie')).toMatch(/=; .*Max-Age=0/)
    expect((await page.get(own)).status).toBe(401)
  })
})

describe('a session by itself', () => {
  it('ends where it was not used for SERVICE_SESSION_IDLE_MINUTES, and at its last hour however much it is used', async () => {
    const [idle, rested, busy] = [await signedIn(), await signedIn(), await signedIn()]
    const idOf = async (page: Browser) => (await listed(page)).find((one) => one.is_current)?.id.slice('sess_'.length)
    const seen = async (page: Browser, minutesAgo: number) =>
      await service.db.system`update operator_sessions set seen_at = now() - ${minutesAgo} * interval '1 minute'
        where id = ${(await idOf(page)) ?? ''}`
    await seen(idle, 720)
    await seen(rested, 719)
    await service.db.system`update operator_sessions set expires_at = now() where id = ${(await idOf(busy)) ?? ''}`
    await notifyChange(service.db, 'sessions')
    await until(async () => (await idle.get(own)).status === 401)
    await until(async () => (await busy.get(own)).status === 401)
    expect((await rested.get(own)).status).toBe(200)
  })
})

describe('an operator who is disabled', () => {
  it('is out at once, in every process, and does not come in again', async () => {
    const bob = await signedIn('bob')
    const there = await knownThere(bob)
    await service.db.system`update operators set is_disabled = true where login = 'bob'`
    await notifyChange(service.db, 'sessions')
    await until(async () => (await bob.get(own)).status === 401)
    await until(async () => (await there.get(own)).status === 401)
    expect(await elsewhere().signIn('bob', password)).toMatchObject({
      status: 401,
      body: { error: { code: 'login_refused' } },
    })
  })
})

describe('a password', () => {
  const fresh = 'another battery staple'

  it('is changed by whoever knows it', async () => {
    await anotherOperator(service, 'carol')
    const carol = await signedIn('carol')
    const wrong = await carol.post('/v1/admin/auth/password', { current: 'not the password', new: fresh })
    expect(wrong).toMatchObject({ status: 401, body: { error: { code: 'password_wrong', param: 'current' } } })
    const short = await carol.post('/v1/admin/auth/password', { current: password, new: 'short' })
    expect(short).toMatchObject({ status: 400, body: { error: { param: 'new' } } })
    for (const guessable of ['aaaaaaaaaa', 'Carol and nobody']) {
      const refused = await carol.post('/v1/admin/auth/password', { current: password, new: guessable })
      expect(refused).toMatchObject({ status: 400, body: { error: { param: 'new' } } })
    }
    expect((await elsewhere().signIn('carol', password)).status).toBe(200)
  })

  it('ends the other sessions when it is changed, in every process, and is written down', async () => {
    const carol = await signedIn('carol')
    const page = await signedIn('carol')
    const there = await knownThere(page)
    const changed = await carol.post('/v1/admin/auth/password', { current: password, new: fresh })
    expect(changed).toMatchObject({ status: 200, body: { ok: true } })
    expect((await page.get(own)).status).toBe(401)
    await until(async () => (await there.get(own)).status === 401)
    expect((await carol.get(own)).status).toBe(200)
    expect((await elsewhere().signIn('carol', password)).status).toBe(401)
    expect((await elsewhere().signIn('carol', fresh)).status).toBe(200)
    expect(await audited(service, 'operator.password')).toEqual(['carol operator.password'])
    expect(await audited(service, 'session.confirm_refused')).toEqual(['carol session.confirm_refused'])
  })

  it('that is changed while logins with the old one are under way lets in none of those that are still waiting', async () => {
    // Two are hashed at a time: when the first is through, others have been looked up and wait.
    const logins = Array.from({ length: 8 }, () => elsewhere().signIn('carol', fresh))
    await Promise.race(logins)
    await service.db.system`update operators set password_hash = null where login = 'carol'`
    expect((await Promise.all(logins)).map(({ status }) => status)).toContain(401)
  })

  it('is taken as it is: each of 256 characters counts, whatever they are, and its case', async () => {
    await anotherOperator(service, 'dave')
    const dave = await signedIn('dave')
    const whole = `${'Größe und слова, 42 %! '.repeat(12).slice(0, 255)}Z`
    const change = (to: string) => dave.post('/v1/admin/auth/password', { current: password, new: to })
    expect(await change(`${whole}!`)).toMatchObject({ status: 400, body: { error: { param: 'new' } } })
    expect((await change(whole)).status).toBe(200)
    const statusWith = async (entered: string) => (await elsewhere().signIn('dave', entered)).status
    expect(await statusWith(whole)).toBe(200)
    for (const other of [whole.slice(0, 255), `${whole.slice(0, 255)}z`, whole.toLowerCase(), `${whole} `])
      expect(await statusWith(other)).toBe(401)
  })
})

describe('the cookie', () => {
  it('behind a proxy that we trust and that speaks HTTPS is bound to the host, and Secure', async () => {
    const page = browser(service, {
      origin: `https://127.0.0.1:${service.gateway.port}`,
      headers: { 'x-forwarded-proto': 'https' },
    })
    const answer = await page.raw('/v1/admin/auth/login', { login: 'ada', password })
    const flags = 'Path=/; HttpOnly; SameSite=Strict; Secure'
    expect(answer.headers.get('set-cookie')).toMatch(
      new RegExp(`^__Host-service-session-[0-9a-f]{12}=[\\w-]{43}; ${flags}$`),
    )
  })

  it('of another scheme is none: what was planted over plain HTTP is not taken over HTTPS', async () => {
    const page = await signedIn()
    expect((await page.get(own, { 'x-forwarded-proto': 'https' })).status).toBe(401)
    expect((await page.get(own)).status).toBe(200)
  })

  it('is not Secure because a peer that we do not trust says HTTPS', async () => {
    const plain = await gatewayUnderTest({ SERVICE_MODERATION: 'off' }, { address: service.address })
    try {
      const page = browser(plain, { headers: { 'x-forwarded-proto': 'https' } })
      const { headers } = await page.signIn('ada', password)
      expect(headers.get('set-cookie')).not.toMatch(/__Host-|Secure/)
    } finally {
      await plain.stop()
    }
  })

  it('that was foisted on a browser before it signed in is worth nothing afterwards', async () => {
    const planted = `${ada.cookie.split('=')[0]}=${'P'.repeat(43)}`
    const victim = elsewhere()
    victim.cookie = planted
    await victim.signIn('ada', password)
    expect(victim.cookie).not.toBe(planted)
    const attacker = elsewhere()
    attacker.cookie = planted
    expect((await attacker.get(own)).status).toBe(401)
  })
})

describe('a login that nobody has', () => {
  it('takes as long to refuse as a wrong password', async () => {
    const took = { known: [] as number[], unknown: [] as number[] }
    const guess = (login: string) =>
      processorMs(async () => {
        expect((await elsewhere().signIn(login, 'not the password')).status).toBe(401)
      })
    // A password of the service's own making, at its price.
    const page = await signedIn()
    await page.post('/v1/admin/auth/password', { current: password, new: 'another battery staple' })
    await guess('warms-up')
    for (let round = 0; round < 7; round++) {
      took.known.push(await guess('ada'))
      took.unknown.push(await guess(`nobody-${round}`))
    }
    const median = (values: number[]) => values.sort((one, two) => one - two)[3] ?? 0
    const ratio = median(took.unknown) / median(took.known)
    expect(ratio).toBeGreaterThan(0.4)
    expect(ratio).toBeLessThan(2.5)
  })
})
