/** Operators over the admin API on the real service: who may change whom, and how fast whoever is out is out. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstWorkspaceId } from '../../../store/id.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { browser } from './auth/support/browser.ts'
import { codeOf, firstOwner, letIn, type Person, password, withKey } from './support/people.ts'

let service: GatewayUnderTest
/** Another process of the same database. */
let other: GatewayUnderTest
let owner: Person
let admin: Person

beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_MODERATION: 'off' })
  owner = await firstOwner(service)
  admin = await letIn(service, owner, 'admin', 'admin')
  other = await gatewayUnderTest({ SERVICE_MODERATION: 'off' }, { address: service.address })
})
afterAll(async () => {
  await other?.stop()
  await service?.stop()
})

const path = (name: string) => `/v1/admin/operators${name}`
let made = 0
const someone = (role: 'owner' | 'admin' | 'operator' | 'auditor' | 'user' = 'operator', maker = owner) =>
  letIn(service, maker, role, `someone-${++made}`)

async function keyWith(maker: Person, scopes: string[], bounds: object = {}): Promise<string> {
  const issued = await maker.browser.post('/v1/admin/apikeys', { name: 'k', scopes, ...bounds })
  expect(issued.status, JSON.stringify(issued.body)).toBe(201)
  return String(issued.body['key'])
}

/** Whether this session still counts, here and in the other process. */
async function isIn(person: Person): Promise<[here: number, there: number]> {
  const headers = { cookie: person.browser.cookie }
  const [here, there] = await Promise.all(
    [service, other].map(({ url }) => fetch(`${url}/v1/admin/auth/session`, { headers })),
  )
  return [here?.status ?? 0, there?.status ?? 0]
}

/** Of the one-time link in an answer. */
const secretOf = ({ body }: { body: Record<string, unknown> }): string =>
  (body['password_link'] as { path: string }).path.replace('/set-password#', '')

async function setPassword(secret: string, chosen: string) {
  const browserOfNobody = browser(service)
  return await browserOfNobody.post('/v1/admin/auth/set-password', { secret, password: chosen })
}

async function expectOut(person: Person): Promise<void> {
  expect((await isIn(person))[0]).toBe(401)
  await expect.poll(async () => (await isIn(person))[1]).toBe(401)
}

describe('a new operator', () => {
  it('signs in with the given password, and has the role in the workspace of their maker', async () => {
    const ada = await someone('auditor')
    const seen = await ada.browser.get('/v1/admin/auth/session')
    expect(seen.body).toMatchObject({ role: 'auditor', workspace_id: firstWorkspaceId })
  })

  it('sets the password by a link that works once where none is given; nobody else sees it', async () => {
    const answer = await owner.browser.post(path(''), { login: 'Made.Up@example.com', role: 'user' })
    expect(answer).toMatchObject({ status: 201, body: { login: 'made.up@example.com', has_password: false } })
    const secret = secretOf(answer)
    expect(await setPassword(secret, 'short')).toMatchObject({ status: 400, body: { error: { param: 'password' } } })
    for (const guessable of ['Password123', 'is made.up@example.com']) {
      const refused = await setPassword(secret, guessable)
      expect(refused).toMatchObject({ status: 400, body: { error: { param: 'password' } } })
    }
    expect(await setPassword(secret, password)).toMatchObject({ status: 200, body: { login: 'made.up@example.com' } })
    expect((await browser(service).signIn('made.up@example.com', password)).status).toBe(200)
    expect(await setPassword(secret, 'another password')).toMatchObject({
      status: 401,
      body: { error: { code: 'link_refused' } },
    })
    const rows = JSON.stringify(await service.db.system`select * from operator_password_links`)
    const read = await owner.browser.get(path(`/${answer.body['id']}`))
    for (const place of [JSON.stringify(read.body), JSON.stringify(service.lines), rows])
      expect(place).not.toContain(secret)
  })

  it('has a login of their own, whatever the case', async () => {
    await someone()
    const taken = await owner.browser.post(path(''), { login: `SOMEONE-${made}`, role: 'user', password })
    expect([taken.status, codeOf(taken)]).toEqual([409, 'login_taken'])
  })

  it('is refused with the field that is wrong', async () => {
    for (const [body, param] of [
      [{ role: 'user' }, 'login'],
      [{ login: 'with blank', role: 'user' }, 'login'],
      [{ login: 'x', role: 'king' }, 'role'],
      [{ login: 'x', role: 'user', password: 'short' }, 'password'],
      [{ login: 'x', role: 'user', password: 'Password123' }, 'password'],
      [{ login: 'made.up', role: 'user', password: 'Made.Up of words' }, 'password'],
    ] as const) {
      const refused = await owner.browser.post(path(''), body)
      expect(refused).toMatchObject({ status: 400, body: { error: { param } } })
    }
  })
})

