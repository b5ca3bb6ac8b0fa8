/** Changes to operators, one at a time; sessions and factors that a change ends go in the same transaction. */
import { Failure } from '../../runtime/failure.ts'
import { type AuditActor, type AuditEntry, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { idFrom, type OperatorId, uuidOf, type WorkspaceId } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import type { OperatorRole, RoleGrant } from './operators.ts'
import { endPasswordLink, type NewPasswordLink, storePasswordLink } from './password-links.ts'

/** A workspace without an owner could never get one again. */
export class LastOwner extends Failure {
  readonly code = 'last_owner'
  constructor() {
    super('this is the last owner of a workspace who can sign in; make another one first')
  }
}

/** An operator as read under the lock: what is decided by it is still true when the change is written. */
export interface LockedOperator {
  login: string
  name: string
  isDisabled: boolean
  roles: RoleGrant[]
}

/** Throws where the actor may not do this to this operator. */
export type Permit = (operator: LockedOperator) => void

export interface OperatorChange {
  name?: string | undefined
  isDisabled?: boolean | undefined
  /** Null removes the role in the actor's workspace. */
  role?: OperatorRole | null | undefined
}

/** False: there is no such operator. @throws LastOwner, or what `permit` throws; nothing was changed then */
export function changeOperator(
  db: Database,
  id: OperatorId,
  change: OperatorChange,
  actor: AuditActor,
  permit: Permit,
): Promise<boolean> {
  return changeLocked(db, id, permit, async (query, before) => {
    const { workspaceId } = actor
    const role = before.roles.find((grant) => grant.workspaceId === workspaceId)?.role ?? null
    const current = { name: before.name, isDisabled: before.isDisabled, role }
    const after = {
      name: change.name ?? current.name,
      isDisabled: change.isDisabled ?? current.isDisabled,
      role: change.role === undefined ? role : change.role,
    }
    await query`update operators set name = ${after.name}, is_disabled = ${after.isDisabled} where id = ${uuidOf(id)}`
    await setRole(query, id, after.role, actor)
    await refuseWithoutOwner(query, before)
    // A session that stayed would work again together with the role.
    if (after.isDisabled) await endPasswordLink(query, id)
    if (after.isDisabled) await endSessions(query, id)
    else if (after.role === null) await endSessions(query, id, workspaceId)
    const summary = { before: { login: before.login, ...current }, after: { login: before.login, ...after } }
    return { actor, action: 'operator.update', target: id, summary }
  })
}

/** False: there is no such operator. Its sessions, factors and personal keys go with it. @throws LastOwner */
export function deleteOperator(db: Database, id: OperatorId, actor: AuditActor, permit: Permit): Promise<boolean> {
  return changeLocked(db, id, permit, async (query, before) => {
    await query`delete from operators where id = ${uuidOf(id)}`
    await refuseWithoutOwner(query, before)
    const summary = { before: { login: before.login, name: before.name, roles: before.roles } }
    return { actor, action: 'operator.delete', target: id, summary }
  })
}

/** False: there is no such operator. All its sessions end. */
export function resetPassword(
  db: Database,
  id: OperatorId,
  passwordHash: string,
  actor: AuditActor,
  permit: Permit,
): Promise<boolean> {
  return changeLocked(db, id, permit, async (query, { login }) => {
    await query`update operators set password_hash = ${passwordHash} where id = ${uuidOf(id)}`
    await endPasswordLink(query, id)
    await endSessions(query, id)
    return { actor, action: 'operator.reset_password', target: id, summary: { after: { login } } }
  })
}

/** The password ends, and the link sets another. False: there is no such operator. All its sessions end. */
export function resetPasswordByLink(
  db: Database,
  id: OperatorId,
  link: NewPasswordLink,
  actor: AuditActor,
  permit: Permit,
): Promise<boolean> {
  return changeLocked(db, id, permit, async (query, { login }) => {
    await query`update operators set password_hash = null where id = ${uuidOf(id)}`
    await storePasswordLink(query, id, link)
    await endSessions(query, id)
    const after = { login, linkUntil: link.expiresAt }
    return { actor, action: 'operator.reset_password', target: id, summary: { after } }
  })
}

/** Deletes authenticator, recovery codes and passkeys, and ends all sessions. False: there is no such operator. */
export function resetFactors(db: Database, id: OperatorId, actor: AuditActor, permit: Permit): Promise<boolean> {
  return changeLocked(db, id, permit, async (query, { login }) => {
    await query`
      update operators set totp_secret = null, totp_confirmed_at = null, totp_step = 0 where id = ${uuidOf(id)}`
    await query`delete from operator_passkeys where operator_id = ${uuidOf(id)}`
    await query`delete from operator_recovery_codes where operator_id = ${uuidOf(id)}`
    await endSessions(query, id)
    return { actor, action: 'operator.reset_factors', target: id, summary: { after: { login } } }
  })
}

/** False: there is no such operator. */
export function endOperatorSessions(db: Database, id: OperatorId, actor: AuditActor, permit: Permit): Promise<boolean> {
  return changeLocked(db, id, permit, async (query, { login }) => {
    const ended = await endSessions(query, id)
    return { actor, action: 'operator.end_sessions', target: id, summary: { after: { login, ended } } }
  })
}

async function changeLocked(
  db: Database,
  id: OperatorId,
  permit: Permit,
  work: (query: Query, before: LockedOperator) => Promise<AuditEntry>,
): Promise<boolean> {
  return await db.transaction('system', async (query) => {
    // One lock for the whole table: whether this is the last owner depends on all operators.
    await query`lock table operators in share row exclusive mode`
    const before = await readLocked(query, id)
    if (!before) return false
    permit(before)
    await writeAudit(query, await work(query, before))
    return true
  })
}

async function readLocked(query: Query, id: OperatorId): Promise<LockedOperator | undefined> {
  const [row] = await query<{ login: string; name: string; is_disabled: boolean }>`
    select login, name, is_disabled from operators where id = ${uuidOf(id)}`
  if (!row) return undefined
  const roles = await query<{ workspace_id: string; role: OperatorRole }>`
    select workspace_id, role from operator_roles where operator_id = ${uuidOf(id)} order by granted_at`
  return {
    login: row.login,
    name: row.name,
    isDisabled: row.is_disabled,
    roles: roles.map(({ workspace_id, role }) => ({ workspaceId: idFrom('ws', workspace_id), role })),
  }
}

async function setRole(query: Query, id: OperatorId, role: OperatorRole | null, actor: AuditActor): Promise<void> {
  const workspace = uuidOf(actor.workspaceId)
  if (role === null) {
    await query`delete from operator_roles where operator_id = ${uuidOf(id)} and workspace_id = ${workspace}`
    return
  }
  await query`
    insert into operator_roles (operator_id, workspace_id, role, granted_by)
    values (${uuidOf(id)}, ${workspace}, ${role}, ${actor.name})
    on conflict (operator_id, workspace_id) do update
    set role = excluded.role, granted_at = now(), granted_by = excluded.granted_by
    where operator_roles.role <> excluded.role`
}

/** Each workspace that this operator owned must still have an owner. */
async function refuseWithoutOwner(query: Query, before: LockedOperator): Promise<void> {
  const owned = before.roles.filter(({ role }) => role === 'owner').map(({ workspaceId }) => uuidOf(workspaceId))
  if (owned.length === 0) return
  const without = await query<{ id: string }>`
    select id from unnest(${owned}::uuid[]) as owned (id)
    where not exists (select from operator_roles r join operators o on o.id = r.operator_id
      where r.workspace_id = owned.id and role = 'owner' and not is_disabled)
    limit 1`
  if (without.length > 0) throw new LastOwner()
}

/** @param only in this workspace; absent: in all @returns how many */
async function endSessions(query: Query, id: OperatorId, only?: WorkspaceId): Promise<number> {
  const workspace = only === undefined ? null : uuidOf(only)
  const ended = await query<{ id: string }>`
    update operator_sessions set revoked_at = now()
    where operator_id = ${uuidOf(id)} and revoked_at is null
      and (${workspace}::uuid is null or workspace_id = ${workspace}::uuid)
    returning id`
  return ended.length
}
