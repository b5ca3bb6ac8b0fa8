/** What operators see of files: a page of a workspace's, and how much it has. */
import type { Database } from '../database.ts'
import { type MediaId, type RowOf, uuidOf, type WorkspaceId } from '../id.ts'
import { allOf, sql } from '../postgres/sql.ts'
import { type Media, mediaColumns, mediaOf } from './media.ts'

export interface MediaFilter {
  status: Media['status'] | undefined
  /** A part of the name, in any case. */
  text: string | undefined
  /** The beginning of the type, such as `image/`. */
  type: string | undefined
}

export interface ListedMedia extends Media {
  /** Kinds of what uses it. */
  usedBy: string[]
}

/** Newest first. */
export async function listMedia(
  db: Database,
  workspaceId: WorkspaceId,
  { before, limit, filter }: { before: MediaId | null; limit: number; filter: MediaFilter },
): Promise<ListedMedia[]> {
  const { status, text, type } = filter
  const conditions = [sql`workspace_id = ${uuidOf(workspaceId)}::uuid`]
  if (before) conditions.push(sql`id < ${uuidOf(before)}::uuid`)
  if (status) conditions.push(sql`status = ${status}::text`)
  if (text) conditions.push(sql`strpos(lower(filename), lower(${text}::text)) > 0`)
  if (type) conditions.push(sql`starts_with(content_type, ${type}::text)`)
  const rows = await db.forWorkspace(workspaceId)<RowOf<ListedMedia>>`
    select ${mediaColumns}, array(
        select distinct kind from media_references where media_id = media.id order by kind) as "usedBy"
    from media where ${allOf(conditions)} order by media.id desc limit ${limit}`
  return rows.map((row) => ({ ...mediaOf(row), usedBy: row.usedBy }))
}

/** Of files that are there; uploads that have not ended are not counted. */
export async function mediaUsage(db: Database, workspaceId: WorkspaceId): Promise<{ files: number; bytes: number }> {
  const [row] = await db.forWorkspace(workspaceId)<{ files: number; bytes: number }>`
    select files::float8 as files, bytes::float8 as bytes from media_usage where workspace_id = ${uuidOf(workspaceId)}::uuid`
  return row ?? { files: 0, bytes: 0 }
}
