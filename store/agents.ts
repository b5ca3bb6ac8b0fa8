/** Agents as operators wrote them, with every version: a change, its version and its audit entry are one transaction. */
import { type AuditActor, writeAudit } from './audit/audit.ts'
import { type ChangeKind, notifyChange } from './changes.ts'
import type { Database } from './database.ts'
import { type AgentId, idFrom, newAgentId, uuidOf, type WorkspaceId } from './id.ts'
import type { Query } from './postgres/query.ts'
import { safeJson, safeText } from './postgres/safe-text.ts'

/** Of one workspace. Deleted ones past their number are gone for good, the longest deleted first; so are old versions. */
export const agentLimits = { agentsMax: 1_000, deletedMax: 1_000, versionsMax: 500 }

export interface AgentContent {
  name: string
  /** As it was written; whoever uses it parses it. */
  definition: Record<string, unknown>
}

export interface StoredAgent extends AgentContent {
  id: AgentId
  version: number
  createdAt: Date
  updatedAt: Date
  updatedBy: string
  deletedAt: Date | null
}

export interface AgentVersion extends AgentContent {
  version: number
  savedAt: Date
  savedBy: string
}

/** Why nothing was changed. */
export type AgentRefusal = 'unknown' | 'unknown_version' | 'name_taken' | 'too_many' | 'version_conflict'

interface Row extends AgentContent {
  id: string
  version: number
  created_at: Date
  updated_at: Date
  updated_by: string
  deleted_at: Date | null
}

export const agentsChangeKind: ChangeKind = 'agents'

export const notifyAgentsChanged = (db: Database): Promise<void> => notifyChange(db, agentsChangeKind)

/** One of all agents of all workspaces. */
export interface AgentHead {
  id: AgentId
  workspaceId: WorkspaceId
  name: string
  version: number
  createdAt: Date
  /** Null: the reader knows this version. */
  definition: Record<string, unknown> | null
}

/** All that are not deleted, by workspace and name, as they are at one instant: definitions of those only that are not known. */
export async function readAllAgents(
  db: Database,
  known: readonly { id: AgentId; version: number }[],
  limit: number,
): Promise<AgentHead[]> {
  const rows = await db.system<
    Pick<Row, 'id' | 'name' | 'version' | 'created_at'> & {
      workspace_id: string
      definition: Record<string, unknown> | null
    }
  >`
    select id, agents.workspace_id, name, agents.version, created_at,
      case when known.version is distinct from agents.version then definition end as definition
    from agents left join unnest(${known.map(({ id }) => uuidOf(id))}::uuid[], ${known.map(({ version }) => version)}::integer[])
      as known (id, version) using (id)
    where deleted_at is null order by agents.workspace_id, name limit ${limit}`
  return rows.map(({ workspace_id, created_at, ...row }) => ({
    ...row,
    ...{ id: idFrom('agent', row.id), workspaceId: idFrom('ws', workspace_id), createdAt: created_at },
  }))
}

/** @param name a part of it, whatever the case @param page newest first, `before` is exclusive @returns and how many in all */
export async function listAgents(
  db: Database,
  workspace: WorkspaceId,
  { name, isDeleted }: { name: string; isDeleted: boolean },
  page: { before: AgentId | null; offset: number; limit: number },
): Promise<{ agents: StoredAgent[]; total: number }> {
  const before = page.before && uuidOf(page.before)
  return await db.transaction(workspace, async (query) => {
    const [count] = await query<{ total: number }>`
      select count(*)::integer as total from agents
      where (deleted_at is not null) = ${isDeleted} and strpos(lower(name), lower(${safeText(name)})) > 0`
    const rows = await query<Row>`
      select id, name, version, definition, created_at, updated_at, updated_by, deleted_at from agents
      where (deleted_at is not null) = ${isDeleted} and strpos(lower(name), lower(${safeText(name)})) > 0
        and (${before}::uuid is null or id < ${before}::uuid)
      order by id desc limit ${page.limit} offset ${page.offset}`
    return { agents: rows.map(storedAgent), total: count?.total ?? 0 }
  })
}

/** @returns null when the workspace has no such agent; one that was deleted has its `deletedAt` */
export async function readAgent(db: Database, workspace: WorkspaceId, id: AgentId): Promise<StoredAgent | null> {
  const row = await rowOf(db.forWorkspace(workspace), id)
  return row ? storedAgent(row) : null
}

/** Newest first, of deleted agents too. `before` is exclusive. */
export async function readAgentVersions(
  db: Database,
  workspace: WorkspaceId,
  id: AgentId,
  page: { before: number | null; limit: number },
): Promise<AgentVersion[]> {
  const rows = await db.forWorkspace(workspace)<AgentContent & { version: number; saved_at: Date; saved_by: string }>`
    select version, name, definition, saved_at, saved_by from agent_versions
    where agent_id = ${uuidOf(id)} and (${page.before}::integer is null or version < ${page.before}::integer)
    order by version desc limit ${page.limit}`
  return rows.map(({ saved_at, saved_by, ...row }) => ({ ...row, savedAt: saved_at, savedBy: saved_by }))
}

export function createAgent(
  db: Database,
  actor: AuditActor,
  { name, definition }: AgentContent,
): Promise<StoredAgent | AgentRefusal> {
  return changing(db, actor, async (query) => {
    if (await isTaken(query, name, null)) return 'name_taken'
    if (await isFull(query)) return 'too_many'
    const id = newAgentId()
    await query`
      insert into agents (id, workspace_id, name, definition, updated_by)
      values (${uuidOf(id)}, ${uuidOf(actor.workspaceId)}, ${name}, ${safeJson(definition)}::text::jsonb,
        ${safeText(actor.name)})`
    return await recorded(query, actor, { action: 'agent.create', id, before: null })
  })
}

