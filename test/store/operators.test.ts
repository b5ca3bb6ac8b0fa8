/** Changes to operators in the store: one at a time, and what a reset leaves. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newWorkspaceId, type OperatorId, uuidOf, type WorkspaceId } from '../../src/store/id.ts'
import { changeOperator, LastOwner, resetFactors } from '../../src/store/operator-changes.ts'
import { createOperator, readOperator } from '../../src/store/operators.ts'
import { ensureWorkspace } from '../../src/store/workspaces.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'

let fresh: FreshDatabase
let made = 0

beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

const actorIn = (workspaceId: WorkspaceId) => ({ workspaceId, name: 'test', ip: '', requestId: '' })
const permitAll = () => {}

async function workspace(): Promise<WorkspaceId> {
  const id = newWorkspaceId()
  await ensureWorkspace(fresh.db, id, 'test')
  return id
}

function owner(workspaceId: WorkspaceId): Promise<OperatorId> {
  const operator = { login: `owner-${++made}`, name: '', passwordHash: null, role: 'owner' } as const
  return createOperator(fresh.db, operator, actorIn(workspaceId))
}

test('of the last two owners who are taken away at the same moment, one stays', async () => {
  for (let round = 0; round < 20; round++) {
    const place = await workspace()
    const both = [await owner(place), await owner(place)]
    const away = both.map((id) => changeOperator(fresh.db, id, { role: null }, actorIn(place), permitAll))
    const results = await Promise.allSettled(away)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: expect.any(LastOwner) })
  }
})

test('what is not permitted under the lock changes nothing', async () => {
  const place = await workspace()
  const id = await owner(place)
  await owner(place)
  const refused = changeOperator(fresh.db, id, { role: 'user', name: 'x' }, actorIn(place), ({ roles }) => {
    expect(roles).toEqual([{ workspaceId: place, role: 'owner' }])
    throw new Error('not this one')
  })
  await expect(refused).rejects.toThrowError('not this one')
  expect(await readOperator(fresh.db, id)).toMatchObject({ name: '', roles: [{ role: 'owner' }] })
})

test('a reset of factors forgets all of them', async () => {
  const id = await owner(await workspace())
  const uuid = uuidOf(id)
  const { db } = fresh
  await db.system`update operators set totp_secret = 'x', totp_confirmed_at = now(), totp_step = 7 where id = ${uuid}`
  await db.system`
    insert into operator_passkeys (id, operator_id, public_key, counter, name)
    values ('key', ${uuid}, ${Buffer.from('k')}, 0, 'phone')`
  await db.system`insert into operator_recovery_codes (operator_id, hash) values (${uuid}, ${Buffer.alloc(32)})`
  expect(await readOperator(db, id)).toMatchObject({ hasTotp: true, passkeys: 1 })
  const [place] = (await readOperator(db, id))?.roles ?? []
  if (!place) throw new Error('no role')
  expect(await resetFactors(db, id, actorIn(place.workspaceId), permitAll)).toBe(true)
  expect(await readOperator(db, id)).toMatchObject({ hasTotp: false, passkeys: 0 })
  expect(await db.system`select from operator_recovery_codes where operator_id = ${uuid}`).toEqual([])
})
