/** The outbox: answers on their way to their channels. A status changes only from an expected one, so that a success is never overwritten. */
import { z } from 'zod'
import type { Database } from '../database.ts'
import { insertEvents } from '../events/insert.ts'
import {
  type ChannelId,
  type ConversationId,
  type DeliveryId,
  idFrom,
  type MessageId,
  type RowOf,
  uuidOf,
  type WorkspaceId,
} from '../id.ts'
import { type HeldKey, isHeld } from '../nodes/slots.ts'
import { databaseBatch } from '../postgres/batch.ts'
import { safeText } from '../postgres/safe-text.ts'
import { sql } from '../postgres/sql.ts'

export const Disposition = z.enum(['pending', 'sending', 'delivered', 'failed', 'undeliverable', 'cancelled'])
export type Disposition = z.infer<typeof Disposition>

/** The dispositions of a delivery that has not ended: what the partial indexes of the outbox cover. */
export const openDispositions = sql`('pending', 'sending', 'failed')`

const waiting = sql`('pending', 'failed')`

/** Answers of a conversation arrive in order: an open one with a lower number comes first. */
const isFirst = sql`not exists (
          select from deliveries as earlier
          where earlier.conversation_id = deliveries.conversation_id and earlier.seq < deliveries.seq
            and earlier.status in ${openDispositions})`

/** A channel whose slot is this node's. */
export interface HeldChannel extends HeldKey {
  key: ChannelId
}

/** A delivery that is now this node's to send. */
export interface ClaimedDelivery {
  id: DeliveryId
  workspaceId: WorkspaceId
  conversationId: ConversationId
  messageId: MessageId
  /** The recipient, as the channel names them. */
  externalId: string
  replyTo: unknown
  /** The answer in the form of the API. */
  body: unknown
  /** Since an operator last retried it: attempts that did not deliver it, and those of them that failed by the receiver. */
  attempts: number
  failures: number
  createdAt: Date
  expiresAt: Date
}

/**
 * Claims what is due, at most `limit`: of each conversation the oldest.
 * @param now by the clock that sets the time of the next attempt. Answers are dated by the database's clock: the later of
 *   the two counts, so that a clock that is behind delays nothing.
 */
export async function claimDeliveries(
  db: Database,
  held: HeldChannel,
  limit: number,
  now = new Date(),
): Promise<ClaimedDelivery[]> {
  const { key: channel, node, lease } = held
  const rows = await db.system<RowOf<ClaimedDelivery>>`
    with due as materialized (
      select id from deliveries
      where ${isHeld(held)} and channel_id = ${uuidOf(channel)} and status in ${waiting} and next_at <= greatest(now(), ${now})
        and ${isFirst}
      order by next_at limit ${limit} for update skip locked
    ), claimed as (
      update deliveries set status = 'sending', epoch = ${node}::bigint, lease_epoch = ${lease}::bigint, updated_at = now()
      from due where deliveries.id = due.id and deliveries.status in ${waiting}
      returning deliveries.*
    )
    select claimed.id, claimed.workspace_id as "workspaceId", claimed.conversation_id as "conversationId",
      claimed.message_id as "messageId", conversations.external_id as "externalId", conversations.reply_to as "replyTo",
      messages.body, claimed.attempts - claimed.attempts_forgiven as attempts,
      case when claimed.attempts > claimed.attempts_forgiven then (
        select count(*)::integer from delivery_attempts
        where delivery_id = claimed.id and attempt > claimed.attempts_forgiven and outcome = 'failed'
      ) else 0 end as failures, claimed.created_at as "createdAt",
      claimed.expires_at as "expiresAt"
    from claimed join conversations on conversations.id = claimed.conversation_id
      join messages on messages.id = claimed.message_id`
  return rows.map((row) => ({
    ...row,
    id: idFrom('dlv', row.id),
    workspaceId: idFrom('ws', row.workspaceId),
    conversationId: idFrom('conv', row.conversationId),
    messageId: idFrom('msg', row.messageId),
  }))
}

/** How one attempt ended. */
export interface Attempt {
  delivery: DeliveryId
  /** Under which it was claimed. */
  lease: number
  /** unknown: it was stopped by the service. */
  outcome: 'delivered' | 'failed' | 'refused' | 'unknown'
  at: Date
  durationMs: number
  statusCode: number | null
  error: string | null
  /** The recipient's own id of it. */
  receipt: string | null
  status: 'delivered' | 'failed' | 'undeliverable'
  /** Of `failed`: the time of the next attempt. */
  nextAt: Date | null
}

export interface AttemptWriter {
  /** False: it is no longer this node's to send, and nothing was written. */
  record(attempt: Attempt): Promise<boolean>
  close(): Promise<void>
}

const limits = { rowsMax: 128, flushersMax: 1, waitingMax: 10_000 }

export function attemptWriter(db: Database, node: number): AttemptWriter {
  const batch = databaseBatch((rows: Attempt[]) => record(db, node, rows), limits)
  return { record: (attempt) => batch.add(attempt), close: () => batch.close() }
}

/** Made once: one for each attempt of each delivery. */
const attemptEvents = insertEvents(sql`'delivery.' || status`, sql`changed order by n`)

