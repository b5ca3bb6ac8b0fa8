/** An operator retries or cancels a delivery; both are audited. */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { insertEvents } from '../events/insert.ts'
import { type ChannelId, type DeliveryId, idFrom, uuidOf } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import { sql } from '../postgres/sql.ts'
import type { Disposition } from './deliveries.ts'

/**
 * One that is undeliverable or cancelled becomes pending again, one that waits for its next attempt is sent at once.
 * @returns its channel, or null when it cannot be retried
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
      with retried as (
        update deliveries set status = 'pending', next_at = now(), expires_at = greatest(expires_at, ${expiresAt}),
          attempts_forgiven = attempts, updated_at = now()
        where id = ${uuidOf(delivery)}
        returning id, workspace_id, conversation_id, channel_id
      )
      ${insertEvents(sql`'delivery.pending'`, sql`retried`)}`
    const summary = { before: { status: before.status }, after: { status: 'pending' } }
    await writeAudit(query, { actor, action: 'delivery.retry', target: delivery, summary })
    return idFrom('chan', before.channel_id)
  })
}

/** @returns its channel, or null when it was sent, is being sent, or does not exist */
export async function cancelDelivery(db: Database, actor: AuditActor, delivery: DeliveryId): Promise<ChannelId | null> {
  return await db.transaction(actor.workspaceId, async (query) => {
    const before = await lockedDelivery(query, delivery, ['pending', 'failed'])
    if (!before) return null
    await query`
      with cancelled as (
        update deliveries set status = 'cancelled', updated_at = now() where id = ${uuidOf(delivery)}
        returning id, workspace_id, conversation_id, channel_id
      )
      ${insertEvents(sql`'delivery.cancelled'`, sql`cancelled`)}`
    const summary = { before: { status: before.status }, after: { status: 'cancelled' } }
    await writeAudit(query, { actor, action: 'delivery.cancel', target: delivery, summary })
    return idFrom('chan', before.channel_id)
  })
}

/** Locks it until the end of the transaction. Undefined: it is in none of these states. */
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