describe('the list', () => {
  it('comes in pages by login, and ends', async () => {
    for (let more = 0; more < 3; more++) await someone('user')
    const seen: string[] = []
    let cursor = ''
    for (let page = 0; page < 50; page++) {
      const { body } = await owner.browser.get(path(`?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`))
      const { items, next_cursor } = body as unknown as { items: { login: string }[]; next_cursor: string | null }
      seen.push(...items.map(({ login }) => login))
      if (next_cursor === null) break
      cursor = next_cursor
    }
    expect(seen).toContain('owner')
    expect(seen).toEqual([...new Set(seen)].sort())
  })

  it('has no one who holds no role here', async () => {
    const gone = await someone()
    expect((await owner.browser.post(path('/update'), { operator_id: gone.id, role: null })).status).toBe(200)
    expect((await owner.browser.get(path(`/${gone.id}`))).status).toBe(404)
    expect(JSON.stringify((await owner.browser.get(path('?limit=200'))).body)).not.toContain(gone.id)
    const back = await owner.browser.post(path('/add'), { login: gone.login, role: 'auditor' })
    expect(back).toMatchObject({ status: 200, body: { id: gone.id, role: 'auditor' } })
    const again = await owner.browser.post(path('/add'), { login: gone.login, role: 'user' })
    expect([again.status, codeOf(again)]).toEqual([409, 'already_here'])
  })
})

describe('an admin', () => {
  it('makes, changes and deletes others, but no owner', async () => {
    const clerk = await someone('operator', admin)
    const changed = await admin.browser.post(path('/update'), { operator_id: clerk.id, role: 'admin', name: 'Clerk' })
    expect(changed).toMatchObject({ status: 200, body: { operator: { role: 'admin', name: 'Clerk' } } })
    expect((await admin.browser.post(path('/delete'), { operator_id: clerk.id })).status).toBe(200)

    const lord = await someone('owner')
    const attempts: [path: string, body: object][] = [
      ['', { login: 'usurper', role: 'owner', password }],
      ['/update', { operator_id: lord.id, role: 'user' }],
      ['/update', { operator_id: lord.id, role: null }],
      ['/update', { operator_id: lord.id, name: 'x' }],
      ['/update', { operator_id: lord.id, is_disabled: true }],
      ['/update', { operator_id: (await someone()).id, role: 'owner' }],
      ['/delete', { operator_id: lord.id }],
      ['/reset-password', { operator_id: lord.id }],
      ['/end-sessions', { operator_id: lord.id }],
    ]
    for (const [where, body] of attempts) {
      const refused = await admin.browser.post(path(where), body)
      expect([refused.status, codeOf(refused)], `${where} ${JSON.stringify(body)}`).toEqual([403, 'role_beyond_maker'])
    }
    expect(await isIn(lord)).toEqual([200, 200])
  })

  it('cannot do by a key of their making what they may not do themselves', async () => {
    const key = await keyWith(admin, ['admin:read', 'admin:write', 'operators:write', 'chat', 'mcp'])
    const refused = await withKey(service, key, path(''), { login: 'usurper', role: 'owner', password })
    expect([refused.status, codeOf(refused)]).toEqual([403, 'role_beyond_maker'])
    const all = await admin.browser.post('/v1/admin/apikeys', { name: 'k', scopes: ['*'] })
    expect([all.status, codeOf(all)]).toEqual([403, 'scope_beyond_maker'])
  })
})