async function record(db: Database, node: number, rows: Attempt[]): Promise<boolean[]> {
  const recorded = await db.system<{ n: number }>`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(rows.map(columnsOf))}::text::json) as input (
        n integer, lease bigint, delivery uuid, outcome text, at timestamptz, duration_ms real, status_code integer, error text, receipt text,
        status text, next_at timestamptz)
    ), fenced as materialized (
      select input.* from input join deliveries on deliveries.id = input.delivery
      where deliveries.status = 'sending' and deliveries.epoch = ${node}::bigint and deliveries.lease_epoch = input.lease order by deliveries.id for update of deliveries
    ), changed as (
      update deliveries set status = fenced.status, attempts = attempts + 1, next_at = coalesce(fenced.next_at, deliveries.next_at),
        receipt = fenced.receipt, reason = fenced.error, updated_at = now()
      from fenced where deliveries.id = fenced.delivery
      returning deliveries.id, deliveries.workspace_id, deliveries.conversation_id, deliveries.channel_id, deliveries.attempts,
        fenced.n, fenced.outcome, fenced.at, fenced.duration_ms, fenced.status_code, fenced.error, fenced.status
    ), attempt as (
      insert into delivery_attempts (delivery_id, attempt, workspace_id, at, duration_ms, outcome, status_code, error)
      select id, attempts, workspace_id, at, duration_ms, outcome, status_code, error from changed
    ), event as (${attemptEvents})
    select n from changed`
  const done = new Set(recorded.map(({ n }) => n))
  return rows.map((_, n) => done.has(n))
}

function columnsOf(attempt: Attempt, n: number): object {
  return {
    n,
    lease: attempt.lease,
    delivery: uuidOf(attempt.delivery),
    outcome: attempt.outcome,
    at: attempt.at,
    duration_ms: attempt.durationMs,
    status_code: attempt.statusCode,
    error: attempt.error && safeText(attempt.error).slice(0, 2_000),
    receipt: attempt.receipt && safeText(attempt.receipt).slice(0, 500),
    status: attempt.status,
    next_at: attempt.nextAt,
  }
}

/** Puts back what was claimed and not sent. */
export async function releaseDeliveries(
  db: Database,
  { node, lease }: HeldChannel,
  deliveries: readonly DeliveryId[],
  nextAt: Date,
): Promise<void> {
  if (deliveries.length === 0) return
  await db.system`
    update deliveries set status = case when attempts = 0 then 'pending' else 'failed' end, next_at = ${nextAt}, updated_at = now()
    where id = any(${deliveries.map(uuidOf)}::uuid[]) and status = 'sending' and epoch = ${node}::bigint
      and lease_epoch = ${lease}::bigint`
}

/**
 * Deliveries that were being sent when the channel's actor or the service ended: whether they arrived is unknown, so they
 * are sent again under the same id. It counts as an attempt: a delivery that ends the process must not do so for ever.
 * Called only while nothing is under way in this channel.
 */
export async function recoverDeliveries(db: Database, held: HeldChannel, attemptsMax: number): Promise<number> {
  const [row] = await db.system<{ recovered: number }>`
    with left_over as (
      update deliveries set status = case when attempts - attempts_forgiven + 1 < ${attemptsMax} then 'failed' else 'undeliverable' end,
        attempts = attempts + 1, next_at = now(), reason = 'the service stopped while it was sent', updated_at = now()
      where ${isHeld(held)} and channel_id = ${uuidOf(held.key)} and status = 'sending'
      returning id, workspace_id, conversation_id, channel_id, attempts, status
    ), attempt as (
      insert into delivery_attempts (delivery_id, attempt, workspace_id, at, outcome, error)
      select id, attempts, workspace_id, now(), 'unknown', 'the service stopped while it was sent' from left_over
    ), event as (${insertEvents(sql`'delivery.' || status`, sql`left_over`)})
    select count(*)::integer as recovered from left_over`
  return row?.recovered ?? 0
}

/** Gives up what has become too old to be sent. @param now as of `claimDeliveries` @returns how many */
export async function expireDeliveries(
  db: Database,
  held: HeldChannel,
  limit: number,
  now = new Date(),
): Promise<number> {
  const [row] = await db.system<{ expired: number }>`
    with old as materialized (
      select id from deliveries
      where ${isHeld(held)} and channel_id = ${uuidOf(held.key)} and status in ${waiting} and expires_at < greatest(now(), ${now})
      order by next_at limit ${limit} for update skip locked
    ), expired as (
      update deliveries set status = 'undeliverable', reason = coalesce('too old to be sent; before that: ' || reason, 'too old to be sent'), updated_at = now()
      from old where deliveries.id = old.id
      returning deliveries.id, workspace_id, conversation_id, channel_id
    ), event as (${insertEvents(sql`'delivery.undeliverable'`, sql`expired`)})
    select count(*)::integer as expired from expired`
  return row?.expired ?? 0
}

/** Milliseconds until the next delivery of the channel is due; null when nothing waits. @param now as of `claimDeliveries` */
export async function nextDeliveryInMs(db: Database, channel: ChannelId, now = new Date()): Promise<number | null> {
  const [row] = await db.system<{ wait: number | null }>`
    select extract(epoch from least(min(next_at), min(expires_at)) - greatest(now(), ${now}))::double precision * 1000 as wait
    from deliveries where channel_id = ${uuidOf(channel)} and status in ${waiting}
      and ${isFirst}`
  return row?.wait ?? null
}

/** Answers of all workspaces that have not arrived and are not given up; counts `limit` of them at most. */
export async function openDeliveries(db: Database, limit: number): Promise<{ pending: number; oldestAgeS: number }> {
  const [row] = await db.system<{ pending: number; age: number | null }>`
    select count(*)::integer as pending, extract(epoch from now() - min(created_at))::double precision as age
    from (select created_at from deliveries where status in ${openDispositions} limit ${limit}) as open`
  return { pending: row?.pending ?? 0, oldestAgeS: Math.max(0, row?.age ?? 0) }
}
