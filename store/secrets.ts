/** Secrets by scope and name, such as `ldap/bind_password`: sealed under the master key, of the whole installation. */
import { z } from 'zod'
import { type MasterKey, seal, unseal } from '../config/seal.ts'
import { Failure } from '../runtime/failure.ts'
import { type AuditActor, writeAudit } from './audit/audit.ts'
import { notifyChange } from './changes.ts'
import type { Database } from './database.ts'
import type { Query } from './postgres/query.ts'

export const secretLimits = { secretsMax: 1_000, valueBytesMax: 65_536 }

export const SecretScope = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,31}$/, 'a scope is 1 to 32 lower-case letters, digits and _, and begins with a letter')
export const SecretName = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_.-]{0,63}$/,
    'a name is 1 to 64 lower-case letters, digits and _ . -, and begins with a letter or digit',
  )
export const SecretValue = z
  .string()
  .min(1, 'a secret is not empty')
  .refine((value) => Buffer.byteLength(value) <= secretLimits.valueBytesMax, {
    message: `a secret has at most ${secretLimits.valueBytesMax} bytes`,
  })
  .refine((value) => value.isWellFormed() && !value.includes('\0'), {
    message: 'a secret is text without NUL and lone surrogates',
  })

export interface SecretId {
  scope: string
  name: string
}

export interface StoredSecret extends SecretId {
  updatedAt: Date
  updatedBy: string
}

export class TooManySecrets extends Failure {
  readonly code = 'too_many_secrets'
  constructor() {
    super(`the store holds ${secretLimits.secretsMax} secrets; remove one first`)
  }
}

/** All of them, without their values. */
export async function listSecrets(db: Database): Promise<StoredSecret[]> {
  return await db.system<StoredSecret>`
    select scope, name, updated_at as "updatedAt", updated_by as "updatedBy" from secrets order by scope, name`
}

/** @returns undefined where there is none @throws SealBroken where another master key sealed it */
export async function readSecret(db: Database, masterKey: () => MasterKey, id: SecretId): Promise<string | undefined> {
  const [row] = await db.system<{ value: string }>`
    select value from secrets where scope = ${id.scope} and name = ${id.name}`
  return row && unseal(masterKey(), sealedName(id), row.value)
}

/** One database, one master key: opens the newest secret, if there is one. @throws SealBroken */
export async function checkMasterKey(db: Database, masterKey: () => MasterKey): Promise<void> {
  await openNewest(db.system, masterKey)
}

async function openNewest(query: Query, masterKey: () => MasterKey): Promise<void> {
  const [newest] = await query<SecretId & { value: string }>`
    select scope, name, value from secrets order by updated_at desc, scope, name limit 1`
  if (newest) unseal(masterKey(), sealedName(newest), newest.value)
}

/** Where there is none it is made, once for all nodes. @throws TooManySecrets, SealBroken */
export async function ensureSecret(
  db: Database,
  masterKey: () => MasterKey,
  { id, make, actor }: { id: SecretId; make: () => string; actor: AuditActor },
): Promise<string> {
  const known = await readSecret(db, masterKey, id)
  if (known !== undefined) return known
  await db.transaction('system', async (query) => {
    await query`lock table secrets in share row exclusive mode`
    const made = await query`select name from secrets where scope = ${id.scope} and name = ${id.name}`
    if (made.length === 0) await writeSecret(query, masterKey, { id, value: make(), actor })
  })
  await notifyChange(db, 'secrets')
  return (await readSecret(db, masterKey, id)) ?? ensureSecret(db, masterKey, { id, make, actor })
}

/** Stores or replaces it; every process of the database is told. @throws TooManySecrets, SealBroken */
export async function setSecret(
  db: Database,
  masterKey: () => MasterKey,
  { id, value, actor }: { id: SecretId; value: string; actor: AuditActor },
): Promise<void> {
  await db.transaction('system', (query) => writeSecret(query, masterKey, { id, value, actor }))
  await notifyChange(db, 'secrets')
}

/** Within a transaction; who makes it tells the other processes. @throws TooManySecrets, SealBroken */
export async function writeSecret(
  query: Query,
  masterKey: () => MasterKey,
  { id, value, actor }: { id: SecretId; value: string; actor: AuditActor },
): Promise<void> {
  const sealed = seal(masterKey(), sealedName(id), value)
  await query`lock table secrets in share row exclusive mode`
  await openNewest(query, masterKey)
  const [{ others } = { others: 0 }] = await query<{ others: number }>`
    select count(*)::int as others from secrets where not (scope = ${id.scope} and name = ${id.name})`
  if (others >= secretLimits.secretsMax) throw new TooManySecrets()
  await query`
    insert into secrets (scope, name, value, updated_by) values (${id.scope}, ${id.name}, ${sealed}, ${actor.name})
    on conflict (scope, name) do update
    set value = excluded.value, updated_by = excluded.updated_by, updated_at = now()`
  await writeAudit(query, { actor, action: 'secret.set', target: `${id.scope}/${id.name}` })
}

/** @returns whether it was there */
export async function removeSecret(db: Database, id: SecretId, actor: AuditActor): Promise<boolean> {
  const wasThere = await db.transaction('system', (query) => deleteSecret(query, id, actor))
  if (wasThere) await notifyChange(db, 'secrets')
  return wasThere
}

/** Within a transaction. @returns whether it was there */
export async function deleteSecret(query: Query, id: SecretId, actor: AuditActor): Promise<boolean> {
  const removed = await query`delete from secrets where scope = ${id.scope} and name = ${id.name} returning name`
  if (removed.length === 0) return false
  await writeAudit(query, { actor, action: 'secret.remove', target: `${id.scope}/${id.name}` })
  return true
}

/** What a value is sealed under, so that one row's value cannot stand in another's. Settings are sealed under their keys. */
const sealedName = ({ scope, name }: SecretId): string => `secret:${scope}/${name}`
