/** Lists of a workspace's conversations, newest first, with filters; nothing here reads messages. */
import type { Database } from '../database.ts'
import {
  type ChannelId,
  type ConversationId,
  firstUuidAt,
  idFrom,
  type RowOf,
  uuidOf,
  type WorkspaceId,
} from '../id.ts'
import { safeText } from '../postgres/safe-text.ts'
import { allOf, type Fragment, sql } from '../postgres/sql.ts'

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
  /** Messages up to this one are no longer part of the model's context. */
  contextAfterSeq: number
  parentId: ConversationId | null
  createdAt: Date
  updatedAt: Date
  /** When something was last said, to the minute. */
  activeAt: Date
}

/** A place in the list: exclusive. */
export type ListPlace = { order: 'created'; id: ConversationId } | { order: 'active'; at: Date; id: ConversationId }

export interface ConversationFilter {
  tag?: string | undefined
  folder?: string | undefined
  /** A channel's name. */
  channel?: string | undefined
  /** When it was created: from `since` on, and before `until`. */
  since?: Date | undefined
  until?: Date | undefined
}

type Row = RowOf<ConversationRecord>

/** As in the index `conversations_by_activity`. */
const activity = sql`coalesce(conversations.active_at,
  date_bin('1 minute', conversations.created_at, timestamptz '2000-01-01 00:00:00+00'))`

const columns = sql`conversations.id, conversations.workspace_id as "workspaceId", title, project_id as "projectId", folder, tags,
  channel_id as "channelId", channels.name as channel, external_id as "externalId", last_seq as "lastSeq",
  context_after_seq as "contextAfterSeq", parent_id as "parentId", conversations.created_at as "createdAt",
  conversations.updated_at as "updatedAt", ${activity} as "activeAt"`

const table = sql`conversations left join channels on channels.id = conversations.channel_id`

/** @param page `after` is exclusive; null: the list's beginning */
export async function listConversations(
  db: Database,
  workspace: WorkspaceId,
  filter: ConversationFilter,
  page: { order: ListPlace['order']; after: ListPlace | null; offset: number; limit: number },
): Promise<ConversationRecord[]> {
  const conditions = conditionsOf(workspace, filter, page.after?.order === 'created' ? page.after.id : null)
  if (page.after?.order === 'active')
    conditions.push(
      sql`(${activity}, conversations.id) < (${page.after.at}::timestamptz, ${uuidOf(page.after.id)}::uuid)`,
    )
  const order = page.order === 'active' ? sql`${activity} desc, conversations.id desc` : sql`conversations.id desc`
  // The rows are chosen by their ids first: what the page skips is neither read whole nor joined.
  const rows = await db.forWorkspace(workspace)<Row>`
    select ${columns} from ${table}
    where conversations.id in (
      select id from conversations where ${allOf(conditions)} order by ${order} limit ${page.limit} offset ${page.offset})
    order by ${order}`
  return rows.map(recordOf)
}

/** How many there are, counted up to `countMax`. */
export async function countConversations(
  db: Database,
  workspace: WorkspaceId,
  filter: ConversationFilter,
  countMax: number,
): Promise<number> {
  const [row] = await db.forWorkspace(workspace)<{ count: number }>`
    select count(*)::integer as count from (
      select from conversations where ${allOf(conditionsOf(workspace, filter, null))} limit ${countMax}) as counted`
  return row?.count ?? 0
}

/** Those of the ids that the workspace has, newest first. */
export async function conversationsById(
  db: Database,
  workspace: WorkspaceId,
  ids: readonly ConversationId[],
): Promise<ConversationRecord[]> {
  if (ids.length === 0) return []
  const rows = await db.forWorkspace(workspace)<Row>`
    select ${columns} from ${table} where conversations.id = any(${ids.map(uuidOf)}::uuid[]) order by conversations.id desc`
  return rows.map(recordOf)
}

/** @returns null when the workspace has no such conversation */
export async function readConversation(
  db: Database,
  workspace: WorkspaceId,
  id: ConversationId,
): Promise<ConversationRecord | null> {
  const [row] = await conversationsById(db, workspace, [id])
  return row ?? null
}

/** An id begins with the time at which it was made, by a clock that may differ from the database's. */
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

function recordOf(row: Row): ConversationRecord {
  return {
    ...row,
    id: idFrom('conv', row.id),
    workspaceId: idFrom('ws', row.workspaceId),
    channelId: idFrom('chan', row.channelId),
    parentId: idFrom('conv', row.parentId),
  }
}
