/** Sign-in factors besides the password: authenticator codes, recovery codes and passkeys. What may be used once is used up in one statement. */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { idFrom, type OperatorId, uuidOf } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import { safeText } from '../postgres/safe-text.ts'

export interface Factors {
  hasPassword: boolean
  totpSince: Date | null
  passkeys: number
  recoveryCodesLeft: number
}

export interface NewPasskey {
  /** The credential's id, base64url. */
  id: string
  publicKey: Buffer
  counter: number
  transports: readonly string[]
  name: string
}

export interface Passkey {
  id: string
  name: string
  transports: string[]
  createdAt: Date
  usedAt: Date | null
}

/** What the answer of an authenticator is verified with. */
export interface PasskeyOwner {
  operatorId: OperatorId
  login: string
  publicKey: Buffer
}

/** Of one operator. */
export const passkeysMax = 20

/** Undefined: there is no such operator. */
export async function readFactors(db: Database, id: OperatorId): Promise<Factors | undefined> {
  const [row] = await db.system<Factors>`
    select password_hash is not null as "hasPassword", totp_confirmed_at as "totpSince",
      (select count(*)::int from operator_passkeys p where p.operator_id = o.id) as passkeys,
      (select count(*)::int from operator_recovery_codes c where c.operator_id = o.id and used_at is null) as "recoveryCodesLeft"
    from operators o where id = ${uuidOf(id)}`
  return row
}

/** Stores a secret that takes effect when a code of it is confirmed. False: there is a confirmed one. */
export async function beginTotp(db: Database, id: OperatorId, sealed: string, actor: AuditActor): Promise<boolean> {
  return await db.transaction('system', async (query) => {
    const rows = await query`
      update operators set totp_secret = ${sealed}, totp_step = 0
      where id = ${uuidOf(id)} and totp_confirmed_at is null returning id`
    if (rows.length === 0) return false
    await writeAudit(query, { actor, action: 'factor.totp_begin', target: id })
    return true
  })
}

/** The sealed secret that is not confirmed yet. */
export async function pendingTotp(db: Database, id: OperatorId): Promise<string | null> {
  const [row] = await db.system<{ totp_secret: string | null }>`
    select totp_secret from operators where id = ${uuidOf(id)} and totp_confirmed_at is null`
  return row?.totp_secret ?? null
}

/** Confirms the secret, uses up the code's step and replaces the recovery codes. False: it was replaced or confirmed in the meantime. */
export async function confirmTotp(
  db: Database,
  id: OperatorId,
  confirmation: { sealed: string; step: number; recoveryHashes: readonly Buffer[] },
  actor: AuditActor,
): Promise<boolean> {
  return await db.transaction('system', async (query) => {
    const rows = await query`
      update operators set totp_confirmed_at = now(), totp_step = ${confirmation.step}
      where id = ${uuidOf(id)} and totp_confirmed_at is null and totp_secret = ${confirmation.sealed} returning id`
    if (rows.length === 0) return false
    await storeCodes(query, id, confirmation.recoveryHashes)
    await writeAudit(query, { actor, action: 'factor.totp_add', target: id })
    return true
  })
}

/** False: a code of this step or a later one was used before, or the secret was replaced. */
export async function takeTotpStep(db: Database, id: OperatorId, sealed: string, step: number): Promise<boolean> {
  const rows = await db.system`
    update operators set totp_step = ${step}
    where id = ${uuidOf(id)} and totp_secret = ${sealed} and totp_confirmed_at is not null and totp_step < ${step}
    returning id`
  return rows.length > 0
}

/** False: there was none. Recovery codes go with the last factor. */
export async function removeTotp(db: Database, id: OperatorId, actor: AuditActor): Promise<boolean> {
  return await db.transaction('system', async (query) => {
    const rows = await query`
      update operators set totp_secret = null, totp_confirmed_at = null, totp_step = 0
      where id = ${uuidOf(id)} and totp_secret is not null returning id`
    if (rows.length === 0) return false
    await deleteUnusableCodes(query, id)
    await writeAudit(query, { actor, action: 'factor.totp_remove', target: id })
    return true
  })
}

/** The previous codes become invalid. False: this operator has no factor that a code could replace. */
export async function replaceRecoveryCodes(
  db: Database,
  id: OperatorId,
  hashes: readonly Buffer[],
  actor: AuditActor,
): Promise<boolean> {
  return await db.transaction('system', async (query) => {
    const before = await lockedFactors(query, id)
    if (!before || !hasFactor(before)) return false
    await storeCodes(query, id, hashes)
    await writeAudit(query, { actor, action: 'factor.recovery_codes', target: id })
    return true
  })
}

/** False: there is no such code, or it was used. */
export async function takeRecoveryCode(
  db: Database,
  id: OperatorId,
  hash: Buffer,
  actor: AuditActor,
): Promise<boolean> {
  return await db.transaction('system', async (query) => {
    const rows = await query`
      update operator_recovery_codes set used_at = now()
      where operator_id = ${uuidOf(id)} and hash = ${hash} and used_at is null returning hash`
    if (rows.length === 0) return false
    await writeAudit(query, { actor, action: 'factor.recovery_code_use', target: id })
    return true
  })
}

export type PasskeyAdded = { status: 'added'; areCodesNew: boolean } | { status: 'taken' } | { status: 'full' }

