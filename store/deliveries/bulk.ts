/** Many deliveries retried or cancelled at once: those that a filter names and that have not changed since they were counted. */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { insertEvents } from '../events/insert.ts'
import { type ChannelId, type ConversationId, idFrom, uuidOf, type WorkspaceId } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import { allOf, type Fragment, sql } from '../postgres/sql.ts'
import type { Disposition } from './deliveries.ts'

export interface BulkFilter {
  statuses: readonly Disposition[]
  channelId: ChannelId | null
  conversationId: ConversationId | null
}

/** Counting stops here: nobody needs a larger number. */
export const countedMax = 10_000
/** Of one transaction: its rows stay locked until it ends. */
export const changedMax = 1_000

/** `asOf`: when they were counted, by the database's clock. */
export async function countDeliveries(
  db: Database,
  workspace: WorkspaceId,
  filter: BulkFilter,
): Promise<{ count: number; asOf: Date }> {
  const [row] = await db.forWorkspace(workspace)<{ count: number; asOf: Date }>`
    select now() as "asOf", (
      select count(*)::int from (
        select from deliveries where ${allOf(conditionsOf(workspace, filter))} limit ${countedMax + 1}) as counted) as count`
  if (!row) throw new Error('a count has one row')
  return row
}

function conditionsOf(workspace: WorkspaceId, { statuses, channelId, conversationId }: BulkFilter): Fragment[] {
  const conditions = [sql`workspace_id = ${uuidOf(workspace)}`, sql`status = any(${statuses}::text[])`]
  if (channelId) conditions.push(sql`channel_id = ${uuidOf(channelId)}`)
  if (conversationId) conditions.push(sql`conversation_id = ${uuidOf(conversationId)}`)
  return conditions
}

export interface BulkResult {
  changed: number
  /** The channels whose outboxes have work now. */
  channels: ChannelId[]
}

/**
 * At most `changedMax`, oldest first; none that changed after `asOf`, so that one that fails again is not retried again.
 * Rows that are locked at this moment are skipped.
 */
export async function changeDeliveries(
  db: Database,
  actor: AuditActor,
  change: 'retry' | 'cancel',
  filter: BulkFilter,
  asOf: Date,
): Promise<BulkResult> {
  return await db.transaction(actor.workspaceId, async (query) => {
    const ids = await lockedDeliveries(query, actor.workspaceId, filter, asOf)
    if (ids.length === 0) return { changed: 0, channels: [] }
    const changed = change === 'retry' ? await retryAll(query, ids) : await cancelAll(query, ids)
    const after = { deliveries: ids.length, statuses: filter.statuses.join(' '), conversation: filter.conversationId }
    await writeAudit(query, { actor, action: `delivery.${change}_many`, target: filter.channelId, summary: { after } })
    return { changed: ids.length, channels: changed.map(({ channel_id }) => idFrom('chan', channel_id)) }
  })
}

async function lockedDeliveries(
  query: Query,
  workspace: WorkspaceId,
  filter: BulkFilter,
  asOf: Date,
): Promise<string[]> {
  const rows = await query<{ id: string }>`
    select id from deliveries where ${allOf([...conditionsOf(workspace, filter), sql`updated_at <= ${asOf}`])}
    order by id limit ${changedMax} for update skip locked`
  return rows.map(({ id }) => id)
}

interface ChannelRow {
  channel_id: string
}

/** Their attempts are counted from zero again, and each may become as old as its channel allows, as with a single one. */
function retryAll(query: Query, ids: readonly string[]): Promise<ChannelRow[]> {
  return query<ChannelRow>`
    with retried as (
      update deliveries set status = 'pending', next_at = now(), attempts_forgiven = attempts, updated_at = now(),
        expires_at = greatest(expires_at, now() + make_interval(secs => coalesce(
          (select (config->'policy'->>'age_max_s')::float8 from channels where channels.id = deliveries.channel_id), 86400)))
      where id = any(${ids}::uuid[])
      returning id, workspace_id, conversation_id, channel_id
    ), event as (${insertEvents(sql`'delivery.pending'`, sql`retried`)})
    select distinct channel_id from retried`
}

function cancelAll(query: Query, ids: readonly string[]): Promise<ChannelRow[]> {
  return query<ChannelRow>`
    with cancelled as (
      update deliveries set status = 'cancelled', updated_at = now() where id = any(${ids}::uuid[])
      returning id, workspace_id, conversation_id, channel_id
    ), event as (${insertEvents(sql`'delivery.cancelled'`, sql`cancelled`)})
    select distinct channel_id from cancelled`
}
