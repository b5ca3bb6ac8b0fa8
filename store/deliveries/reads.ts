/** Deliveries for operators: lists, and one with its attempts. */
import { bodyPreview } from '../conversations/body-preview.ts'
import type { Database } from '../database.ts'
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
import { allOf, sql } from '../postgres/sql.ts'
import { type Disposition, openDispositions } from './deliveries.ts'

export interface DeliveryRecord {
  id: DeliveryId
  channel: string
  conversationId: ConversationId
  messageId: MessageId
  status: Disposition
  attempts: number
  /** Waits until this earlier one of its conversation has ended; null: it waits for none. */
  behindId: DeliveryId | null
  nextAt: Date
  expiresAt: Date
  receipt: string | null
  reason: string | null
  /** The person's id in the channel. */
  recipient: string | null
  /** The beginning of what is delivered. */
  preview: string | null
  createdAt: Date
  updatedAt: Date
}

type Row = RowOf<DeliveryRecord>

const behind = sql`case when deliveries.status in ('pending', 'failed') then (
    select earlier.id from deliveries as earlier
    where earlier.conversation_id = deliveries.conversation_id and earlier.seq < deliveries.seq
      and earlier.status in ${openDispositions} order by earlier.seq limit 1) end`

const columns = sql`deliveries.id, coalesce(channels.name, '') as channel, deliveries.conversation_id as "conversationId",
  message_id as "messageId", status, attempts, ${behind} as "behindId", next_at as "nextAt", expires_at as "expiresAt", receipt, reason,
  conversations.external_id as recipient, ${bodyPreview(sql`messages.body`)} as preview,
  deliveries.created_at as "createdAt", deliveries.updated_at as "updatedAt"`

const table = sql`deliveries
  left join channels on channels.id = deliveries.channel_id
  left join conversations on conversations.id = deliveries.conversation_id
  left join messages on messages.id = deliveries.message_id`

export interface DeliveryFilter {
  status: Disposition | null
  channelId: ChannelId | null
  conversationId: ConversationId | null
}

/** Newest first; `before` is exclusive. */
export async function listDeliveries(
  db: Database,
  workspace: WorkspaceId,
  filter: DeliveryFilter,
  page: { before: DeliveryId | null; limit: number },
): Promise<DeliveryRecord[]> {
  const conditions = [sql`deliveries.workspace_id = ${uuidOf(workspace)}`]
  if (page.before) conditions.push(sql`deliveries.id < ${uuidOf(page.before)}`)
  if (filter.status) conditions.push(sql`status = ${filter.status}`)
  if (filter.channelId) conditions.push(sql`deliveries.channel_id = ${uuidOf(filter.channelId)}`)
  if (filter.conversationId) conditions.push(sql`deliveries.conversation_id = ${uuidOf(filter.conversationId)}`)
  const rows = await db.forWorkspace(workspace)<Row>`
    select ${columns} from ${table} where ${allOf(conditions)} order by deliveries.id desc limit ${page.limit}`
  return rows.map(deliveryRecord)
}

export interface AttemptRecord {
  attempt: number
  at: Date
  durationMs: number | null
  outcome: string
  statusCode: number | null
  error: string | null
}

/** @returns null when the workspace has no such delivery */
export async function readDelivery(
  db: Database,
  workspace: WorkspaceId,
  id: DeliveryId,
): Promise<(DeliveryRecord & { tries: AttemptRecord[] }) | null> {
  return await db.transaction(workspace, async (query) => {
    const [row] = await query<Row>`
      select ${columns} from ${table} where deliveries.id = ${uuidOf(id)}`
    if (!row) return null
    const tries = await query<AttemptRecord>`
      select attempt, at, duration_ms as "durationMs", outcome, status_code as "statusCode", error
      from delivery_attempts where delivery_id = ${uuidOf(id)} order by attempt desc limit 200`
    return { ...deliveryRecord(row), tries }
  })
}

function deliveryRecord(row: Row): DeliveryRecord {
  return {
    ...row,
    id: idFrom('dlv', row.id),
    behindId: idFrom('dlv', row.behindId),
    conversationId: idFrom('conv', row.conversationId),
    messageId: idFrom('msg', row.messageId),
  }
}
