/** Operators' sessions: created at sign-in, found by the hash of the cookie's token, ended by time or by the operator. */
import { Failure } from '../../runtime/failure.ts'
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { idFrom, newSessionId, type OperatorId, type RowOf, type SessionId, uuidOf, type WorkspaceId } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import { safeText } from '../postgres/safe-text.ts'
import { sql } from '../postgres/sql.ts'
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
  /** The credentials that were checked must still be valid; absent: they cannot change. */
  checkedCredentials?: { passwordHash: string | null; totpSecret: string | null } | { passkey: string }
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

/** A valid session, with its operator's role in its workspace. */
export interface LiveSession extends Session {
  login: string
  role: OperatorRole
}

const columns = sql`s.id, s.operator_id as "operatorId", s.workspace_id as "workspaceId", proofs, s.created_at as "createdAt",
  seen_at as "seenAt", confirmed_at as "confirmedAt", expires_at as "expiresAt", ip, user_agent as "userAgent"`

/** The credentials changed between the check and the session. */
export class SignInChanged extends Failure {
  readonly code = 'sign_in_changed'
  constructor() {
    super('the operator was disabled in the meantime, signs in with something else, or has no role there')
  }
}

/** Of one operator; past it the sessions that were seen least recently end. */
export const sessionsMax = 20

export interface CreatedSession {
  id: SessionId
  /** How many others ended for it; caches of sessions have to drop them. */
  evicted: number
}

/**
 * Creates the session and audits the sign-in, in one transaction.
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
 * The first statement, so that a change of the operator either came before, and is seen here, or comes after the session,
 * and ends it. A later lock could wait for a change that waits for the session's rows.
 */
async function lockSignIn(
  query: Query,
  { operatorId, workspaceId, checkedCredentials: shown }: NewSession,
): Promise<boolean> {
  const id = uuidOf(operatorId)
  const [operator] = await query<{ is_disabled: boolean; password_hash: string | null; totp_secret: string | null }>`
    update operators set signed_in_at = now() where id = ${id}
    returning is_disabled, password_hash, case when totp_confirmed_at is not null then totp_secret end as totp_secret`
  if (!operator || operator.is_disabled) return false
  if (shown && 'passwordHash' in shown) {
    if (operator.password_hash !== shown.passwordHash || operator.totp_secret !== shown.totpSecret) return false
  } else if (shown) {
    const passkeys = await query`select from operator_passkeys where id = ${shown.passkey} and operator_id = ${id}`
    if (passkeys.length === 0) return false
  }
  const roles = await query`
    select from operator_roles where operator_id = ${id} and workspace_id = ${uuidOf(workspaceId)}`
  return roles.length > 0
}

/** Undefined: there is none, it was revoked, it has expired, or its operator no longer has a role there. */
export async function findSession(db: Database, hash: Buffer, idleSeconds: number): Promise<LiveSession | undefined> {
  const [row] = await db.system<RowOf<LiveSession>>`
    select ${columns}, login, role from operator_sessions s
    join operators o on o.id = s.operator_id and not is_disabled
    join operator_roles r on r.operator_id = s.operator_id and r.workspace_id = s.workspace_id
    where hash = ${hash} and revoked_at is null and expires_at > now()
      and seen_at > now() - ${idleSeconds} * interval '1 second'`
  return row && { ...row, ...idsOf(row) }
}

export async function touchSession(db: Database, id: SessionId): Promise<void> {
  await db.system`update operator_sessions set seen_at = now() where id = ${uuidOf(id)}`
}

/** The operator has proved again who they are. */
export async function confirmSession(db: Database, id: SessionId, proof: Proof, actor: AuditActor): Promise<void> {
  await db.transaction('system', async (query) => {
    await query`
      update operator_sessions set confirmed_at = now(),
        proofs = case when ${proof} = any (proofs) then proofs else proofs || ${proof}::text end
      where id = ${uuidOf(id)}`
    await writeAudit(query, { actor, action: 'session.confirm', target: id })
  })
}

/** The valid ones, newest first. */
export async function listSessions(db: Database, operator: OperatorId, idleSeconds: number): Promise<Session[]> {
  const rows = await db.system<RowOf<Session>>`
    select ${columns} from operator_sessions s
    where operator_id = ${uuidOf(operator)} and revoked_at is null and expires_at > now()
      and seen_at > now() - ${idleSeconds} * interval '1 second'
    order by id desc limit ${sessionsMax}`
  return rows.map((row) => ({ ...row, ...idsOf(row) }))
}

/** Ends one session of this operator, or all but one. @returns how many */
export async function revokeSessions(
  db: Database,
  operator: OperatorId,
  selection: { only: SessionId } | { allBut: SessionId | null },
  actor: AuditActor,
): Promise<number> {
  const only = 'only' in selection ? uuidOf(selection.only) : null
  const except = 'allBut' in selection && selection.allBut ? uuidOf(selection.allBut) : null
  return await db.transaction('system', async (query) => {
    const ended = await query<{ id: string }>`
      update operator_sessions set revoked_at = now()
      where operator_id = ${uuidOf(operator)} and revoked_at is null
        and (${only}::uuid is null or id = ${only}::uuid) and (${except}::uuid is null or id <> ${except}::uuid)
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

/** It is part of the names of the installation's cookies. */
export async function readInstallationId(db: Database): Promise<string> {
  const [row] = await db.system<{ id: string }>`select id from installation`
  if (!row) throw new Error('the table installation has lost its row')
  return row.id
}

function idsOf(row: RowOf<Session>): Pick<Session, 'id' | 'operatorId' | 'workspaceId'> {
  return {
    id: idFrom('sess', row.id),
    operatorId: idFrom('oper', row.operatorId),
    workspaceId: idFrom('ws', row.workspaceId),
  }
}
