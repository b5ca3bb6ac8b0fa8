import { afterAll, beforeAll, expect, test } from 'vitest'
import { SealBroken } from '../../config/seal.ts'
import { firstWorkspaceId } from '../../store/id.ts'
import {
  listSecrets,
  readSecret,
  removeSecret,
  SecretValue,
  secretLimits,
  setSecret,
  TooManySecrets,
} from '../../store/secrets.ts'
import { type FreshDatabase, freshDatabase } from '../support/database.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

const masterKey = () => ({ bytes: Buffer.alloc(32, 7) })
const actor = { workspaceId: firstWorkspaceId, name: 'ada', ip: '', requestId: '' }
const password = { scope: 'ldap', name: 'bind_password' }
const certificate = { scope: 'saml', name: 'sp_key' }
const set = (id: typeof password, value: string) => setSecret(fresh.db, masterKey, { id, value, actor })

test('a secret is stored sealed, read back, replaced and removed, with its audit entries', async () => {
  await set(password, 'first')
  await set(password, 'second')
  await set(certificate, 'third')
  expect(await readSecret(fresh.db, masterKey, password)).toBe('second')
  expect(await listSecrets(fresh.db)).toMatchObject([
    { ...password, updatedBy: 'ada' },
    { ...certificate, updatedBy: 'ada' },
  ])
  const stored = JSON.stringify(await fresh.db.system`select * from secrets, audit_log`)
  for (const value of ['first', 'second', 'third']) expect(stored).not.toContain(value)

  expect(await removeSecret(fresh.db, certificate, actor)).toBe(true)
  expect(await removeSecret(fresh.db, certificate, actor)).toBe(false)
  expect(await readSecret(fresh.db, masterKey, certificate)).toBeUndefined()
  const entries = await fresh.db.system<{ action: string; target: string }>`
    select action, target from audit_log order by seq`
  expect(entries.map(({ action, target }) => `${action} ${target}`)).toEqual([
    'secret.set ldap/bind_password',
    'secret.set ldap/bind_password',
    'secret.set saml/sp_key',
    'secret.remove saml/sp_key',
  ])
})

test('a value in another row, or under another master key, cannot be opened', async () => {
  await set(password, 'of the password')
  await set(certificate, 'of the certificate')
  await fresh.db.system`
    update secrets set value = (select value from secrets where name = 'sp_key') where name = 'bind_password'`
  await expect(readSecret(fresh.db, masterKey, password)).rejects.toThrow(SealBroken)
  await expect(readSecret(fresh.db, () => ({ bytes: Buffer.alloc(32, 8) }), certificate)).rejects.toThrow(SealBroken)
})

test('the store is bounded, also for those who write at once; what is there can still be replaced', async () => {
  await fresh.db.system`delete from secrets`
  await set(password, 'value')
  await fresh.db.system`
    insert into secrets (scope, name, value, updated_by, updated_at)
    select 'filler', 'n' || n, 'v', 'test', now() - interval '1 day' from generate_series(1, ${secretLimits.secretsMax - 2}::int) n`
  const tries = await Promise.allSettled(
    Array.from({ length: 5 }, (_, n) => set({ scope: 'late', name: `n${n}` }, 'value')),
  )
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const each of tries) if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(TooManySecrets)
  await set({ scope: 'filler', name: 'n1' }, 'replaced')
  expect(await listSecrets(fresh.db)).toHaveLength(secretLimits.secretsMax)
})

test('a value is bounded in bytes, and is text that PostgreSQL and JSON can carry', () => {
  const at = 'é'.repeat(secretLimits.valueBytesMax / 2)
  expect(SecretValue.safeParse(at).success).toBe(true)
  for (const refused of [`${at}é`, '', 'a\0b', '\ud800']) expect(SecretValue.safeParse(refused).success).toBe(false)
})
