/** Files that were uploaded: rows of media, the blobs that they stand for, what uses them, and how much a workspace has. */
import { Failure } from '../../runtime/failure.ts'
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { type ConversationId, idFrom, type MediaId, type RowOf, uuidOf, type WorkspaceId } from '../id.ts'
import { isPinned, type Pin } from '../nodes/pins.ts'
import type { OwnerId, Reach } from '../owner-id.ts'
import type { Query } from '../postgres/query.ts'
import { safeText } from '../postgres/safe-text.ts'
import { type Fragment, sql } from '../postgres/sql.ts'

export interface Media {
  id: MediaId
  workspaceId: WorkspaceId
  owner: OwnerId
  /** Of a ticket's upload. */
  conversationId: ConversationId | null
  status: 'pending' | 'ready'
  filename: string
  purpose: string | null
  declaredType: string | null
  declaredBytes: number | null
  /** In hexadecimal, as `sha256`. */
  declaredSha256: string | null
  contentType: string | null
  bytes: number | null
  sha256: string | null
  /** The node that has the bytes that have come so far. */
  partNode: number | null
  createdAt: Date
  readyAt: Date | null
}

/** Whose media a caller reaches. */
export interface MediaReach extends Reach {
  /** Of a ticket: only what was uploaded to its conversation. */
  conversationId: ConversationId | null
}

export type NewMedia = Pick<
  Media,
  | 'id'
  | 'workspaceId'
  | 'owner'
  | 'conversationId'
  | 'filename'
  | 'purpose'
  | 'declaredType'
  | 'declaredBytes'
  | 'declaredSha256'
>

export interface StoredBytes {
  bytes: number
  sha256: string
  contentType: string
}

export const mediaLimits = {
  /** Uploads that have not ended, of a workspace and of a ticket's conversation. */
  pendingMax: 1_000,
  pendingOfTicketMax: 20,
  /** An upload ends within this time, or is forgotten. */
  pendingHours: 24,
  filenameMax: 255,
}

export class TooManyUploads extends Failure {
  readonly code = 'too_many_uploads'
  constructor() {
    super(
      `too many uploads have not ended yet; finish or delete some, or wait until they are ${mediaLimits.pendingHours} hours old`,
    )
  }
}

export class StorageQuotaExceeded extends Failure {
  readonly code = 'storage_quota_exceeded'
  constructor() {
    super('the workspace has as many bytes of files as SERVICE_MEDIA_QUOTA_MB permits; delete some first')
  }
}

export class AlreadyUploaded extends Failure {
  readonly code = 'already_uploaded'
  constructor() {
    super('this upload has ended; its file is not changed any more')
  }
}

export class UploadInProgress extends Failure {
  readonly code = 'upload_in_progress'
  constructor() {
    super('another request uploads this at the moment')
  }
}

export class MediaInUse extends Failure {
  readonly code = 'media_in_use'
  constructor(kinds: readonly string[]) {
    super(`it is used by ${kinds.join(', ')}; delete that first`)
  }
}

export const mediaColumns = sql`id, workspace_id as "workspaceId", owner, conversation_id as "conversationId", status, filename, purpose,
  declared_type as "declaredType", declared_bytes::float8 as "declaredBytes", encode(declared_sha256, 'hex') as "declaredSha256",
  content_type as "contentType", bytes::float8 as bytes, encode(sha256, 'hex') as sha256, part_node::float8 as "partNode",
  created_at as "createdAt", ready_at as "readyAt"`

export const mediaOf = (row: RowOf<Media>): Media => ({
  ...row,
  id: idFrom('media', row.id),
  workspaceId: idFrom('ws', row.workspaceId),
  conversationId: idFrom('conv', row.conversationId),
})

const hex = (digest: string | null): Buffer | null => (digest === null ? null : Buffer.from(digest, 'hex'))

/** Whether a workspace may have so many bytes more; a quota of 0 is none. */
const mayHave = (workspace: Fragment, { bytes, quotaBytes }: { bytes: number; quotaBytes: number }): Fragment =>
  sql`(${quotaBytes}::bigint = 0 or ${quotaBytes}::bigint >= ${bytes}::bigint + coalesce((
      select bytes from media_usage where workspace_id = ${workspace}), 0))`

