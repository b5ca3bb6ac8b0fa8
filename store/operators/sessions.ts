/** Operators' sessions: made at a login, found by the hash of the cookie's token, ended by time or by hand. */
import { Failure } from '../../runtime/failure.ts'
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { idFrom, newSessionId, type OperatorId, type SessionId, uuidOf, type WorkspaceId } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import { safeText } from '../postgres/safe-text.ts'
import type { OperatorRole } from './operators.ts'

export type Proof = 'password' | 'totp' | 'recovery_code' | 'passkey'

export interface NewSession {
  /** SHA-256 of the token, 32 bytes. */
  hash: Buffer
  operatorId: OperatorId
  workspaceId: WorkspaceId
  proofs: readonly Proof[]
  expiresAt: Date
  ip: string
  userAgent: string
  /** What was shown must still be what signs in; absent: nothing of it can change. */
  shown?: { passwordHash: string | null; totpSecret: string | null } | { passkey: string }
}

export interface Session {
  id: SessionId
  operatorId: OperatorId
  workspaceId: WorkspaceId
  proofs: Proof[]
  createdAt: Date
  seenAt: Date
  confirmedAt: Date
  expiresAt: Date
  ip: string
  userAgent: string
}

/** A session that counts, with what its operator may do in its workspace. */
export interface LiveSession extends Session {
  login: string
  role: OperatorRole
}

interface Row {
  id: string
  operator_id: string
  workspace_id: string
  proofs: Proof[]
  created_at: Date
  seen_at: Date
  confirmed_at: Date
  expires_at: Date
  ip: string
  user_agent: string
}

/** Between what was shown and the session made of it. */
export class SignInChanged extends Failure {
  readonly code = 'sign_in_changed'
  constructor() {
    super('the operator was disabled meanwhile, or signs in with something else, or holds no role there')
  }
}

/** Of one operator; past it the longest unseen are ended. */
export const sessionsMax = 20

export interface CreatedSession {
  id: SessionId
  /** Others that ended for it; who remembers them is to be told. */
  evicted: number
}

/**
 * Makes the session and writes the sign-in to the audit log, in one transaction.
 * @throws SignInChanged
 */
export async function createSession(db: Database, session: NewSession, actor: AuditActor): Promise<CreatedSession> {
  const id = newSessionId()
  return await db.transaction('system', async (query) => {
    if (!(await lockSignIn(query, session))) throw new SignInChanged()
    await query`
      insert into operator_sessions (id, hash, operator_id, workspace_id, expires_at, proofs, ip, user_agent)
      values (${uuidOf(id)}, ${session.hash}, ${uuidOf(session.operatorId)}, ${uuidOf(session.workspaceId)},
        ${session.expiresAt}, ${session.proofs}::text[], ${safeText(session.ip)}, ${safeText(session.userAgent)})`
    const evicted = await query`
      update operator_sessions set revoked_at = now()
      where revoked_at is null and operator_id = ${uuidOf(session.operatorId)} and id in (
        select id from operator_sessions where operator_id = ${uuidOf(session.operatorId)} and revoked_at is null
        order by seen_at desc offset ${sessionsMax}) returning id`
    await writeAudit(query, {
      actor,
      action: 'session.begin',
      target: id,
      summary: { after: { proofs: session.proofs } },
    })
    return { id, evicted: evicted.length }
  })
}

/**
 * First of all, so that whoever changes the operator has either done so, which is seen here, or comes after the session
 * and ends it. Taken later it could wait for a change that waits for the session's rows.
 */
async function lockSignIn(query: Query, { operatorId, workspaceId, shown }: NewSession): Promise<boolean> {
  const id = uuidOf(operatorId)
  const [now] = await query<{ is_disabled: boolean; password_hash: string | null; totp_secret: string | null }>`
    update operators set signed_in_at = now() where id = ${id}
    returning is_disabled, password_hash, case when totp_confirmed_at is not null then totp_secret end as totp_secret`
  if (!now || now.is_disabled) return false
  if (shown && 'passwordHash' in shown) {
    if (now.password_hash !== shown.passwordHash || now.totp_secret !== shown.totpSecret) return false
  } else if (shown) {
    const kept = await query`select from operator_passkeys where id = ${shown.passkey} and operator_id = ${id}`
    if (kept.length === 0) return false
  }
  const held = await query`
    select from operator_roles where operator_id = ${id} and workspace_id = ${uuidOf(workspaceId)}`
  return held.length > 0
}

