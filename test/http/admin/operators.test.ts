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

/** Whether this session still counts, here and in the other process. */
async function isIn(person: Person): Promise<[here: number, there: number]> {
  const headers = { cookie: person.browser.cookie }
  const [here, there] = await Promise.all(
    [service, other].map(({ url }) => fetch(`${url}/v1/admin/auth/session`, { headers })),
  )
  return [here?.status ?? 0, there?.status ?? 0]
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

  it('gets a password that is made up and shown once where none is given', async () => {
    const answer = await owner.browser.post(path(''), { login: 'Made.Up@example.com', role: 'user' })
    expect(answer).toMatchObject({ status: 201, body: { login: 'made.up@example.com', has_password: true } })
    const shown = String(answer.body['password'])
    expect(shown).toMatch(/^[a-z2-9]{5}(-[a-z2-9]{5}){3}$/)
    expect((await browser(service).signIn('made.up@example.com', shown)).status).toBe(200)
    const read = await owner.browser.get(path(`/${answer.body['id']}`))
    expect(JSON.stringify(read.body)).not.toContain(shown)
    expect(JSON.stringify(service.lines)).not.toContain(shown)
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
    const issued = await admin.browser.post('/v1/admin/apikeys', { name: 'k', scopes: ['admin:write', 'admin:read'] })
    const key = String(issued.body['key'])
    const refused = await withKey(service, key, path(''), { login: 'usurper', role: 'owner', password })
    expect([refused.status, codeOf(refused)]).toEqual([403, 'role_beyond_maker'])
    const all = await admin.browser.post('/v1/admin/apikeys', { name: 'k', scopes: ['*'] })
    expect([all.status, codeOf(all)]).toEqual([403, 'scope_beyond_maker'])
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

  it('gets another password is out, and comes in with that one only', async () => {
    const clerk = await someone()
    const reset = await owner.browser.post(path('/reset-password'), { operator_id: clerk.id })
    expect(reset.status).toBe(200)
    await expectOut(clerk)
    expect((await browser(service).signIn(clerk.login, password)).status).toBe(401)
    expect((await browser(service).signIn(clerk.login, String(reset.body['password']))).status).toBe(200)
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
