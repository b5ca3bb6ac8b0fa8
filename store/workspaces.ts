/** Workspaces: the tenants that rows belong to. Whoever creates one owns it. */
import { Failure } from '../runtime/failure.ts'
import { type AuditActor, writeAudit } from './audit/audit.ts'
import type { Database } from './database.ts'
import { idFrom, newWorkspaceId, type OperatorId, type RowOf, type SessionId, uuidOf, type WorkspaceId } from './id.ts'
import type { OperatorRole } from './operators/operators.ts'
import { safeText } from './postgres/safe-text.ts'

export interface OperatorWorkspace {
  id: WorkspaceId
  name: string
  createdAt: Date
  /** The operator's role there. */
  role: OperatorRole
}

/** Of one installation. */
export const workspacesMax = 1_000

export class TooManyWorkspaces extends Failure {
  readonly code = 'too_many_workspaces'
  constructor() {
    super(`an installation has ${workspacesMax} workspaces at most`)
  }
}

type Row = RowOf<OperatorWorkspace>

/** Creates it where it does not exist. */
export async function ensureWorkspace(db: Database, workspace: WorkspaceId, name: string): Promise<void> {
  await db.system`insert into workspaces (id, name) values (${uuidOf(workspace)}, ${name}) on conflict (id) do nothing`
}

export async function workspaceExists(db: Database, workspace: WorkspaceId): Promise<boolean> {
  const rows = await db.system<{ id: string }>`select id from workspaces where id = ${uuidOf(workspace)}`
  return rows.length > 0
}

/** Those where the operator holds a role, in the order in which it was granted. */
export async function workspacesOfOperator(db: Database, operator: OperatorId): Promise<OperatorWorkspace[]> {
  const rows = await db.system<Row>`
    select id, name, created_at as "createdAt", role from operator_roles join workspaces on id = workspace_id
    where operator_id = ${uuidOf(operator)} order by granted_at, id limit ${workspacesMax}`
  return rows.map(workspaceFrom)
}

/** @param owner gets the role in it @throws TooManyWorkspaces */
export async function createWorkspace(
  db: Database,
  name: string,
  owner: OperatorId,
  actor: AuditActor,
): Promise<OperatorWorkspace> {
  const id = newWorkspaceId()
  return await db.transaction('system', async (query) => {
    await query`select pg_advisory_xact_lock(hashtextextended('making workspaces', 0))`
    const [count] = await query<{ count: number }>`select count(*)::int as count from workspaces`
    if ((count?.count ?? 0) >= workspacesMax) throw new TooManyWorkspaces()
    const [created] = await query<Omit<Row, 'role'>>`
      insert into workspaces (id, name) values (${uuidOf(id)}, ${safeText(name)}) returning id, name, created_at as "createdAt"`
    if (!created) throw new Error('an inserted workspace was not returned')
    await query`
      insert into operator_roles (operator_id, workspace_id, role, granted_by)
      values (${uuidOf(owner)}, ${uuidOf(id)}, 'owner', ${safeText(actor.name)})`
    const owning = { ...actor, workspaceId: id }
    await writeAudit(query, { actor: owning, action: 'workspace.create', target: id, summary: { after: { name } } })
    return workspaceFrom({ ...created, role: 'owner' })
  })
}

/** Of the actor's workspace. */
export async function renameWorkspace(db: Database, name: string, actor: AuditActor): Promise<void> {
  const { workspaceId } = actor
  await db.transaction('system', async (query) => {
    const [before] = await query<{ name: string }>`
      select name from workspaces where id = ${uuidOf(workspaceId)} for update`
    await query`update workspaces set name = ${safeText(name)} where id = ${uuidOf(workspaceId)}`
    const summary = { before: { name: before?.name }, after: { name } }
    await writeAudit(query, { actor, action: 'workspace.rename', target: workspaceId, summary })
  })
}

/** Of the workspaces that have any. */
export async function readToolGrants(db: Database): Promise<ReadonlyMap<WorkspaceId, readonly string[]>> {
  const granted = await listToolGrants(db)
  return new Map(granted.map(({ id, tools }) => [id, tools]))
}

/** Names granted to one workspace. */
export const toolGrantsMax = 200

export interface ToolGrants {
  id: WorkspaceId
  name: string
  /** Names of tools, or `name*` for all that begin so. */
  tools: string[]
}

/** Of every workspace, the oldest first. */
export async function listToolGrants(db: Database): Promise<ToolGrants[]> {
  const rows = await db.system<RowOf<ToolGrants>>`
    select id, name, tool_grants as tools from workspaces order by created_at, id limit ${workspacesMax}`
  return rows.map((row) => ({ ...row, id: idFrom('ws', row.id) }))
}

/**
 * In place of those that it had; in the audit log of who grants and of who is granted.
 * @returns false: there is no such workspace
 */
export async function setToolGrants(
  db: Database,
  { workspace, tools }: { workspace: WorkspaceId; tools: readonly string[] },
  actor: AuditActor,
): Promise<boolean> {
  return await db.transaction('system', async (query) => {
    const [before] = await query<{ tools: string[] }>`
      select tool_grants as tools from workspaces where id = ${uuidOf(workspace)} for update`
    if (!before) return false
    await query`update workspaces set tool_grants = ${tools}::text[] where id = ${uuidOf(workspace)}`
    const entry = { action: 'workspace.tools', target: workspace, summary: { before, after: { tools } } }
    // Always in one order: both chains are locked to the end.
    for (const workspaceId of [...new Set([actor.workspaceId, workspace])].sort())
      await writeAudit(query, { ...entry, actor: { ...actor, workspaceId } })
    return true
  })
}

export interface SessionMove {
  sessionId: SessionId
  operatorId: OperatorId
  to: WorkspaceId
  /** SHA-256 of the new token, 32 bytes: the old one is invalid from now on. */
  hash: Buffer
}

/**
 * Moves a session to another workspace. Its times stay: the move neither proves nor prolongs anything.
 * @returns the role there; undefined: the operator has none, or the session has ended
 */
export async function moveSession(
  db: Database,
  { sessionId, operatorId, to, hash }: SessionMove,
  actor: AuditActor,
): Promise<OperatorRole | undefined> {
  return await db.transaction('system', async (query) => {
    const [moved] = await query<{ role: OperatorRole }>`
      update operator_sessions s set workspace_id = r.workspace_id, hash = ${hash}
      from operator_roles r
      where s.id = ${uuidOf(sessionId)} and s.operator_id = ${uuidOf(operatorId)} and s.revoked_at is null
        and r.operator_id = s.operator_id and r.workspace_id = ${uuidOf(to)}
      returning role`
    if (!moved) return undefined
    const there = { ...actor, workspaceId: to }
    await writeAudit(query, { actor: there, action: 'session.move', target: sessionId, summary: { after: moved } })
    return moved.role
  })
}

function workspaceFrom(row: Row): OperatorWorkspace {
  return { ...row, id: idFrom('ws', row.id) }
}
