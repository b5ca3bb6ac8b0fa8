/** Links by which operators set a password themselves. One of each operator is valid, once. */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { idFrom, type OperatorId, uuidOf } from '../id.ts'
import type { Query } from '../postgres/query.ts'

export interface NewPasswordLink {
  /** SHA-256 of its text, 32 bytes. */
  hash: Buffer
  expiresAt: Date
}

/** An earlier link of the operator ends. */
export async function storePasswordLink(query: Query, id: OperatorId, link: NewPasswordLink): Promise<void> {
  await query`
    insert into operator_password_links (operator_id, hash, expires_at)
    values (${uuidOf(id)}, ${link.hash}, ${link.expiresAt})
    on conflict (operator_id) do update
    set hash = excluded.hash, expires_at = excluded.expires_at, created_at = now()`
}

export async function endPasswordLink(query: Query, id: OperatorId): Promise<void> {
  await query`delete from operator_password_links where operator_id = ${uuidOf(id)}`
}

/** Whether the link would be accepted now. */
export async function loginOfPasswordLink(db: Database, hash: Buffer): Promise<string | undefined> {
  const [row] = await db.system<{ login: string }>`
    select o.login from operator_password_links l join operators o on o.id = l.operator_id
    where l.hash = ${hash} and l.expires_at > now() and not o.is_disabled`
  return row?.login
}

/**
 * Uses the link up: sets the password, and ends all sessions of the operator. Their second factors stay.
 * @param actor named after the operator in the audit log
 * @returns the operator's login; undefined: there is no such link, or it has ended
 */
export async function setPasswordByLink(
  db: Database,
  { hash, passwordHash }: { hash: Buffer; passwordHash: string },
  actor: Omit<AuditActor, 'name'>,
): Promise<string | undefined> {
  return await db.transaction('system', async (query) => {
    const [row] = await query<{ operator_id: string }>`
      delete from operator_password_links where hash = ${hash} and expires_at > now() returning operator_id`
    if (!row) return undefined
    const [operator] = await query<{ login: string }>`
      update operators set password_hash = ${passwordHash}
      where id = ${row.operator_id} and not is_disabled returning login`
    if (!operator) return undefined
    const { login } = operator
    await query`
      update operator_sessions set revoked_at = now() where operator_id = ${row.operator_id} and revoked_at is null`
    const target = idFrom('oper', row.operator_id)
    await writeAudit(query, {
      actor: { ...actor, name: login },
      action: 'operator.set_password',
      target,
      summary: { after: { login } },
    })
    return login
  })
}