/** @param quotaBytes of the workspace; 0: none @throws TooManyUploads, StorageQuotaExceeded */
export async function createMedia(db: Database, media: NewMedia, quotaBytes: number): Promise<void> {
  const { pendingMax, pendingOfTicketMax } = mediaLimits
  const workspace = sql`${uuidOf(media.workspaceId)}::uuid`
  const conversation = media.conversationId === null ? null : uuidOf(media.conversationId)
  const [row] = await db.forWorkspace(media.workspaceId)<{ hasRoom: boolean; isWithinQuota: boolean }>`
    with pending as (
      select count(*) < ${pendingMax}::integer and (${conversation}::uuid is null
        or count(*) filter (where conversation_id = ${conversation}::uuid) < ${pendingOfTicketMax}::integer) as has_room
      from (select conversation_id from media where status = 'pending' and workspace_id = ${workspace} limit ${pendingMax}) as open
    ), quota as (
      select ${mayHave(workspace, { bytes: media.declaredBytes ?? 0, quotaBytes })} as is_within
    ), made as (
      insert into media (id, workspace_id, owner, conversation_id, status, filename, purpose, declared_type, declared_bytes, declared_sha256)
      select ${uuidOf(media.id)}::uuid, ${workspace}, ${media.owner}::text, ${conversation}::uuid, 'pending', ${safeText(media.filename)}::text,
        ${media.purpose}::text, ${media.declaredType}::text, ${media.declaredBytes}::bigint, ${hex(media.declaredSha256)}::bytea
      from pending, quota where has_room and is_within
    )
    select has_room as "hasRoom", is_within as "isWithinQuota" from pending, quota`
  if (!row?.hasRoom) throw new TooManyUploads()
  if (!row.isWithinQuota) throw new StorageQuotaExceeded()
}

/** Null: there is none, or it is not the caller's. */
export async function findMedia(db: Database, reach: MediaReach, id: MediaId): Promise<Media | null> {
  const conversation = reach.conversationId === null ? null : uuidOf(reach.conversationId)
  const [row] = await db.forWorkspace(reach.workspaceId)<RowOf<Media>>`
    select ${mediaColumns} from media
    where id = ${uuidOf(id)}::uuid and workspace_id = ${uuidOf(reach.workspaceId)}::uuid
      and (${reach.owner}::text is null or owner = ${reach.owner}::text)
      and (${conversation}::uuid is null or conversation_id = ${conversation}::uuid)`
  return row ? mediaOf(row) : null
}

/** For whoever has a signed address: that says by itself that its holder may. */
export async function findSignedMedia(db: Database, id: MediaId): Promise<Media | null> {
  const [row] = await db.system<RowOf<Media>>`select ${mediaColumns} from media where id = ${uuidOf(id)}::uuid`
  return row ? mediaOf(row) : null
}

/** Before the first byte: other nodes find out where the bytes are. @returns false where the upload is another node's by now */
export async function beginPart(db: Database, id: MediaId, pin: Pin): Promise<boolean> {
  const rows = await db.system`
    update media set part_node = ${pin.node}::bigint
    where id = ${uuidOf(id)}::uuid and status = 'pending' and ${isPinned(pin)} returning id`
  return rows.length > 0
}

interface Ending extends StoredBytes {
  pin: Pin
  quotaBytes: number
  /** Puts the bytes in their place, while nobody deletes them. */
  keep(): Promise<void>
}

/**
 * The upload has ended: from here on its file is served.
 * @throws AlreadyUploaded where it ended otherwise, or is another node's by now; StorageQuotaExceeded, and what `keep` throws
 */
export async function endUpload(db: Database, media: Media, ending: Ending): Promise<Media> {
  const { bytes, sha256, contentType, pin, quotaBytes } = ending
  const workspace = uuidOf(media.workspaceId)
  // The sweep knows of the bytes before they are in their place: where all below is undone, it deletes them.
  await db.system`
    insert into media_blobs as known (sha256, bytes, uses, unused_at) values (${hex(sha256)}::bytea, ${bytes}::bigint, 0, now())
    on conflict (sha256) do update set unused_at = now() where known.uses = 0`
  // Locks are taken in one order here and in deletion: media, blob, usage.
  return await db.transaction('system', async (query) => {
    const isOurs = sql`id = ${uuidOf(media.id)}::uuid and status = 'pending' and ${isPinned(pin)}`
    const [pending] = await query`select id from media where ${isOurs} for update`
    if (!pending) throw new AlreadyUploaded()
    await query`
      insert into media_blobs as kept (sha256, bytes, uses) values (${hex(sha256)}, ${bytes}, 1)
      on conflict (sha256) do update set uses = kept.uses + 1, unused_at = null`
    const counted = await query`
      insert into media_usage as used (workspace_id, files, bytes)
      select ${workspace}::uuid, 1, ${bytes}::bigint where ${quotaBytes}::bigint = 0 or ${quotaBytes}::bigint >= ${bytes}::bigint
      on conflict (workspace_id) do update set files = used.files + 1, bytes = used.bytes + ${bytes}::bigint
      where ${quotaBytes}::bigint = 0 or ${quotaBytes}::bigint >= used.bytes + ${bytes}::bigint
      returning files`
    if (counted.length === 0) throw new StorageQuotaExceeded()
    await ending.keep()
    const [row] = await query<RowOf<Media>>`
      update media set status = 'ready', content_type = ${contentType}, bytes = ${bytes}, sha256 = ${hex(sha256)}, ready_at = now()
      where id = ${uuidOf(media.id)}::uuid returning ${mediaColumns}`
    if (!row) throw new AlreadyUploaded()
    return mediaOf(row)
  })
}

