/** What operators see of a subscription's outbox: its state, its deliveries, each attempt. And a retry by hand. */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import type { Disposition } from '../deliveries/deliveries.ts'
import { openDispositions } from '../deliveries/deliveries.ts'
import {
  idFrom,
  type RowOf,
  type SubscriptionDeliveryId,
  type SubscriptionId,
  uuidOf,
  type WorkspaceId,
} from '../id.ts'
import { allOf, sql } from '../postgres/sql.ts'

export interface NoticeRecord {
  id: SubscriptionDeliveryId
  subscriptionId: SubscriptionId
  eventKind: string
  eventAt: Date
  status: Disposition
  attempts: number
  statusCode: number | null
  reason: string | null
  nextAt: Date
  expiresAt: Date
  createdAt: Date
  updatedAt: Date
}

const columns = sql`id, subscription_id as "subscriptionId", event_kind as "eventKind", event_at as "eventAt", status, attempts,
  status_code as "statusCode", reason, next_at as "nextAt", expires_at as "expiresAt", created_at as "createdAt", updated_at as "updatedAt"`

const recordOf = (row: RowOf<NoticeRecord>): NoticeRecord => ({
  ...row,
  id: idFrom('out', row.id),
  subscriptionId: idFrom('sub', row.subscriptionId),
})

export interface NoticeFilter {
  subscriptionId: SubscriptionId | null
  status: Disposition | null
  /** The UUID of what the event is about. */
  subject: string | null
}

/** Newest first. `before` is exclusive. */
export async function listNotices(
  db: Database,
  workspace: WorkspaceId,
  { subscriptionId, status, subject }: NoticeFilter,
  page: { before: SubscriptionDeliveryId | null; limit: number },
): Promise<NoticeRecord[]> {
  const conditions = [sql`workspace_id = ${uuidOf(workspace)}`]
  if (subscriptionId) conditions.push(sql`subscription_id = ${uuidOf(subscriptionId)}`)
  if (status) conditions.push(sql`status = ${status}`)
  if (subject) conditions.push(sql`subject = ${subject}::uuid`)
  if (page.before) conditions.push(sql`id < ${uuidOf(page.before)}`)
  const rows = await db.forWorkspace(workspace)<RowOf<NoticeRecord>>`
    select ${columns} from subscription_deliveries where ${allOf(conditions)} order by id desc limit ${page.limit}`
  return rows.map(recordOf)
}

/** Who was told of these things, oldest first. */
export async function noticesAbout(
  db: Database,
  workspace: WorkspaceId,
  subjects: readonly string[],
  limit: number,
): Promise<(NoticeRecord & { subject: string })[]> {
  const rows = await db.forWorkspace(workspace)<RowOf<NoticeRecord> & { subject: string }>`
    select ${columns}, replace(subject::text, '-', '') as subject from subscription_deliveries
    where subject = any(${subjects}::uuid[]) order by id limit ${limit}`
  return rows.map((row) => ({ ...recordOf(row), subject: row.subject }))
}

export interface NoticeAttempt {
  attempt: number
  at: Date
  durationMs: number | null
  outcome: string
  statusCode: number | null
  error: string | null
}

export async function attemptsOfNotice(
  db: Database,
  workspace: WorkspaceId,
  id: SubscriptionDeliveryId,
): Promise<NoticeAttempt[]> {
  return await db.forWorkspace(workspace)<NoticeAttempt>`
    select attempt, at, duration_ms as "durationMs", outcome, status_code as "statusCode", error
    from subscription_attempts where delivery_id = ${uuidOf(id)} order by attempt limit 200`
}

export async function readNotice(
  db: Database,
  workspace: WorkspaceId,
  id: SubscriptionDeliveryId,
): Promise<NoticeRecord | undefined> {
  const [row] = await db.forWorkspace(workspace)<RowOf<NoticeRecord>>`
    select ${columns} from subscription_deliveries where id = ${uuidOf(id)}`
  return row && recordOf(row)
}

export interface OutboxState {
  pending: number
  /** Given up within a day. */
  undeliverable: number
  lastDeliveredAt: Date | null
  /** Of the newest delivery that has not arrived. */
  lastReason: string | null
}

const countedMax = 10_000

/** By subscription; one without deliveries is not in it. */
export async function outboxStates(
  db: Database,
  workspace: WorkspaceId,
  ids: readonly SubscriptionId[],
): Promise<Map<SubscriptionId, OutboxState>> {
  const rows = await db.forWorkspace(workspace)<OutboxState & { id: string }>`
    select wanted.id, counted.pending, counted.undeliverable, counted.delivered as "lastDeliveredAt", newest.reason as "lastReason"
    from unnest(${ids.map(uuidOf)}::uuid[]) as wanted (id)
    cross join lateral (
      select count(*) filter (where status in ${openDispositions})::int as pending,
        count(*) filter (where status = 'undeliverable' and updated_at > now() - interval '1 day')::int as undeliverable,
        max(updated_at) filter (where status = 'delivered') as delivered
      from (
        select status, updated_at from subscription_deliveries
        where subscription_id = wanted.id order by id desc limit ${countedMax}) as recent
    ) as counted
    left join lateral (
      select reason from unnest(array['failed', 'undeliverable']) as given (status)
      cross join lateral (
        select id, reason from subscription_deliveries
        where subscription_id = wanted.id and status = given.status order by id desc limit 1) as last
      order by id desc limit 1
    ) as newest on true`
  return new Map(rows.map(({ id, ...state }) => [idFrom('sub', id), state]))
}

/** Sends it again, as if it were new. @returns false: it has arrived, is being sent, or does not exist */
export async function retryNotice(db: Database, actor: AuditActor, id: SubscriptionDeliveryId): Promise<boolean> {
  return await db.transaction(actor.workspaceId, async (query) => {
    const [row] = await query`
      update subscription_deliveries set status = 'pending', next_at = now(), attempts_forgiven = attempts, updated_at = now(),
        expires_at = greatest(expires_at, now() + interval '1 day')
      where id = ${uuidOf(id)} and status in ('pending', 'failed', 'undeliverable', 'cancelled') returning id`
    if (!row) return false
    await writeAudit(query, {
      actor,
      action: 'subscription.retry',
      target: id,
      summary: { after: { status: 'pending' } },
    })
    return true
  })
}
