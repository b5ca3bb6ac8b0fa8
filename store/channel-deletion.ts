/** Deletes a channel: what is open of it is ended in small steps, each in a transaction of its own, and the row goes last. */
import { approvalsDecided } from './approvals.ts'
import { type AuditActor, writeAudit } from './audit/audit.ts'
import type { Database } from './database.ts'
import { openDispositions } from './deliveries/deliveries.ts'
import { insertEvents } from './events/insert.ts'
import { type ChannelId, type ConversationId, idFrom, type TurnId, uuidOf, type WorkspaceId } from './id.ts'
import { sql } from './postgres/sql.ts'
import { openStatuses } from './turns/status.ts'
import { endedColumns, insertUnknownUsage } from './usage/entry.ts'

/** Of one step: a transaction holds its rows for a moment only. */
const rowsMax = 500

const reason = 'the channel was deleted'

export interface EndedTurnOfChannel {
  conversation: ConversationId
  turn: TurnId
  statusBefore: 'queued' | 'running' | 'waiting'
}

interface Place {
  workspace: WorkspaceId
  channel: ChannelId
}

/** Also one whose configuration cannot be read, which is on in no process. */
export async function channelToDelete(db: Database, workspace: WorkspaceId, name: string): Promise<ChannelId | null> {
  const [row] = await db.forWorkspace(workspace)<{ id: string }>`select id from channels where name = ${name}`
  return row ? idFrom('chan', row.id) : null
}

/** Cancels turns that have not ended, and withdraws their approvals; at most 500. */
export function endTurnsOfChannel(db: Database, { workspace, channel }: Place): Promise<EndedTurnOfChannel[]> {
  return db.transaction(workspace, async (query) => {
    const rows = await query<{ conversation: string; turn: string; statusBefore: EndedTurnOfChannel['statusBefore'] }>`
      with open as (
        select id, status from turns where channel_id = ${uuidOf(channel)} and status in ${openStatuses} and origin <> 'call'
        order by id limit ${rowsMax} for update
      ), ended as (
        update turns set status = 'cancelled', error_code = 'cancelled', error_message = ${reason},
          is_usage_unknown = case when open.status <> 'queued' then true end
        from open where turns.id = open.id
        returning ${endedColumns}, turns.conversation_id, open.status as status_before
      ), entry as (${insertUnknownUsage(sql`ended`, sql`status_before <> 'queued'`)}
      ), event as (${insertEvents(sql`'turn.cancelled'`, sql`ended`)}
      ), withdrawn as (
        update approvals set status = 'cancelled', decided_at = now() from ended
        where approvals.turn_id = ended.id and approvals.status = 'pending'
        returning approvals.*
      ), approval_event as (${approvalsDecided(sql`withdrawn`)})
      select conversation_id as conversation, id as turn, status_before as "statusBefore" from ended`
    return rows.map(({ conversation, turn, statusBefore }) => ({
      conversation: idFrom('conv', conversation),
      turn: idFrom('turn', turn),
      statusBefore,
    }))
  })
}

/**
 * Cancels deliveries that have not ended; at most 500. Of one that is being sent nobody knows whether it arrives, which its
 * last attempt says.
 */
export function cancelDeliveriesOfChannel(db: Database, { workspace, channel }: Place): Promise<number> {
  return db.transaction(workspace, async (query) => {
    const [row] = await query<{ cancelled: number }>`
      with open as (
        select id, status from deliveries where channel_id = ${uuidOf(channel)} and status in ${openDispositions}
        order by id limit ${rowsMax} for update
      ), cancelled as (
        update deliveries set status = 'cancelled', reason = ${reason}, updated_at = now(),
          attempts = attempts + case when open.status = 'sending' then 1 else 0 end
        from open where deliveries.id = open.id
        returning deliveries.id, workspace_id, conversation_id, channel_id, attempts, open.status as status_before
      ), attempt as (
        insert into delivery_attempts (delivery_id, attempt, workspace_id, at, outcome, error)
        select id, attempts, workspace_id, now(), 'unknown', ${`${reason} while it was sent`}
        from cancelled where status_before = 'sending'
      ), event as (${insertEvents(sql`'delivery.cancelled'`, sql`cancelled`)})
      select count(*)::integer as cancelled from cancelled`
    return row?.cancelled ?? 0
  })
}

/** Its senders' bindings and its secrets go with it; conversations, turns and deliveries stay. False: there is none. */
export function deleteChannelRow(
  db: Database,
  channel: ChannelId,
  audit: { actor: AuditActor; cancelled: { turns: number; deliveries: number } },
): Promise<boolean> {
  const { actor, cancelled } = audit
  return db.transaction(actor.workspaceId, async (query) => {
    const [row] = await query<{ name: string; adapter: string }>`
      delete from channels where id = ${uuidOf(channel)} returning name, adapter`
    if (!row) return false
    const summary = { before: { adapter: row.adapter }, after: { cancelled } }
    await writeAudit(query, { actor, action: 'channel.delete', target: row.name, summary })
    return true
  })
}

/** Turned off, so that nothing new comes in while the rest is ended. */
export async function closeChannel(db: Database, { workspace, channel }: Place): Promise<void> {
  await db.transaction(workspace, async (query) => {
    await query`update channels set is_enabled = false, updated_at = now() where id = ${uuidOf(channel)}`
  })
}