/** Whether the workspace may have so many bytes more. */
export async function isWithinQuota(
  db: Database,
  { workspaceId, ...amount }: { workspaceId: WorkspaceId; bytes: number; quotaBytes: number },
): Promise<boolean> {
  if (amount.quotaBytes === 0) return true
  const [row] = await db.forWorkspace(workspaceId)<{ isWithin: boolean }>`
    select ${mayHave(sql`${uuidOf(workspaceId)}::uuid`, amount)} as "isWithin"`
  return row?.isWithin ?? true
}

/** @returns false where there is none @throws MediaInUse */
export async function deleteMedia(db: Database, media: Media, actor: AuditActor): Promise<boolean> {
  return await db.transaction('system', async (query) => {
    const [row] = await query`select id from media where id = ${uuidOf(media.id)}::uuid for update`
    if (!row) return false
    const users = await query<{ kind: string }>`
      select distinct kind from media_references where media_id = ${uuidOf(media.id)}::uuid order by kind`
    if (users.length > 0) throw new MediaInUse(users.map(({ kind }) => kind))
    await deleteRows(query, [uuidOf(media.id)])
    const { filename, bytes } = media
    await writeAudit(query, {
      actor,
      action: 'media.delete',
      target: media.id,
      summary: { before: { filename, bytes } },
    })
    return true
  })
}

/** Their blobs are used less; those that nothing uses any more go a little later. @param ids of rows that are locked */
async function deleteRows(query: Query, ids: readonly string[]): Promise<void> {
  await query`
    select from media_blobs where sha256 in (select sha256 from media where id = any(${ids}::uuid[]))
    order by sha256 for no key update`
  await query`
    select from media_usage where workspace_id in (select workspace_id from media where id = any(${ids}::uuid[]))
    order by workspace_id for no key update`
  await query`
    with gone as (
      delete from media where id = any(${ids}::uuid[]) returning workspace_id, sha256, bytes
    ), less as (
      update media_blobs set uses = media_blobs.uses - counted.uses, unused_at = case when media_blobs.uses = counted.uses then now() end
      from (select sha256, count(*)::integer as uses from gone where sha256 is not null group by sha256) as counted
      where media_blobs.sha256 = counted.sha256
    )
    update media_usage set files = media_usage.files - counted.files, bytes = media_usage.bytes - counted.bytes
    from (select workspace_id, count(sha256) as files, coalesce(sum(bytes), 0) as bytes from gone group by workspace_id) as counted
    where media_usage.workspace_id = counted.workspace_id`
}

/** Uploads that never ended, and files older than `readyBefore` that nothing uses; null: none of these. @returns how many */
export async function deleteOldMedia(
  db: Database,
  { pendingBefore, readyBefore, rowsMax }: { pendingBefore: Date; readyBefore: Date | null; rowsMax: number },
): Promise<number> {
  return await db.transaction('system', async (query) => {
    const rows = await query<{ id: string }>`
      with unended as (
        select id from media where status = 'pending' and created_at < ${pendingBefore}
        order by created_at limit ${rowsMax} for update skip locked
      ), old as (
        select id from media where status = 'ready' and ready_at < ${readyBefore}::timestamptz
          and not exists (select from media_references where media_id = media.id)
        order by ready_at limit ${rowsMax} for update skip locked
      )
      select id from unended union all select id from old`
    if (rows.length > 0)
      await deleteRows(
        query,
        rows.map(({ id }) => id),
      )
    return rows.length
  })
}

/** Deletes one blob that nothing has used since `before`; nobody begins to use it meanwhile. @returns false where there is none */
export async function deleteUnusedBlob(
  db: Database,
  before: Date,
  remove: (sha256: string) => Promise<void>,
): Promise<boolean> {
  return await db.transaction('system', async (query) => {
    const [row] = await query<{ sha256: string }>`
      select encode(sha256, 'hex') as sha256 from media_blobs where uses = 0 and unused_at < ${before}
      order by unused_at limit 1 for update skip locked`
    if (!row) return false
    await remove(row.sha256)
    await query`delete from media_blobs where sha256 = ${hex(row.sha256)}`
    return true
  })
}

/** Of these uploads, by their UUIDs without hyphens, those that have not ended. */
export async function pendingOf(db: Database, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.system<{ id: string }>`
    select replace(id::text, '-', '') as id from media where id = any(${ids}::uuid[]) and status = 'pending'`
  return new Set(rows.map(({ id }) => id))
}

/** On the disk, of all workspaces. */
export async function storedBytes(db: Database): Promise<number> {
  const [row] = await db.system<{ bytes: number }>`select coalesce(sum(bytes), 0)::float8 as bytes from media_blobs`
  return row?.bytes ?? 0
}
