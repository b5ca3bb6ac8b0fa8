/** Changes to operators in the store: one at a time, and what a reset leaves. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newWorkspaceId, type OperatorId, uuidOf, type WorkspaceId } from '../../store/id.ts'
import {
  changeOperator,
  deleteOperator,
  LastOwner,
  resetFactors,
  resetPassword,
} from '../../store/operators/changes.ts'
import { createOperator, readOperator, setPassword } from '../../store/operators/operators.ts'
import {
  createSession,
  findSession,
  type NewSession,
  SignInChanged,
  sessionsMax,
} from '../../store/operators/sessions.ts'
import { ensureWorkspace } from '../../store/workspaces.ts'
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

test('when the last two owners are removed at the same moment, one stays', async () => {
  for (let round = 0; round < 20; round++) {
    const place = await workspace()
    const both = [await owner(place), await owner(place)]
    const away = both.map((id) => changeOperator(fresh.db, id, { role: null }, actorIn(place), permitAll))
    const results = await Promise.allSettled(away)
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: expect.any(LastOwner) })
  }
})

test('a change that is not permitted under the lock changes nothing', async () => {
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

test('a reset of factors removes all of them', async () => {
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

let sessions = 0

function signIn(
  operatorId: OperatorId,
  workspaceId: WorkspaceId,
  checkedCredentials?: NewSession['checkedCredentials'],
) {
  const hash = Buffer.alloc(32)
  hash.writeUInt32BE(++sessions)
  const times = { expiresAt: new Date(Date.now() + 3_600_000), proofs: ['password'] as const, ip: '', userAgent: '' }
  const session = { hash, operatorId, workspaceId, ...times, ...(checkedCredentials && { checkedCredentials }) }
  return { hash, made: createSession(fresh.db, session, actorIn(workspaceId)) }
}

test('no session begins with outdated credentials: another password, no passkey, no role, a disabled operator', async () => {
  const place = await workspace()
  const id = await owner(place)
  await owner(place)
  const { db } = fresh
  const old = { passwordHash: null, totpSecret: null }
  expect(await signIn(id, place, old).made).toEqual({ id: expect.stringMatching(/^sess_/), evicted: 0 })
  await resetPassword(db, id, 'other', actorIn(place), permitAll)
  const before = await readOperator(db, id)
  await expect(signIn(id, place, old).made).rejects.toThrowError(SignInChanged)
  await expect(signIn(id, place, { passkey: 'gone' }).made).rejects.toThrowError(SignInChanged)
  await expect(signIn(id, await workspace()).made).rejects.toThrowError(SignInChanged)
  await changeOperator(db, id, { isDisabled: true }, actorIn(place), permitAll)
  await expect(signIn(id, place).made).rejects.toThrowError(SignInChanged)
  expect((await readOperator(db, id))?.signedInAt).toEqual(before?.signedInAt)
})

test('past the bound the sessions unused for longest end, and their number is returned', async () => {
  const place = await workspace()
  const id = await owner(place)
  const hashes: Buffer[] = []
  for (let nth = 0; nth < sessionsMax; nth++) {
    const { hash, made } = signIn(id, place)
    expect((await made).evicted).toBe(0)
    hashes.push(hash)
  }
  expect((await signIn(id, place).made).evicted).toBe(1)
  const remainingSessions = await Promise.all(hashes.map((hash) => findSession(fresh.db, hash, 60)))
  expect(remainingSessions.map(Boolean)).toEqual(hashes.map((_, nth) => nth > 0))
})

test('an operator disabled during a sign-in has no session when enabled again', async () => {
  const place = await workspace()
  await owner(place)
  for (let round = 0; round < 10; round++) {
    const id = await owner(place)
    const { hash, made } = signIn(id, place)
    await Promise.all([
      changeOperator(fresh.db, id, { isDisabled: true }, actorIn(place), permitAll),
      made.catch((error: unknown) => expect(error).toBeInstanceOf(SignInChanged)),
    ])
    await changeOperator(fresh.db, id, { isDisabled: false }, actorIn(place), permitAll)
    expect(await findSession(fresh.db, hash, 60)).toBeUndefined()
  }
})

test('a sign-in and the deletion of its operator at the same moment wait for each other in one order', async () => {
  const place = await workspace()
  await owner(place)
  for (let round = 0; round < 20; round++) {
    const id = await owner(place)
    const results = await Promise.allSettled([
      signIn(id, place).made,
      deleteOperator(fresh.db, id, actorIn(place), permitAll),
    ])
    expect(results[1]).toMatchObject({ status: 'fulfilled', value: true })
    if (results[0]?.status === 'rejected') expect(results[0].reason).toBeInstanceOf(SignInChanged)
  }
})

test('a reset password is not undone by a change that began before', async () => {
  const place = await workspace()
  const id = await owner(place)
  await resetPassword(fresh.db, id, 'reset', actorIn(place), permitAll)
  expect(await setPassword(fresh.db, id, { before: 'old', after: 'mine' }, actorIn(place))).toBe(false)
  expect(await setPassword(fresh.db, id, { before: 'reset', after: 'mine' }, actorIn(place))).toBe(true)
})
