/** Workspaces on the real service: their makers own them, sessions move between them, and no power reaches across. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstWorkspaceId } from '../../../store/id.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { browser } from './auth/support/browser.ts'
import { codeOf, firstOwner, letIn, type Person, password } from './support/people.ts'

let service: GatewayUnderTest
let owner: Person

beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_MODERATION: 'off' })
  owner = await firstOwner(service)
})
afterAll(() => service?.stop())

/** A new workspace, which this one owns. */
async function workspaceOf(maker: Person, name: string): Promise<string> {
  const made = await maker.browser.post('/v1/admin/workspaces', { name })
  expect(made, JSON.stringify(made.body)).toMatchObject({
    status: 201,
    body: { name, role: 'owner', is_current: false },
  })
  return String(made.body['id'])
}

const go = (person: Person, workspace: string) =>
  person.browser.post('/v1/admin/auth/workspace', { workspace_id: workspace })

describe('a workspace', () => {
  it('is made by an owner, is theirs, and has another name when they say so', async () => {
    const id = await workspaceOf(owner, 'Shop')
    await go(owner, id)
    expect((await owner.browser.post('/v1/admin/workspaces/rename', { name: 'Shop of Ada' })).status).toBe(200)
    expect((await owner.browser.get('/v1/admin/workspaces')).body['items']).toEqual([
      expect.objectContaining({ id: firstWorkspaceId, is_current: false, role: 'owner' }),
      expect.objectContaining({ id, name: 'Shop of Ada', is_current: true, role: 'owner' }),
    ])
    await go(owner, firstWorkspaceId)
  })

  it('is made by no admin, and seen by nobody without a role in it', async () => {
    const admin = await letIn(service, owner, 'admin', 'admin')
    expect((await admin.browser.post('/v1/admin/workspaces', { name: 'mine' })).status).toBe(403)
    const { body } = await admin.browser.get('/v1/admin/workspaces')
    expect((body['items'] as unknown[]).length).toBe(1)
  })

  it('has a name of 1 to 100 characters', async () => {
    for (const name of ['', '  ', 'x'.repeat(101), 'a\u0000b', 7])
      expect((await owner.browser.post('/v1/admin/workspaces', { name })).status).toBe(400)
  })
})

describe('a session that moves', () => {
  it('gets another token, keeps its end and its last proof, and sees the other workspace only', async () => {
    const other = await workspaceOf(owner, 'Elsewhere')
    const before = browser(service)
    before.cookie = owner.browser.cookie
    const until = (await owner.browser.get('/v1/admin/auth/session')).body['expires_at']
    await service.db.system`update operator_sessions set confirmed_at = now() - interval '11 minutes'`
    const moved = await go(owner, other)
    expect(moved).toMatchObject({ status: 200, body: { workspace_id: other, role: 'owner', expires_at: until } })
    expect(owner.browser.cookie).not.toBe(before.cookie)
    expect((await before.get('/v1/admin/auth/session')).status).toBe(401)
    expect((await owner.browser.get('/v1/admin/auth/session')).body).toMatchObject({ workspace_id: other })
    expect((await owner.browser.get('/v1/admin/apikeys')).body['items']).toEqual([])
    const dangerous = await owner.browser.post('/v1/admin/apikeys', { name: 'k' })
    expect([dangerous.status, codeOf(dangerous)]).toEqual([403, 'confirmation_required'])
    await owner.browser.post('/v1/admin/auth/confirm', { password })
    expect((await owner.browser.post('/v1/admin/apikeys', { name: 'k' })).body).toMatchObject({ workspace_id: other })
    await go(owner, firstWorkspaceId)
  })

  it('goes nowhere where its operator holds no role', async () => {
    const other = await workspaceOf(owner, 'Closed')
    const clerk = await letIn(service, owner, 'admin', 'clerk')
    for (const workspace of [other, `ws_${'0'.repeat(32)}`]) {
      const refused = await go(clerk, workspace)
      expect([refused.status, codeOf(refused)]).toEqual([403, 'no_role'])
    }
    expect((await clerk.browser.get('/v1/admin/auth/session')).body).toMatchObject({ workspace_id: firstWorkspaceId })
  })
})

describe('an owner of one workspace', () => {
  it('has no power over the account of somebody who holds a role in another, but over the role here', async () => {
    const lord = await letIn(service, owner, 'owner', 'lord')
    const theirs = await workspaceOf(lord, 'Of the lord')
    for (const [where, body] of [
      ['update', { is_disabled: true }],
      ['update', { name: 'x' }],
      ['delete', {}],
      ['reset-password', {}],
      ['end-sessions', {}],
    ] as const) {
      const refused = await owner.browser.post(`/v1/admin/operators/${where}`, { operator_id: lord.id, ...body })
      expect([refused.status, codeOf(refused)], where).toEqual([403, 'role_elsewhere'])
    }
    const taken = await owner.browser.post('/v1/admin/operators/update', { operator_id: lord.id, role: null })
    expect(taken.status).toBe(200)
    expect((await lord.browser.get('/v1/admin/auth/session')).status).toBe(401)
    expect((await lord.browser.signIn('lord', password)).body).toMatchObject({ workspace_id: theirs, role: 'owner' })
  })

  it('neither reads nor changes operators of another', async () => {
    const stranger = await letIn(service, owner, 'owner', 'stranger')
    const theirs = await workspaceOf(stranger, 'Of the stranger')
    await go(stranger, theirs)
    const clerk = await letIn(service, stranger, 'operator', 'clerk-elsewhere')
    expect((await owner.browser.get(`/v1/admin/operators/${clerk.id}`)).status).toBe(404)
    for (const [where, body] of [
      ['update', { role: 'user' }],
      ['update', { is_disabled: true }],
      ['delete', {}],
      ['reset-password', {}],
      ['end-sessions', {}],
    ] as const) {
      const answer = await owner.browser.post(`/v1/admin/operators/${where}`, { operator_id: clerk.id, ...body })
      expect(answer.status, where).toBe(404)
    }
    expect((await clerk.browser.get('/v1/admin/auth/session')).status).toBe(200)
  })

  it('is the last one there too: nobody leaves a workspace without', async () => {
    const founder = await letIn(service, owner, 'owner', 'founder')
    const theirs = await workspaceOf(founder, 'Founded')
    await go(founder, theirs)
    const heir = await letIn(service, founder, 'owner', 'heir')
    const away = { operator_id: founder.id, role: null }
    expect((await heir.browser.post('/v1/admin/operators/update', away)).status).toBe(200)
    // Owners of other workspaces do not count for this one.
    const key = await heir.browser.post('/v1/admin/apikeys', { name: 'all', scopes: ['*'] })
    const answer = await fetch(`${service.url}/v1/admin/operators/update`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.body['key']}`, 'content-type': 'application/json' },
      body: JSON.stringify({ operator_id: heir.id, role: null }),
    })
    expect([answer.status, codeOf({ body: (await answer.json()) as Record<string, unknown> })]).toEqual([
      409,
      'last_owner',
    ])
  })
})
