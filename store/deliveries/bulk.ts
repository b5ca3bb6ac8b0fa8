/** What operators do to many deliveries at once: those that a filter names and that nobody has touched since it was counted. */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { type ChannelId, type ConversationId, idFrom, uuidOf, type WorkspaceId } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import type { Disposition } from './deliveries.ts'

export interface BulkFilter {
  statuses: readonly Disposition[]
  channelId: ChannelId | null
  conversationId: ConversationId | null
}

/** Counting goes this far: beyond it nobody needs the number. */
export const countedMax = 10_000
/** Of one transaction: its rows stay locked until it ends. */
export const changedMax = 1_000

/** `asOf`: when they were counted, by the database's clock. */
export async function countDeliveries(
  db: Database,
  workspace: WorkspaceId,
  { statuses, channelId, conversationId }: BulkFilter,
): Promise<{ count: number; asOf: Date }> {
  const [row] = await db.forWorkspace(workspace)<{ count: number; as_of: Date }>`
    select now() as as_of, (
      select count(*)::int from (
        select 1 from deliveries
        where workspace_id = ${uuidOf(workspace)} and status = any(${statuses}::text[])
          and (${channelId && uuidOf(channelId)}::uuid is null or channel_id = ${channelId && uuidOf(channelId)}::uuid)
          and (${conversationId && uuidOf(conversationId)}::uuid is null
            or conversation_id = ${conversationId && uuidOf(conversationId)}::uuid)
        limit ${countedMax + 1}
      ) as counted
    ) as count`
  if (!row) throw new Error('a count has one row')
  return { count: row.count, asOf: row.as_of }
}

export interface BulkResult {
  changed: number
  /** Whose outboxes have something to do. */
  channels: ChannelId[]
}

/**
 * At most `changedMax`, oldest first; none that changed after `asOf`, so that one that fails again is not taken again. What
 * somebody else holds at this moment is left alone.
 */
export async function changeDeliveries(
  db: Database,
  actor: AuditActor,
  what: 'retry' | 'cancel',
  filter: BulkFilter,
  asOf: Date,
): Promise<BulkResult> {
  return await db.transaction(actor.workspaceId, async (query) => {
    const ids = await lockedDeliveries(query, actor.workspaceId, filter, asOf)
    if (ids.length === 0) return { changed: 0, channels: [] }
    const changed = what === 'retry' ? await retried(query, ids) : await cancelled(query, ids)
    const after = { deliveries: ids.length, statuses: filter.statuses.join(' '), conversation: filter.conversationId }
    await writeAudit(query, { actor, action: `delivery.${what}_many`, target: filter.channelId, summary: { after } })
    return { changed: ids.length, channels: changed.map(({ channel_id }) => idFrom('chan', channel_id)) }
  })
}

async function lockedDeliveries(
  query: Query,
  workspace: WorkspaceId,
  { statuses, channelId, conversationId }: BulkFilter,
  asOf: Date,
): Promise<string[]> {
  const rows = await query<{ id: string }>`
    select id from deliveries
    where workspace_id = ${uuidOf(workspace)} and status = any(${statuses}::text[]) and updated_at <= ${asOf}
      and (${channelId && uuidOf(channelId)}::uuid is null or channel_id = ${channelId && uuidOf(channelId)}::uuid)
      and (${conversationId && uuidOf(conversationId)}::uuid is null
        or conversation_id = ${conversationId && uuidOf(conversationId)}::uuid)
    order by id limit ${changedMax} for update skip locked`
  return rows.map(({ id }) => id)
}

interface ChannelRow {
  channel_id: string
}

/** Their tries begin to count anew, and each gets its channel's age again, as with one alone. */
function retried(query: Query, ids: readonly string[]): Promise<ChannelRow[]> {
  return query<ChannelRow>`
    with again as (
      update deliveries set status = 'pending', next_at = now(), attempts_forgiven = attempts, updated_at = now(),
        expires_at = greatest(expires_at, now() + make_interval(secs => coalesce(
          (select (config->'policy'->>'age_max_s')::float8 from channels where channels.id = deliveries.channel_id), 86400)))
      where id = any(${ids}::uuid[])
      returning id, workspace_id, conversation_id, channel_id
    ), told as (
      insert into events (workspace_id, kind, conversation_id, channel_id, subject)
      select workspace_id, 'delivery.pending', conversation_id, channel_id, id from again
    )
    select distinct channel_id from again`
}

function cancelled(query: Query, ids: readonly string[]): Promise<ChannelRow[]> {
  return query<ChannelRow>`
    with ended as (
      update deliveries set status = 'cancelled', updated_at = now() where id = any(${ids}::uuid[])
      returning id, workspace_id, conversation_id, channel_id
    ), told as (
      insert into events (workspace_id, kind, conversation_id, channel_id, subject)
      select workspace_id, 'delivery.cancelled', conversation_id, channel_id, id from ended
    )
    select distinct channel_id from ended`
}
