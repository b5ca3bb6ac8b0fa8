/** Deliveries as operators look at them. */
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
import type { Disposition } from './deliveries.ts'

export interface DeliveryRecord {
  id: DeliveryId
  channel: string
  conversationId: ConversationId
  messageId: MessageId
  status: Disposition
  attempts: number
  nextAt: Date
  expiresAt: Date
  receipt: string | null
  reason: string | null
  createdAt: Date
  updatedAt: Date
}

interface Row {
  id: string
  channel: string | null
  conversation_id: string
  message_id: string
  status: Disposition
  attempts: number
  next_at: Date
  expires_at: Date
  receipt: string | null
  reason: string | null
  created_at: Date
  updated_at: Date
}

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
  const { status, channelId, conversationId } = filter
  const rows = await db.forWorkspace(workspace)<Row>`
    select deliveries.id, channels.name as channel, conversation_id, message_id, status, attempts, next_at, expires_at, receipt,
      reason, deliveries.created_at, deliveries.updated_at
    from deliveries left join channels on channels.id = deliveries.channel_id
    where deliveries.workspace_id = ${uuidOf(workspace)}
      and (${page.before && uuidOf(page.before)}::uuid is null or deliveries.id < ${page.before && uuidOf(page.before)}::uuid)
      and (${status}::text is null or status = ${status}::text)
      and (${channelId && uuidOf(channelId)}::uuid is null or channel_id = ${channelId && uuidOf(channelId)}::uuid)
      and (${conversationId && uuidOf(conversationId)}::uuid is null or conversation_id = ${conversationId && uuidOf(conversationId)}::uuid)
    order by deliveries.id desc limit ${page.limit}`
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
      select deliveries.id, channels.name as channel, conversation_id, message_id, status, attempts, next_at, expires_at, receipt,
        reason, deliveries.created_at, deliveries.updated_at
      from deliveries left join channels on channels.id = deliveries.channel_id where deliveries.id = ${uuidOf(id)}`
    if (!row) return null
    const tries = await query<AttemptRecord>`
      select attempt, at, duration_ms as "durationMs", outcome, status_code as "statusCode", error
      from delivery_attempts where delivery_id = ${uuidOf(id)} order by attempt desc limit 200`
    return { ...deliveryRecord(row), tries }
  })
}

function deliveryRecord(row: Row): DeliveryRecord {
  return {
    id: idFrom('dlv', row.id),
    channel: row.channel ?? '',
    conversationId: idFrom('conv', row.conversation_id),
    messageId: idFrom('msg', row.message_id),
    status: row.status,
    attempts: row.attempts,
    nextAt: row.next_at,
    expiresAt: row.expires_at,
    receipt: row.receipt,
    reason: row.reason,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