/** Undefined: there is none, it was revoked, its time is over, or its operator has no role there any more. */
export async function findSession(db: Database, hash: Buffer, idleSeconds: number): Promise<LiveSession | undefined> {
  const [row] = await db.system<Row & { login: string; role: OperatorRole }>`
    select s.id, s.operator_id, s.workspace_id, proofs, s.created_at, seen_at, confirmed_at, expires_at, ip, user_agent, login, role
    from operator_sessions s
    join operators o on o.id = s.operator_id and not is_disabled
    join operator_roles r on r.operator_id = s.operator_id and r.workspace_id = s.workspace_id
    where hash = ${hash} and revoked_at is null and expires_at > now()
      and seen_at > now() - ${idleSeconds} * interval '1 second'`
  return row && { ...sessionFrom(row), login: row.login, role: row.role }
}

export async function touchSession(db: Database, id: SessionId): Promise<void> {
  await db.system`update operator_sessions set seen_at = now() where id = ${uuidOf(id)}`
}

/** The operator has shown again who they are, and by what. */
export async function confirmSession(db: Database, id: SessionId, proof: Proof, actor: AuditActor): Promise<void> {
  await db.transaction('system', async (query) => {
    await query`
      update operator_sessions set confirmed_at = now(),
        proofs = case when ${proof} = any (proofs) then proofs else proofs || ${proof}::text end
      where id = ${uuidOf(id)}`
    await writeAudit(query, { actor, action: 'session.confirm', target: id })
  })
}

/** Those that count, newest first. */
export async function listSessions(db: Database, operator: OperatorId, idleSeconds: number): Promise<Session[]> {
  const rows = await db.system<Row>`
    select id, operator_id, workspace_id, proofs, created_at, seen_at, confirmed_at, expires_at, ip, user_agent
    from operator_sessions where operator_id = ${uuidOf(operator)} and revoked_at is null and expires_at > now()
      and seen_at > now() - ${idleSeconds} * interval '1 second'
    order by id desc limit ${sessionsMax}`
  return rows.map(sessionFrom)
}

/** Ends sessions of this operator: the one, or all but the one. @returns how many it ended */
export async function revokeSessions(
  db: Database,
  operator: OperatorId,
  which: { only: SessionId } | { allBut: SessionId | null },
  actor: AuditActor,
): Promise<number> {
  const only = 'only' in which ? uuidOf(which.only) : null
  const but = 'allBut' in which && which.allBut ? uuidOf(which.allBut) : null
  return await db.transaction('system', async (query) => {
    const ended = await query<{ id: string }>`
      update operator_sessions set revoked_at = now()
      where operator_id = ${uuidOf(operator)} and revoked_at is null
        and (${only}::uuid is null or id = ${only}::uuid) and (${but}::uuid is null or id <> ${but}::uuid)
      returning id`
    for (const { id } of ended) await writeAudit(query, { actor, action: 'session.end', target: idFrom('sess', id) })
    return ended.length
  })
}

/** Deletes sessions that ended before `before`, at most `limit`. @returns how many */
export async function deleteEndedSessions(db: Database, before: Date, limit: number): Promise<number> {
  const rows = await db.system<{ id: string }>`
    delete from operator_sessions where id in (
      select id from operator_sessions where expires_at < ${before} order by expires_at limit ${limit}) returning id`
  return rows.length
}

/** What the installation's cookies are named after. */
export async function readInstallationId(db: Database): Promise<string> {
  const [row] = await db.system<{ id: string }>`select id from installation`
  if (!row) throw new Error('the table installation has lost its row')
  return row.id
}

function sessionFrom(row: Row): Session {
  return {
    id: idFrom('sess', row.id),
    operatorId: idFrom('oper', row.operator_id),
    workspaceId: idFrom('ws', row.workspace_id),
    proofs: row.proofs,
    createdAt: row.created_at,
    seenAt: row.seen_at,
    confirmedAt: row.confirmed_at,
    expiresAt: row.expires_at,
    ip: row.ip,
    userAgent: row.user_agent,
  }
}