/** @param change `name` undefined: it stays; `version`: the one that the change was made from */
export function updateAgent(
  db: Database,
  actor: AuditActor,
  id: AgentId,
  change: { name: string | undefined; definition: Record<string, unknown>; version: number },
): Promise<StoredAgent | AgentRefusal> {
  return changing(db, actor, async (query) => {
    const before = await rowOf(query, id)
    if (!before || before.deleted_at) return 'unknown'
    if (before.version !== change.version) return 'version_conflict'
    const { name = before.name, definition } = change
    if (await isTaken(query, name, id)) return 'name_taken'
    await overwrite(query, actor, id, { name, definition })
    return await recorded(query, actor, { action: 'agent.change', id, before })
  })
}

/** Writes an earlier version as a new one, its name too. A deleted agent is there again. */
export function restoreAgent(
  db: Database,
  actor: AuditActor,
  id: AgentId,
  version: number,
): Promise<StoredAgent | AgentRefusal> {
  return changing(db, actor, async (query) => {
    const before = await rowOf(query, id)
    if (!before) return 'unknown'
    const [content] = await query<AgentContent>`
      select name, definition from agent_versions where agent_id = ${uuidOf(id)} and version = ${version}`
    if (!content) return 'unknown_version'
    if (await isTaken(query, content.name, id)) return 'name_taken'
    if (before.deleted_at && (await isFull(query))) return 'too_many'
    await overwrite(query, actor, id, content)
    return await recorded(query, actor, { action: 'agent.restore', id, before: before.deleted_at ? null : before })
  })
}

/** It is found by nobody any more; its versions stay, so that it can be restored. @returns false: there is no such agent */
export function deleteAgent(db: Database, actor: AuditActor, id: AgentId): Promise<boolean> {
  return changing(db, actor, async (query) => {
    const before = await rowOf(query, id)
    if (!before || before.deleted_at) return false
    await query`
      update agents set deleted_at = clock_timestamp(), updated_at = now(), updated_by = ${safeText(actor.name)}
      where id = ${uuidOf(id)}`
    await query`
      delete from agents where id in (
        select id from agents where deleted_at is not null order by deleted_at desc, id desc offset ${agentLimits.deletedMax})`
    await writeAudit(query, {
      ...{ actor, action: 'agent.delete', target: id, before: contentOf(before) },
      summary: { before: versionOf(before) },
    })
    return true
  })
}

/** One change of a workspace's agents at a time: what is checked first still holds when it is written. */
function changing<Result>(db: Database, actor: AuditActor, work: (query: Query) => Promise<Result>): Promise<Result> {
  return db.transaction(actor.workspaceId, async (query) => {
    await query`select pg_advisory_xact_lock(hashtextextended(${`agents of ${uuidOf(actor.workspaceId)}`}, 0))`
    return await work(query)
  })
}

async function rowOf(query: Query, id: AgentId): Promise<Row | undefined> {
  const [row] = await query<Row>`
    select id, name, version, definition, created_at, updated_at, updated_by, deleted_at from agents
    where id = ${uuidOf(id)}`
  return row
}

async function isTaken(query: Query, name: string, byOtherThan: AgentId | null): Promise<boolean> {
  const other = byOtherThan && uuidOf(byOtherThan)
  const rows = await query<{ id: string }>`
    select id from agents
    where name = ${name} and deleted_at is null and (${other}::uuid is null or id <> ${other}::uuid)`
  return rows.length > 0
}

async function isFull(query: Query): Promise<boolean> {
  const [row] = await query<{ count: number }>`select count(*)::integer as count from agents where deleted_at is null`
  return (row?.count ?? 0) >= agentLimits.agentsMax
}

async function overwrite(query: Query, actor: AuditActor, id: AgentId, content: AgentContent): Promise<void> {
  await query`
    update agents set name = ${content.name}, definition = ${safeJson(content.definition)}::text::jsonb,
      version = version + 1, updated_at = now(), updated_by = ${safeText(actor.name)}, deleted_at = null
    where id = ${uuidOf(id)}`
}

/** Keeps what was just written as a version, and says so in the audit log. */
async function recorded(
  query: Query,
  actor: AuditActor,
  { action, id, before }: { action: string; id: AgentId; before: Row | null },
): Promise<StoredAgent> {
  const row = await rowOf(query, id)
  if (!row) throw new Error('an agent that was written cannot be read')
  await query`
    insert into agent_versions (agent_id, version, workspace_id, name, definition, saved_at, saved_by)
    select id, version, workspace_id, name, definition, updated_at, updated_by from agents where id = ${uuidOf(id)}`
  await query`
    delete from agent_versions where agent_id = ${uuidOf(id)} and version <= ${row.version - agentLimits.versionsMax}`
  // Both as the database gives them back: fields in another order would make another digest of the same content.
  const contents = { before: before && contentOf(before), after: contentOf(row) }
  const shown = { before: before && versionOf(before), after: versionOf(row) }
  await writeAudit(query, { actor, action, target: id, ...contents, summary: shown })
  return storedAgent(row)
}

/** What the audit log shows: the definition stands in its version, and prompts are long. */
const versionOf = ({ name, version }: Row): object => ({ name, version })

const contentOf = ({ name, definition }: Row): AgentContent => ({ name, definition })

function storedAgent(row: Row): StoredAgent {
  const { name, version, definition } = row
  return {
    ...{ id: idFrom('agent', row.id), name, version, definition },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
    deletedAt: row.deleted_at,
  }
}
