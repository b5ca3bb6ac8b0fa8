/** Agents as operators wrote them, with every version: a change, its version and its audit entry are one transaction. */
import { type AuditActor, writeAudit } from './audit/audit.ts'
import type { ChangeKind } from './change-kinds.ts'
import { notifyChange } from './changes.ts'
import type { Database } from './database.ts'
import { type AgentId, idFrom, newAgentId, type RowOf, uuidOf, type WorkspaceId } from './id.ts'
import type { Query } from './postgres/query.ts'
import { safeJson, safeText } from './postgres/safe-text.ts'
import { sql } from './postgres/sql.ts'

/** Of one workspace. Past these the agents that were deleted first, and the oldest versions, are removed. */
export const agentLimits = { agentsMax: 1_000, deletedMax: 1_000, versionsMax: 500 }

export interface AgentContent {
  name: string
  /** As stored; whoever uses it parses it. */
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

type Row = RowOf<StoredAgent>

const columns = sql`id, name, version, definition, created_at as "createdAt", updated_at as "updatedAt",
  updated_by as "updatedBy", deleted_at as "deletedAt"`

export const agentsChangeKind: ChangeKind = 'agents'

export const notifyAgentsChanged = (db: Database): Promise<void> => notifyChange(db, agentsChangeKind)

/** One of all agents of all workspaces. */
export interface AgentHead {
  id: AgentId
  workspaceId: WorkspaceId
  name: string
  version: number
  createdAt: Date
  /** Null: the reader has this version. */
  definition: Record<string, unknown> | null
}

/** All that are not deleted, by workspace and name, as of one instant. @param known versions whose definition is not needed */
export async function readAllAgents(
  db: Database,
  known: readonly { id: AgentId; version: number }[],
  limit: number,
): Promise<AgentHead[]> {
  const rows = await db.system<RowOf<AgentHead>>`
    select id, agents.workspace_id as "workspaceId", name, agents.version, created_at as "createdAt",
      case when known.version is distinct from agents.version then definition end as definition
    from agents left join unnest(${known.map(({ id }) => uuidOf(id))}::uuid[], ${known.map(({ version }) => version)}::integer[])
      as known (id, version) using (id)
    where deleted_at is null order by agents.workspace_id, name limit ${limit}`
  return rows.map((row) => ({ ...row, id: idFrom('agent', row.id), workspaceId: idFrom('ws', row.workspaceId) }))
}

/** An agent and the tools that it lists, as stored: names, or `name*`. */
export interface ToolListing {
  workspaceId: WorkspaceId
  name: string
  tools: string[]
}

/** Of agents of all workspaces that list tools, by workspace and name. */
export async function readToolListings(db: Database, limit: number): Promise<ToolListing[]> {
  const rows = await db.system<RowOf<ToolListing>>`
    select workspace_id as "workspaceId", name,
      array(select jsonb_array_elements_text(definition -> 'tools')) as tools
    from agents where deleted_at is null and jsonb_typeof(definition -> 'tools') = 'array'
    order by workspace_id, name limit ${limit}`
  return rows.map((row) => ({ ...row, workspaceId: idFrom('ws', row.workspaceId) }))
}

/** Newest first. @param name a part of the name, in any case @param page `before` is exclusive @returns also how many there are */
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
      select ${columns} from agents
      where (deleted_at is not null) = ${isDeleted} and strpos(lower(name), lower(${safeText(name)})) > 0
        and (${before}::uuid is null or id < ${before}::uuid)
      order by id desc limit ${page.limit} offset ${page.offset}`
    return { agents: rows.map(storedAgent), total: count?.total ?? 0 }
  })
}

/** @returns null when the workspace has no such agent; a deleted one has its `deletedAt` */
export async function readAgent(db: Database, workspace: WorkspaceId, id: AgentId): Promise<StoredAgent | null> {
  const row = await agentRow(db.forWorkspace(workspace), id)
  return row ? storedAgent(row) : null
}

/** Newest first, of deleted agents too. `before` is exclusive. */
export function readAgentVersions(
  db: Database,
  workspace: WorkspaceId,
  id: AgentId,
  page: { before: number | null; limit: number },
): Promise<AgentVersion[]> {
  return db.forWorkspace(workspace)<AgentVersion>`
    select version, name, definition, saved_at as "savedAt", saved_by as "savedBy" from agent_versions
    where agent_id = ${uuidOf(id)} and (${page.before}::integer is null or version < ${page.before}::integer)
    order by version desc limit ${page.limit}`
}

export function createAgent(
  db: Database,
  actor: AuditActor,
  { name, definition }: AgentContent,
): Promise<StoredAgent | AgentRefusal> {
  return changeAgents(db, actor, async (query) => {
    if (await isNameTaken(query, name, null)) return 'name_taken'
    if (await isLimitReached(query)) return 'too_many'
    const id = newAgentId()
    await query`
      insert into agents (id, workspace_id, name, definition, updated_by)
      values (${uuidOf(id)}, ${uuidOf(actor.workspaceId)}, ${name}, ${safeJson(definition)}::text::jsonb,
        ${safeText(actor.name)})`
    return await recordVersion(query, actor, { action: 'agent.create', id, before: null })
  })
}

/** @param change `name` undefined: it stays; `version`: the one that the change is based on */
export function updateAgent(
  db: Database,
  actor: AuditActor,
  id: AgentId,
  change: { name: string | undefined; definition: Record<string, unknown>; version: number },
): Promise<StoredAgent | AgentRefusal> {
  return changeAgents(db, actor, async (query) => {
    const before = await agentRow(query, id)
    if (!before || before.deletedAt) return 'unknown'
    if (before.version !== change.version) return 'version_conflict'
    const { name = before.name, definition } = change
    if (await isNameTaken(query, name, id)) return 'name_taken'
    await writeContent(query, actor, id, { name, definition })
    return await recordVersion(query, actor, { action: 'agent.change', id, before })
  })
}

/** Stores an earlier version as the newest one, with its name. A deleted agent comes back. */
export function restoreAgent(
  db: Database,
  actor: AuditActor,
  id: AgentId,
  version: number,
): Promise<StoredAgent | AgentRefusal> {
  return changeAgents(db, actor, async (query) => {
    const before = await agentRow(query, id)
    if (!before) return 'unknown'
    const [content] = await query<AgentContent>`
      select name, definition from agent_versions where agent_id = ${uuidOf(id)} and version = ${version}`
    if (!content) return 'unknown_version'
    if (await isNameTaken(query, content.name, id)) return 'name_taken'
    if (before.deletedAt && (await isLimitReached(query))) return 'too_many'
    await writeContent(query, actor, id, content)
    return await recordVersion(query, actor, { action: 'agent.restore', id, before: before.deletedAt ? null : before })
  })
}

/** Its versions stay, so that it can be restored. @returns false: there is no such agent */
export function deleteAgent(db: Database, actor: AuditActor, id: AgentId): Promise<boolean> {
  return changeAgents(db, actor, async (query) => {
    const before = await agentRow(query, id)
    if (!before || before.deletedAt) return false
    await query`
      update agents set deleted_at = clock_timestamp(), updated_at = now(), updated_by = ${safeText(actor.name)}
      where id = ${uuidOf(id)}`
    await query`
      delete from agents where id in (
        select id from agents where deleted_at is not null order by deleted_at desc, id desc offset ${agentLimits.deletedMax})`
    await writeAudit(query, {
      actor,
      action: 'agent.delete',
      target: id,
      before: contentOf(before),
      summary: { before: versionOf(before) },
    })
    return true
  })
}

/** One change of a workspace's agents at a time: what was checked is still true when it is written. */
function changeAgents<Result>(
  db: Database,
  actor: AuditActor,
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  return db.transaction(actor.workspaceId, async (query) => {
    await query`select pg_advisory_xact_lock(hashtextextended(${`agents of ${uuidOf(actor.workspaceId)}`}, 0))`
    return await work(query)
  })
}

async function agentRow(query: Query, id: AgentId): Promise<Row | undefined> {
  const [row] = await query<Row>`
    select ${columns} from agents
    where id = ${uuidOf(id)}`
  return row
}

async function isNameTaken(query: Query, name: string, except: AgentId | null): Promise<boolean> {
  const other = except && uuidOf(except)
  const rows = await query<{ id: string }>`
    select id from agents
    where name = ${name} and deleted_at is null and (${other}::uuid is null or id <> ${other}::uuid)`
  return rows.length > 0
}

async function isLimitReached(query: Query): Promise<boolean> {
  const [row] = await query<{ count: number }>`select count(*)::integer as count from agents where deleted_at is null`
  return (row?.count ?? 0) >= agentLimits.agentsMax
}

async function writeContent(query: Query, actor: AuditActor, id: AgentId, content: AgentContent): Promise<void> {
  await query`
    update agents set name = ${content.name}, definition = ${safeJson(content.definition)}::text::jsonb,
      version = version + 1, updated_at = now(), updated_by = ${safeText(actor.name)}, deleted_at = null
    where id = ${uuidOf(id)}`
}

/** Stores what was just written as a version, and audits it. */
async function recordVersion(
  query: Query,
  actor: AuditActor,
  { action, id, before }: { action: string; id: AgentId; before: Row | null },
): Promise<StoredAgent> {
  const row = await agentRow(query, id)
  if (!row) throw new Error('an agent that was written cannot be read')
  await query`
    insert into agent_versions (agent_id, version, workspace_id, name, definition, saved_at, saved_by)
    select id, version, workspace_id, name, definition, updated_at, updated_by from agents where id = ${uuidOf(id)}`
  await query`
    delete from agent_versions where agent_id = ${uuidOf(id)} and version <= ${row.version - agentLimits.versionsMax}`
  // Both as the database returns them: fields in another order would change the digest of the same content.
  const contents = { before: before && contentOf(before), after: contentOf(row) }
  const summary = { before: before && versionOf(before), after: versionOf(row) }
  await writeAudit(query, { actor, action, target: id, ...contents, summary })
  return storedAgent(row)
}

/** For the summary of an audit entry: the definition is in its version, and prompts are long. */
const versionOf = ({ name, version }: Row): object => ({ name, version })

const contentOf = ({ name, definition }: Row): AgentContent => ({ name, definition })

function storedAgent(row: Row): StoredAgent {
  return { ...row, id: idFrom('agent', row.id) }
}