describe('a key', () => {
  const everyWay = (id: string): [string, object][] => [
    ['', { login: 'usurper', role: 'user', password }],
    ['/add', { login: 'owner', role: 'user' }],
    ['/update', { operator_id: id, role: 'user' }],
    ['/update', { operator_id: id, name: 'x' }],
    ['/delete', { operator_id: id }],
    ['/reset-password', { operator_id: id }],
    ['/end-sessions', { operator_id: id }],
  ]

  it('without the scope operators:write manages nobody', async () => {
    const key = await keyWith(owner, ['admin:read', 'admin:write', 'chat', 'mcp'])
    for (const [where, body] of everyWay((await someone()).id)) {
      const refused = await withKey(service, key, path(where), body)
      expect([where, refused.status, codeOf(refused)]).toEqual([where, 403, 'forbidden'])
    }
  })

  it.each([
    ['an expiry', { expires_at: new Date(Date.now() + 600_000).toISOString() }],
    ['allowed addresses', { allowed_ips: ['127.0.0.0/8'] }],
    ['a rate limit', { rate_limit_rpm: 500 }],
  ])('with %s manages nobody, whatever its scopes: a person would outlive it', async (_, bound) => {
    const key = await keyWith(owner, ['*'], bound)
    for (const [where, body] of everyWay((await someone()).id)) {
      const refused = await withKey(service, key, path(where), body)
      expect([where, refused.status, codeOf(refused)]).toEqual([where, 403, 'bounded_key'])
    }
  })

  it('makes, changes and resets only whom it could not become more by', async () => {
    const key = await keyWith(owner, ['operators:write', 'chat'])
    const [head, clerk] = [await someone('admin'), await someone('user')]
    for (const role of ['admin', 'operator', 'auditor'] as const) {
      const made = await withKey(service, key, path(''), { login: 'usurper', role, password })
      expect([role, made.status, codeOf(made)]).toEqual([role, 403, 'role_beyond_maker'])
      const raised = await withKey(service, key, path('/update'), { operator_id: clerk.id, role })
      expect([role, raised.status, codeOf(raised)]).toEqual([role, 403, 'role_beyond_maker'])
    }
    for (const where of ['/reset-password', '/delete', '/end-sessions']) {
      const refused = await withKey(service, key, path(where), { operator_id: head.id })
      expect([where, refused.status, codeOf(refused)]).toEqual([where, 403, 'role_beyond_maker'])
    }
    expect((await withKey(service, key, path('/end-sessions'), { operator_id: clerk.id })).status).toBe(200)
    expect((await withKey(service, key, path('/delete'), { operator_id: clerk.id })).status).toBe(200)
  })
})

describe('nobody', () => {
  it('changes their own role, disables, deletes or resets themselves; their name is theirs', async () => {
    for (const [where, body] of [
      ['/update', { role: 'admin' }],
      ['/update', { role: null }],
      ['/update', { is_disabled: true }],
      ['/delete', {}],
      ['/reset-password', {}],
    ] as const) {
      const refused = await owner.browser.post(path(where), { operator_id: owner.id, ...body })
      expect([refused.status, codeOf(refused)], where).toEqual([403, 'own_account'])
    }
    expect((await owner.browser.post(path('/update'), { operator_id: owner.id, name: 'Ada' })).status).toBe(200)
  })

  it('takes the last owner away, not even with a key that may do all', async () => {
    const key = 'sk-test-key-of-the-first-start'
    const all = await withKey(service, key, path('?limit=200'))
    const owners = (all.body['items'] as { id: string; role: string; login: string }[]).filter(
      ({ role, id }) => role === 'owner' && id !== owner.id,
    )
    for (const { id } of owners)
      expect((await withKey(service, key, path('/delete'), { operator_id: id })).status).toBe(200)
    for (const [where, body] of [
      ['/update', { role: 'user' }],
      ['/update', { role: null }],
      ['/update', { is_disabled: true }],
      ['/delete', {}],
    ] as const) {
      const refused = await withKey(service, key, path(where), { operator_id: owner.id, ...body })
      expect([refused.status, codeOf(refused)], where).toEqual([409, 'last_owner'])
    }
    expect((await owner.browser.get('/v1/admin/auth/session')).body).toMatchObject({ role: 'owner' })
  })
})

it('of two owners who take each other’s role at once, one stays', async () => {
  const [one, two] = [await someone('owner'), await someone('owner')]
  const key = 'sk-test-key-of-the-first-start'
  // The first owner steps aside, so that these two are the last.
  expect((await one.browser.post(path('/update'), { operator_id: owner.id, role: 'admin' })).status).toBe(200)
  const answers = await Promise.all([
    one.browser.post(path('/update'), { operator_id: two.id, role: null }),
    two.browser.post(path('/update'), { operator_id: one.id, role: null }),
  ])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const { body } = await withKey(service, key, path('?limit=200'))
  expect((body['items'] as { role: string }[]).filter(({ role }) => role === 'owner')).toHaveLength(1)
  await withKey(service, key, path('/update'), { operator_id: owner.id, role: 'owner' })
})

