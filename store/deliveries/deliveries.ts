/** The outbox: answers on their way to their channels. States change by compare-and-set, so that nobody overwrites a success. */
import { z } from 'zod'
import type { Database } from '../database.ts'
import {
  type ChannelId,
  type ConversationId,
  type DeliveryId,
  idFrom,
  type MessageId,
  uuidOf,
  type WorkspaceId,
} from '../id.ts'
import { databaseBatch } from '../postgres/batch.ts'
import { safeText } from '../postgres/safe-text.ts'

export const Disposition = z.enum(['pending', 'sending', 'delivered', 'failed', 'undeliverable', 'cancelled'])
export type Disposition = z.infer<typeof Disposition>

/** A delivery that is this process's to send. */
export interface ClaimedDelivery {
  id: DeliveryId
  workspaceId: WorkspaceId
  conversationId: ConversationId
  messageId: MessageId
  /** The receiver, as the channel names them. */
  externalId: string
  replyTo: unknown
  /** The answer, as the API has it. */
  body: unknown
  /** Tries that failed, since an operator last asked for it again. */
  attempts: number
  createdAt: Date
  expiresAt: Date
}

interface ClaimedRow {
  id: string
  workspace_id: string
  conversation_id: string
  message_id: string
  external_id: string
  reply_to: unknown
  body: unknown
  attempts: number
  created_at: Date
  expires_at: Date
}

/**
 * Takes what is due, at most `limit`: of each conversation the oldest, so that answers arrive in order.
 * @param now by the clock that says when to try again. The database's own says when an answer was made: the later of the two
 *   counts, so that a clock that is behind delays nothing.
 */
export async function claimDeliveries(
  db: Database,
  epoch: number,
  channel: ChannelId,
  limit: number,
  now = new Date(),
): Promise<ClaimedDelivery[]> {
  const rows = await db.system<ClaimedRow>`
    with due as materialized (
      select id from deliveries
      where channel_id = ${uuidOf(channel)} and status in ('pending', 'failed') and next_at <= greatest(now(), ${now})
        and not exists (
          select from deliveries as earlier
          where earlier.conversation_id = deliveries.conversation_id and earlier.seq < deliveries.seq
            and earlier.status in ('pending', 'sending', 'failed'))
      order by next_at limit ${limit} for update skip locked
    ), taken as (
      update deliveries set status = 'sending', epoch = ${epoch}::bigint, updated_at = now()
      from due where deliveries.id = due.id and deliveries.status in ('pending', 'failed')
      returning deliveries.*
    )
    select taken.id, taken.workspace_id, taken.conversation_id, taken.message_id, conversations.external_id, conversations.reply_to,
      messages.body, taken.attempts - taken.attempts_forgiven as attempts, taken.created_at, taken.expires_at
    from taken join conversations on conversations.id = taken.conversation_id join messages on messages.id = taken.message_id`
  return rows.map((row) => ({
    id: idFrom('dlv', row.id),
    workspaceId: idFrom('ws', row.workspace_id),
    conversationId: idFrom('conv', row.conversation_id),
    messageId: idFrom('msg', row.message_id),
    externalId: row.external_id,
    replyTo: row.reply_to,
    body: row.body,
    attempts: row.attempts,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }))
}

/** How one try ended. */
export interface Attempt {
  delivery: DeliveryId
  /** unknown: it was ended from our side. */
  outcome: 'delivered' | 'failed' | 'refused' | 'unknown'
  at: Date
  durationMs: number
  statusCode: number | null
  error: string | null
  /** What the receiver calls it. */
  receipt: string | null
  status: 'delivered' | 'failed' | 'undeliverable'
  /** Of `failed`: when it is tried again. */
  nextAt: Date | null
}

export interface AttemptWriter {
  /** False: it is no longer this process's to send, and its state was left as it is. */
  record(attempt: Attempt): Promise<boolean>
  close(): Promise<void>
}

const limits = { rowsMax: 128, flushersMax: 1, waitingMax: 10_000 }

export function attemptWriter(db: Database, epoch: number): AttemptWriter {
  const batch = databaseBatch((rows: Attempt[]) => record(db, epoch, rows), limits)
  return { record: (attempt) => batch.add(attempt), close: () => batch.close() }
}

async function record(db: Database, epoch: number, rows: Attempt[]): Promise<boolean[]> {
  const recorded = await db.system<{ n: number }>`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(rows.map(columnsOf))}::text::json) as input (
        n integer, delivery uuid, outcome text, at timestamptz, duration_ms real, status_code integer, error text, receipt text,
        status text, next_at timestamptz)
    ), held as materialized (
      select input.* from input join deliveries on deliveries.id = input.delivery
      where deliveries.status = 'sending' and deliveries.epoch = ${epoch}::bigint order by deliveries.id for update of deliveries
    ), changed as (
      update deliveries set status = held.status, attempts = attempts + 1, next_at = coalesce(held.next_at, deliveries.next_at),
        receipt = held.receipt, reason = held.error, updated_at = now()
      from held where deliveries.id = held.delivery
      returning deliveries.id, deliveries.workspace_id, deliveries.conversation_id, deliveries.channel_id, deliveries.attempts,
        held.n, held.outcome, held.at, held.duration_ms, held.status_code, held.error, held.status
    ), tried as (
      insert into delivery_attempts (delivery_id, attempt, workspace_id, at, duration_ms, outcome, status_code, error)
      select id, attempts, workspace_id, at, duration_ms, outcome, status_code, error from changed
    ), event as (
      insert into events (workspace_id, kind, conversation_id, channel_id, subject)
      select workspace_id, 'delivery.' || status, conversation_id, channel_id, id from changed order by n
    )
    select n from changed`
  const done = new Set(recorded.map(({ n }) => n))
  return rows.map((_, n) => done.has(n))
}

