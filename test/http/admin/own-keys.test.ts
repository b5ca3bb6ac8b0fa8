/** Personal keys on the real service: for chat only, their owner's only, and worth nothing once the owner is out. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownKeysMax } from '../../../store/api-keys/changes.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../../support/gateway.ts'
import { codeOf, firstOwner, letIn, type Person, withKey } from './support/people.ts'

let service: GatewayUnderTest
let owner: Person

beforeAll(async () => {
  service = await gatewayUnderTest({ SERVICE_MODERATION: 'off' })
  owner = await firstOwner(service)
})
afterAll(() => service?.stop())

async function keyOf(person: Person, more: object = {}): Promise<{ id: string; key: string }> {
  const made = await person.browser.post('/v1/admin/own-keys', { name: 'phone', ...more })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body as unknown as { id: string; key: string }
}

const models = async (key: string) => (await withKey(service, key, '/v1/models')).status

describe('a personal key', () => {
  it('of a user opens the chat and nothing else', async () => {
    const user = await letIn(service, owner, 'user', 'user')
    const made = await keyOf(user)
    expect(made).toMatchObject({ kind: 'personal', scopes: ['chat'], operator_id: user.id })
    expect(await models(made.key)).toBe(200)
    expect((await withKey(service, made.key, '/v1/admin/overview')).status).toBe(403)
    expect((await withKey(service, made.key, '/v1/admin/own-keys')).status).toBe(403)
  })

  it('cannot be given more by its owner', async () => {
    for (const more of [{ scopes: ['*'] }, { kind: 'service' }, { operator_id: owner.id }])
      expect((await owner.browser.post('/v1/admin/own-keys', { name: 'x', ...more })).status).toBe(400)
  })

  it('is listed and revoked by its owner, and by no other person through their own list', async () => {
    const [one, two] = [await letIn(service, owner, 'operator', 'one'), await letIn(service, owner, 'operator', 'two')]
    const made = await keyOf(one)
    const list = await one.browser.get('/v1/admin/own-keys')
    expect((list.body['items'] as { id: string }[]).map(({ id }) => id)).toEqual([made.id])
    expect(JSON.stringify(list.body)).not.toContain(made.key)
    expect((await two.browser.get('/v1/admin/own-keys')).body['items']).toEqual([])
    expect((await two.browser.post('/v1/admin/own-keys/revoke', { id: made.id })).status).toBe(404)
    expect(await models(made.key)).toBe(200)
    expect((await one.browser.post('/v1/admin/own-keys/revoke', { id: made.id })).status).toBe(200)
    expect(await models(made.key)).toBe(401)
  })

  it('is revoked by whoever writes keys, and never rotated by them', async () => {
    const user = await letIn(service, owner, 'user', 'revoked')
    const made = await keyOf(user)
    const rotated = await owner.browser.post('/v1/admin/apikeys/rotate', { id: made.id })
    expect([rotated.status, codeOf(rotated)]).toEqual([403, 'key_is_personal'])
    expect(await models(made.key)).toBe(200)
    expect((await owner.browser.post('/v1/admin/apikeys/revoke', { id: made.id })).status).toBe(200)
    expect(await models(made.key)).toBe(401)
  })

  it('ends with the enablement, the role and the account of its owner, with the answer that ends them', async () => {
    for (const [login, where, body] of [
      ['disabled', 'update', { is_disabled: true }],
      ['removed', 'update', { role: null }],
      ['auditing', 'update', { role: 'auditor' }],
      ['deleted', 'delete', {}],
    ] as const) {
      const person = await letIn(service, owner, 'operator', login)
      const { key } = await keyOf(person)
      expect(await models(key)).toBe(200)
      await owner.browser.post(`/v1/admin/operators/${where}`, { operator_id: person.id, ...body })
      expect(await models(key), login).toBe(401)
    }
  })

  it('is made by no auditor', async () => {
    const auditor = await letIn(service, owner, 'auditor', 'auditor')
    expect((await auditor.browser.post('/v1/admin/own-keys', { name: 'x' })).status).toBe(403)
  })

  it('is one of a bounded number, also when many are asked for at once', async () => {
    const greedy = await letIn(service, owner, 'operator', 'greedy')
    const asked = Array.from({ length: ownKeysMax + 4 }, (_, n) =>
      greedy.browser.post('/v1/admin/own-keys', { name: `k${n}` }),
    )
    const answers = await Promise.all(asked)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(ownKeysMax)
    expect(answers.filter((answer) => codeOf(answer) === 'too_many_keys')).toHaveLength(4)
  })
})