describe('whoever', () => {
  it('is disabled is out at once in every process, cannot sign in, and is not back in by being enabled', async () => {
    const clerk = await someone()
    expect(await isIn(clerk)).toEqual([200, 200])
    const disabled = await owner.browser.post(path('/update'), { operator_id: clerk.id, is_disabled: true })
    expect(disabled).toMatchObject({ status: 200, body: { operator: { is_disabled: true } } })
    await expectOut(clerk)
    expect((await browser(service).signIn(clerk.login, password)).status).toBe(401)
    await owner.browser.post(path('/update'), { operator_id: clerk.id, is_disabled: false })
    await expectOut(clerk)
    expect((await browser(service).signIn(clerk.login, password)).status).toBe(200)
  })

  it('loses the role is out at once', async () => {
    const clerk = await someone()
    expect(await isIn(clerk)).toEqual([200, 200])
    await owner.browser.post(path('/update'), { operator_id: clerk.id, role: null })
    await expectOut(clerk)
  })

  it('gets a lesser role may less with the next request', async () => {
    const clerk = await someone('admin')
    expect((await clerk.browser.get(path(''))).status).toBe(200)
    await owner.browser.post(path('/update'), { operator_id: clerk.id, role: 'user' })
    expect((await clerk.browser.get(path(''))).status).toBe(403)
  })

  it('is deleted is out at once, and stays in the audit log', async () => {
    const clerk = await someone()
    expect(await isIn(clerk)).toEqual([200, 200])
    expect((await owner.browser.post(path('/delete'), { operator_id: clerk.id })).status).toBe(200)
    await expectOut(clerk)
    expect((await owner.browser.post(path('/delete'), { operator_id: clerk.id })).status).toBe(404)
    const log = await owner.browser.get('/v1/admin/audit?limit=20')
    expect(log.body['items']).toContainEqual(
      expect.objectContaining({ action: 'operator.delete', target: clerk.id, actor: 'owner' }),
    )
  })

  it('has the password reset is out, and comes in with the one that they set by the newest link only', async () => {
    const clerk = await someone()
    const [older, link] = [
      await owner.browser.post(path('/reset-password'), { operator_id: clerk.id }),
      await owner.browser.post(path('/reset-password'), { operator_id: clerk.id }),
    ]
    expect(link).toMatchObject({
      status: 200,
      body: { password_link: { path: expect.stringMatching(/^\/set-password#[\w-]{43}$/) } },
    })
    expect(JSON.stringify(link.body)).not.toContain('"password"')
    await expectOut(clerk)
    expect((await browser(service).signIn(clerk.login, password)).status).toBe(401)
    expect((await setPassword(secretOf(older), 'a new password')).status).toBe(401)
    expect((await setPassword(secretOf(link), 'a new password')).status).toBe(200)
    expect((await browser(service).signIn(clerk.login, 'a new password')).status).toBe(200)
    const { body } = await owner.browser.get('/v1/admin/audit?limit=10')
    expect(body['items']).toContainEqual(
      expect.objectContaining({ action: 'operator.set_password', target: clerk.id, actor: clerk.login }),
    )
  })

  it('uses one link once, also when it is used twice at the same moment', async () => {
    const clerk = await someone()
    const secret = secretOf(await owner.browser.post(path('/reset-password'), { operator_id: clerk.id }))
    const answers = await Promise.all([setPassword(secret, 'password one'), setPassword(secret, 'password two')])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
  })

  it('has a link no longer once it has expired, they are disabled, or it is made another way', async () => {
    const clerk = await someone()
    const link = async () => secretOf(await owner.browser.post(path('/reset-password'), { operator_id: clerk.id }))
    const expired = await link()
    await service.db.system`update operator_password_links set expires_at = now() - interval '1 second'`
    expect((await setPassword(expired, 'a new password')).status).toBe(401)
    const disabled = await link()
    for (const is_disabled of [true, false]) {
      await owner.browser.post(path('/update'), { operator_id: clerk.id, is_disabled })
      expect((await setPassword(disabled, 'a new password')).status).toBe(401)
    }
  })

  it('has their sessions ended is out of all of them', async () => {
    const clerk = await someone()
    const second = { ...clerk, browser: browser(service) }
    await second.browser.signIn(clerk.login, password)
    expect((await owner.browser.post(path('/end-sessions'), { operator_id: clerk.id })).status).toBe(200)
    await expectOut(clerk)
    await expectOut(second)
  })
})

it('a change writes one entry that shows what changed', async () => {
  const clerk = await someone('user')
  await owner.browser.post(path('/update'), { operator_id: clerk.id, role: 'auditor' })
  const { body } = await owner.browser.get('/v1/admin/audit?limit=5')
  const entries = (body['items'] as { target: string; action: string }[]).filter(({ target }) => target === clerk.id)
  const updates = entries.filter(({ action }) => action === 'operator.update')
  expect(updates).toEqual([
    expect.objectContaining({
      detail: expect.objectContaining({
        before: expect.objectContaining({ login: clerk.login, role: 'user' }),
        after: expect.objectContaining({ login: clerk.login, role: 'auditor' }),
      }),
    }),
  ])
})

it('a write wants a proof of who is there that is not old', async () => {
  const stale = await someone('owner')
  await service.db.system`
    update operator_sessions set confirmed_at = now() - interval '11 minutes'
    where operator_id = ${stale.id.slice('oper_'.length)}`
  // A change of any operator makes the service look sessions up anew.
  await owner.browser.post(path('/update'), { operator_id: stale.id, name: 'Stale' })
  const refused = await stale.browser.post(path(''), { login: 'x', role: 'user', password })
  expect([refused.status, codeOf(refused)]).toEqual([403, 'confirmation_required'])
  expect((await stale.browser.get(path(''))).status).toBe(200)
})

// Last: it gives the first owner a role in another workspace.
describe('an owner of another workspace', () => {
  async function ownerElsewhere(): Promise<Person> {
    const other = await someone('user')
    const workspace = await owner.browser.post('/v1/admin/workspaces', { name: `w${made}` })
    expect(workspace.status).toBe(201)
    await owner.browser.post('/v1/admin/auth/workspace', { workspace_id: workspace.body['id'] })
    expect((await owner.browser.post(path('/add'), { login: other.login, role: 'owner' })).status).toBe(200)
    await owner.browser.post('/v1/admin/auth/workspace', { workspace_id: firstWorkspaceId })
    const signedIn = await other.browser.post('/v1/admin/auth/workspace', { workspace_id: workspace.body['id'] })
    expect(signedIn, JSON.stringify(signedIn.body)).toMatchObject({ status: 200, body: { role: 'owner' } })
    return other
  }

  it('learns nothing of logins that are elsewhere, and gives them no role', async () => {
    const stranger = await someone()
    const { browser: elsewhere } = await ownerElsewhere()
    const [known, unknown] = [
      await elsewhere.post(path('/add'), { login: stranger.login, role: 'auditor' }),
      await elsewhere.post(path('/add'), { login: 'nobody-at-all', role: 'auditor' }),
    ]
    expect([known.status, known.body]).toEqual([unknown.status, unknown.body])
    expect([known.status, codeOf(known)]).toEqual([404, 'not_found'])
    expect((await owner.browser.get(path(`/${stranger.id}`))).body).toMatchObject({ roles_elsewhere: 0 })
    const statuses: number[] = []
    for (let attempt = 0; attempt < 8; attempt++)
      statuses.push((await elsewhere.post(path(''), { login: stranger.login, role: 'user' })).status)
    expect([statuses[0], statuses.at(-1)]).toEqual([409, 429])
    expect((await elsewhere.post(path(''), { login: 'of-nobody', role: 'user' })).status).toBe(429)
    expect((await owner.browser.post(path(''), { login: stranger.login, role: 'user' })).status).toBe(409)
    const key = await keyWith({ ...owner, browser: elsewhere }, ['*'])
    expect((await withKey(service, key, path('/add'), { login: stranger.login, role: 'user' })).status).toBe(404)
  })
})

describe('the filters of the list', () => {
  it('find by login or name, role, state and second factor', async () => {
    const auditor = await someone('auditor')
    const { login } = (await auditor.browser.get('/v1/admin/auth/session')).body['operator'] as { login: string }
    const found = async (query: string) =>
      ((await owner.browser.get(path(`?${query}`))).body['items'] as { login: string }[]).map((one) => one.login)
    expect(await found(`q=${login.toUpperCase()}&role=auditor&disabled=false&second_factor=false`)).toEqual([login])
    for (const query of ['role=user', 'disabled=true', 'second_factor=true'])
      expect(await found(`q=${login}&${query}`), query).toEqual([])
    for (const query of ['role=king', 'disabled=perhaps', `q=${'x'.repeat(101)}`])
      expect((await owner.browser.get(path(`?${query}`))).status, query).toBe(400)
  })
})