function columnsOf(attempt: Attempt, n: number): object {
  return {
    n,
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

/** Gives back what was taken and not tried. */
export async function releaseDeliveries(
  db: Database,
  epoch: number,
  deliveries: readonly DeliveryId[],
  nextAt: Date,
): Promise<void> {
  if (deliveries.length === 0) return
  await db.system`
    update deliveries set status = case when attempts = 0 then 'pending' else 'failed' end, next_at = ${nextAt}, updated_at = now()
    where id = any(${deliveries.map(uuidOf)}::uuid[]) and status = 'sending' and epoch = ${epoch}::bigint`
}

/**
 * What was being sent when the channel's actor or the service ended: nobody knows whether it arrived, so it is sent again
 * under the same id. It counts as a try: a delivery that ends the process must not do so for ever. Asked while nothing is
 * under way in this channel.
 */
export async function recoverDeliveries(
  db: Database,
  epoch: number,
  channel: ChannelId,
  attemptsMax: number,
): Promise<number> {
  const [row] = await db.system<{ recovered: number }>`
    with left_over as (
      update deliveries set status = case when attempts - attempts_forgiven + 1 < ${attemptsMax} then 'failed' else 'undeliverable' end,
        attempts = attempts + 1, next_at = now(), reason = 'the service stopped while it was sent', updated_at = now()
      where channel_id = ${uuidOf(channel)} and status = 'sending' and epoch <= ${epoch}::bigint
      returning id, workspace_id, conversation_id, channel_id, attempts, status
    ), tried as (
      insert into delivery_attempts (delivery_id, attempt, workspace_id, at, outcome, error)
      select id, attempts, workspace_id, now(), 'unknown', 'the service stopped while it was sent' from left_over
    ), event as (
      insert into events (workspace_id, kind, conversation_id, channel_id, subject)
      select workspace_id, 'delivery.' || status, conversation_id, channel_id, id from left_over
    )
    select count(*)::integer as recovered from left_over`
  return row?.recovered ?? 0
}

/** Marks what has become too old to be sent. @param now as of `claimDeliveries` @returns how many */
export async function expireDeliveries(
  db: Database,
  channel: ChannelId,
  limit: number,
  now = new Date(),
): Promise<number> {
  const [row] = await db.system<{ expired: number }>`
    with old as materialized (
      select id from deliveries where channel_id = ${uuidOf(channel)} and status in ('pending', 'failed') and expires_at < greatest(now(), ${now})
      order by next_at limit ${limit} for update skip locked
    ), marked as (
      update deliveries set status = 'undeliverable', reason = coalesce('too old to be sent; before that: ' || reason, 'too old to be sent'), updated_at = now()
      from old where deliveries.id = old.id
      returning deliveries.id, workspace_id, conversation_id, channel_id
    ), event as (
      insert into events (workspace_id, kind, conversation_id, channel_id, subject)
      select workspace_id, 'delivery.undeliverable', conversation_id, channel_id, id from marked
    )
    select count(*)::integer as expired from marked`
  return row?.expired ?? 0
}

/** Milliseconds until the next delivery of the channel is due; null when nothing waits. @param now as of `claimDeliveries` */
export async function nextDeliveryInMs(db: Database, channel: ChannelId, now = new Date()): Promise<number | null> {
  const [row] = await db.system<{ wait: number | null }>`
    select extract(epoch from least(min(next_at), min(expires_at)) - greatest(now(), ${now}))::double precision * 1000 as wait
    from deliveries where channel_id = ${uuidOf(channel)} and status in ('pending', 'failed')
      and not exists (
        select from deliveries as earlier
        where earlier.conversation_id = deliveries.conversation_id and earlier.seq < deliveries.seq
          and earlier.status in ('pending', 'sending', 'failed'))`
  return row?.wait ?? null
}

/** Answers that have not arrived and are not given up, of all workspaces; it looks at `limit` of them at most. */
export async function openDeliveries(db: Database, limit: number): Promise<{ pending: number; oldestAgeS: number }> {
  const [row] = await db.system<{ pending: number; age: number | null }>`
    select count(*)::integer as pending, extract(epoch from now() - min(created_at))::double precision as age
    from (select created_at from deliveries where status in ('pending', 'sending', 'failed') limit ${limit}) as open`
  return { pending: row?.pending ?? 0, oldestAgeS: Math.max(0, row?.age ?? 0) }
}