/** @param recoveryHashes stored where this is the operator's first factor */
export async function addPasskey(
  db: Database,
  id: OperatorId,
  passkey: NewPasskey,
  recoveryHashes: readonly Buffer[],
  actor: AuditActor,
): Promise<PasskeyAdded> {
  return await db.transaction('system', async (query): Promise<PasskeyAdded> => {
    const before = await lockedFactors(query, id)
    if (!before || before.passkeys >= passkeysMax) return { status: 'full' }
    const { publicKey, counter, transports, name } = passkey
    const rows = await query`
      insert into operator_passkeys (id, operator_id, public_key, counter, transports, name)
      values (${passkey.id}, ${uuidOf(id)}, ${publicKey}, ${counter}, ${transports}::text[], ${safeText(name)})
      on conflict (id) do nothing returning id`
    if (rows.length === 0) return { status: 'taken' }
    const areCodesNew = !hasFactor(before)
    if (areCodesNew) await storeCodes(query, id, recoveryHashes)
    await writeAudit(query, { actor, action: 'factor.passkey_add', target: id, after: { id: passkey.id, name } })
    return { status: 'added', areCodesNew }
  })
}

/** Oldest first. */
export async function listPasskeys(db: Database, id: OperatorId): Promise<Passkey[]> {
  return await db.system<Passkey>`
    select id, name, transports, created_at as "createdAt", used_at as "usedAt" from operator_passkeys
    where operator_id = ${uuidOf(id)} order by created_at, id limit ${passkeysMax}`
}

/** Undefined: there is none of this id, or its owner is disabled. */
export async function findPasskey(db: Database, id: string): Promise<PasskeyOwner | undefined> {
  const [row] = await db.system<{ operator_id: string; login: string; public_key: Buffer }>`
    select operator_id, login, public_key from operator_passkeys p
    join operators o on o.id = operator_id and not is_disabled where p.id = ${id}`
  return row && { operatorId: idFrom('oper', row.operator_id), login: row.login, publicKey: row.public_key }
}

/** False: the counter did not increase, so the authenticator was copied. One without a counter always reports 0. */
export async function advancePasskey(db: Database, id: string, counter: number): Promise<boolean> {
  const rows = await db.system`
    update operator_passkeys set counter = ${counter}, used_at = now()
    where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter} = 0)) returning id`
  return rows.length > 0
}

/** False: this operator has no such passkey. */
export async function renamePasskey(
  db: Database,
  operator: OperatorId,
  { id, name }: { id: string; name: string },
  actor: AuditActor,
): Promise<boolean> {
  return await db.transaction('system', async (query) => {
    const rows = await query`
      update operator_passkeys set name = ${safeText(name)}
      where id = ${id} and operator_id = ${uuidOf(operator)} returning id`
    if (rows.length === 0) return false
    await writeAudit(query, { actor, action: 'factor.passkey_rename', target: operator, after: { id, name } })
    return true
  })
}

/** last_way_in: without a password this passkey is the only way to sign in, and it stays. */
export async function removePasskey(
  db: Database,
  operator: OperatorId,
  id: string,
  actor: AuditActor,
): Promise<'removed' | 'unknown' | 'last_way_in'> {
  return await db.transaction('system', async (query) => {
    const before = await lockedFactors(query, operator)
    const rows = await query`
      select id from operator_passkeys where id = ${id} and operator_id = ${uuidOf(operator)}`
    if (!before || rows.length === 0) return 'unknown'
    if (!before.hasPassword && before.passkeys === 1) return 'last_way_in'
    await query`delete from operator_passkeys where id = ${id}`
    await deleteUnusableCodes(query, operator)
    await writeAudit(query, { actor, action: 'factor.passkey_remove', target: operator, before: { id } })
    return 'removed'
  })
}

interface LockedFactors {
  hasPassword: boolean
  hasTotp: boolean
  passkeys: number
}

const hasFactor = ({ hasTotp, passkeys }: LockedFactors): boolean => hasTotp || passkeys > 0

/** One change of an operator's factors at a time. */
async function lockedFactors(query: Query, id: OperatorId): Promise<LockedFactors | undefined> {
  const [row] = await query<{ has_password: boolean; has_totp: boolean }>`
    select password_hash is not null as has_password, totp_confirmed_at is not null as has_totp
    from operators where id = ${uuidOf(id)} for update`
  if (!row) return undefined
  // Counted after the lock: its previous holder may have added one.
  const [counted] = await query<{ count: number }>`
    select count(*)::int as count from operator_passkeys where operator_id = ${uuidOf(id)}`
  return { hasPassword: row.has_password, hasTotp: row.has_totp, passkeys: counted?.count ?? 0 }
}

async function storeCodes(query: Query, id: OperatorId, hashes: readonly Buffer[]): Promise<void> {
  await query`delete from operator_recovery_codes where operator_id = ${uuidOf(id)}`
  await query`
    insert into operator_recovery_codes (operator_id, hash)
    select ${uuidOf(id)}::uuid, decode(code, 'hex') from unnest(${hashes.map((hash) => hash.toString('hex'))}::text[]) as code`
}

/** Codes without a factor must not become valid again with the next factor. */
async function deleteUnusableCodes(query: Query, id: OperatorId): Promise<void> {
  await query`
    delete from operator_recovery_codes c using operators o
    where c.operator_id = ${uuidOf(id)} and o.id = c.operator_id and o.totp_confirmed_at is null
      and not exists (select from operator_passkeys p where p.operator_id = o.id)`
}
