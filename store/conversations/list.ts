/** Lists of a workspace's conversations, newest first, by what they are filtered by; nothing here reads messages. */
import type { Database } from '../database.ts'
import { type ChannelId, type ConversationId, idFrom, uuidOf, type WorkspaceId } from '../id.ts'
import { safeText } from '../postgres/safe-text.ts'
import { allOf, type Fragment, run, sql } from '../postgres/statement.ts'

export interface ConversationRecord {
  id: ConversationId
  workspaceId: WorkspaceId
  title: string
  projectId: string | null
  folder: string | null
  tags: string[]
  channelId: ChannelId | null
  /** The channel's name. */
  channel: string | null
  externalId: string | null
  lastSeq: number
  /** Messages up to this one are no longer told to the model. */
  contextAfterSeq: number
  parentId: ConversationId | null
  createdAt: Date
  updatedAt: Date
}

export interface ConversationFilter {
  tag?: string | undefined
  folder?: string | undefined
  /** A channel's name. */
  channel?: string | undefined
  /** When it was made: from `since` on, and before `until`. */
  since?: Date | undefined
  until?: Date | undefined
}

interface Row {
  id: string
  workspace_id: string
  title: string
  project_id: string | null
  folder: string | null
  tags: string[]
  channel_id: string | null
  channel: string | null
  external_id: string | null
  last_seq: number
  context_after_seq: number
  parent_id: string | null
  created_at: Date
  updated_at: Date
}

const columns = sql`
  select conversations.id, conversations.workspace_id, title, project_id, folder, tags, channel_id, channels.name as channel, external_id,
    last_seq, context_after_seq, parent_id, conversations.created_at, conversations.updated_at
  from conversations left join channels on channels.id = conversations.channel_id`

/** @param page `before` is exclusive */
export async function listConversations(
  db: Database,
  workspace: WorkspaceId,
  filter: ConversationFilter,
  page: { before: ConversationId | null; offset: number; limit: number },
): Promise<ConversationRecord[]> {
  const wanted = allOf(conditionsOf(workspace, filter, page.before))
  // The rows are chosen by their ids first: what is skipped is neither read whole nor joined.
  const rows = await run<Row>(
    db.forWorkspace(workspace),
    columns,
    sql` where conversations.id in (select id from conversations where `,
    wanted,
    sql` order by id desc limit ${page.limit} offset ${page.offset}) order by conversations.id desc`,
  )
  return rows.map(recordOf)
}

/** How many there are, counted up to `most`. */
export async function countConversations(
  db: Database,
  workspace: WorkspaceId,
  filter: ConversationFilter,
  most: number,
): Promise<number> {
  const wanted = allOf(conditionsOf(workspace, filter, null))
  const [row] = await run<{ count: number }>(
    db.forWorkspace(workspace),
    sql`select count(*)::integer as count from (select from conversations where `,
    wanted,
    sql` limit ${most}) as counted`,
  )
  return row?.count ?? 0
}

/** Those of the ids that the workspace has, newest first. */
export async function conversationsById(
  db: Database,
  workspace: WorkspaceId,
  ids: readonly ConversationId[],
): Promise<ConversationRecord[]> {
  if (ids.length === 0) return []
  const rows = await run<Row>(
    db.forWorkspace(workspace),
    columns,
    sql` where conversations.id = any(${ids.map(uuidOf)}::uuid[]) order by conversations.id desc`,
  )
  return rows.map(recordOf)
}

/** @returns null when the workspace has no such conversation */
export async function readConversation(
  db: Database,
  workspace: WorkspaceId,
  id: ConversationId,
): Promise<ConversationRecord | null> {
  const [found] = await conversationsById(db, workspace, [id])
  return found ?? null
}

/** Ids begin with the time of their making, by a clock that may differ from the database's. */
const clockSkewMsMax = 3_600_000

/** Conditions on rows of `conversations`. */
export function conditionsOf(
  workspace: WorkspaceId,
  { tag, folder, channel, since, until }: ConversationFilter,
  before: ConversationId | null,
): Fragment[] {
  const conditions = [sql`conversations.workspace_id = ${uuidOf(workspace)}::uuid`]
  if (before) conditions.push(sql`conversations.id < ${uuidOf(before)}::uuid`)
  if (tag !== undefined) conditions.push(sql`tags <> '{}' and tags @> array[${safeText(tag)}::text]`)
  if (folder !== undefined) conditions.push(sql`folder = ${safeText(folder)}::text`)
  if (channel !== undefined)
    conditions.push(
      sql`channel_id is not null and channel_id = (select id from channels where name = ${safeText(channel)}::text)`,
    )
  if (since)
    conditions.push(
      sql`conversations.created_at >= ${since}`,
      sql`conversations.id >= ${firstUuidAt(since.getTime() - clockSkewMsMax)}::uuid`,
    )
  if (until)
    conditions.push(
      sql`conversations.created_at < ${until}`,
      sql`conversations.id < ${firstUuidAt(until.getTime() + clockSkewMsMax)}::uuid`,
    )
  return conditions
}

/** The least UUIDv7 of this instant. */
export function firstUuidAt(ms: number): string {
  return Math.min(Math.max(0, ms), 0xffff_ffff_ffff).toString(16).padStart(12, '0').padEnd(32, '0')
}

function recordOf(row: Row): ConversationRecord {
  return {
    id: idFrom('conv', row.id),
    workspaceId: idFrom('ws', row.workspace_id),
    title: row.title,
    projectId: row.project_id,
    folder: row.folder,
    tags: row.tags,
    channelId: idFrom('chan', row.channel_id),
    channel: row.channel,
    externalId: row.external_id,
    lastSeq: row.last_seq,
    contextAfterSeq: row.context_after_seq,
    parentId: idFrom('conv', row.parent_id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
