/** What operators do to a delivery: once more, or not at all; each written down in the audit log. */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { type ChannelId, type DeliveryId, idFrom, uuidOf } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import type { Disposition } from './deliveries.ts'

/**
 * An undeliverable or cancelled one is tried anew, one that waits for its next try is tried at once.
 * @returns its channel, or null when it cannot be
 */
export async function retryDelivery(
  db: Database,
  actor: AuditActor,
  delivery: DeliveryId,
  expiresAt: Date,
): Promise<ChannelId | null> {
  return await db.transaction(actor.workspaceId, async (query) => {
    const before = await lockedDelivery(query, delivery, ['pending', 'failed', 'undeliverable', 'cancelled'])
    if (!before) return null
    await query`
      with again as (
        update deliveries set status = 'pending', next_at = now(), expires_at = greatest(expires_at, ${expiresAt}),
          attempts_forgiven = attempts, updated_at = now()
        where id = ${uuidOf(delivery)}
        returning id, workspace_id, conversation_id, channel_id
      )
      insert into events (workspace_id, kind, conversation_id, channel_id, subject)
      select workspace_id, 'delivery.pending', conversation_id, channel_id, id from again`
    const [was, is] = [{ status: before.status }, { status: 'pending' }]
    await writeAudit(query, { actor, action: 'delivery.retry', target: delivery, summary: { before: was, after: is } })
    return idFrom('chan', before.channel_id)
  })
}

/** @returns its channel, or null when it was sent, is being sent, or is not there */
export async function cancelDelivery(db: Database, actor: AuditActor, delivery: DeliveryId): Promise<ChannelId | null> {
  return await db.transaction(actor.workspaceId, async (query) => {
    const before = await lockedDelivery(query, delivery, ['pending', 'failed'])
    if (!before) return null
    await query`
      with ended as (
        update deliveries set status = 'cancelled', updated_at = now() where id = ${uuidOf(delivery)}
        returning id, workspace_id, conversation_id, channel_id
      )
      insert into events (workspace_id, kind, conversation_id, channel_id, subject)
      select workspace_id, 'delivery.cancelled', conversation_id, channel_id, id from ended`
    const [was, is] = [{ status: before.status }, { status: 'cancelled' }]
    await writeAudit(query, { actor, action: 'delivery.cancel', target: delivery, summary: { before: was, after: is } })
    return idFrom('chan', before.channel_id)
  })
}

/** Nobody else changes it until the end of the transaction. Undefined: it is in none of these states. */
async function lockedDelivery(
  query: Query,
  delivery: DeliveryId,
  states: readonly Disposition[],
): Promise<{ status: Disposition; channel_id: string } | undefined> {
  const [row] = await query<{ status: Disposition; channel_id: string }>`
    select status, channel_id from deliveries
    where id = ${uuidOf(delivery)} and status = any(${states}::text[]) for update`
  return row
}
