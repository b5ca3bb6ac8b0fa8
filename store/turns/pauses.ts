/** Turns that wait for an operator's decision: paused, they keep their place in their conversation and nothing in memory. */
import type { Database } from '../database.ts'
import { insertEvents } from '../events/insert.ts'
import { type ChannelId, type ConversationId, idFrom, type TurnId, uuidOf } from '../id.ts'
import { sql } from '../postgres/sql.ts'
import { type HeldTurn, runsAt } from './held.ts'
import { openStatuses } from './status.ts'

/** Pauses a turn that runs here. The attempt does not count. False: it no longer runs here. */
export async function pauseTurn(db: Database, turn: HeldTurn): Promise<boolean> {
  const rows = await db.system<{ id: string }>`
    with paused as (
      update turns set status = 'waiting', attempt = attempt - 1
      where ${runsAt(turn)}
      returning id, workspace_id, conversation_id, channel_id
    ), event as (${insertEvents(sql`'turn.waiting'`, sql`paused`)})
    select id from paused`
  return rows.length > 0
}

export interface ResumedTurn {
  turnId: TurnId
  conversationId: ConversationId
  channelId: ChannelId | null
  /** Turns of the conversation in the queue: this one, and those that were blocked behind it. */
  queued: number
}

/**
 * Puts paused turns whose approvals are all decided back into the queue. Called by whoever pauses and by whoever decides,
 * each after its own commit: the second of the two sees what the first one wrote.
 * @param turn only this one; null: all
 */
export async function resumeTurns(db: Database, turn: TurnId | null): Promise<ResumedTurn[]> {
  const rows = await db.system<{ id: string; conversation_id: string; channel_id: string | null; blocked: number }>`
    update turns set status = 'queued'
    where status = 'waiting'
      and (${turn && uuidOf(turn)}::uuid is null or id = ${turn && uuidOf(turn)}::uuid)
      and not exists (select from approvals where approvals.turn_id = turns.id and approvals.status = 'pending')
    returning id, conversation_id, channel_id, (
      select count(*)::integer from turns as later
      where later.conversation_id = turns.conversation_id and later.status = 'queued' and later.origin <> 'call'
    ) as blocked`
  return rows.map((row) => ({
    turnId: idFrom('turn', row.id),
    conversationId: idFrom('conv', row.conversation_id),
    channelId: idFrom('chan', row.channel_id),
    queued: row.blocked + 1,
  }))
}

/** Turns of the conversation that are blocked behind a paused one; null: none is paused, or none is behind it. */
export async function turnsBehindPaused(db: Database, conversation: ConversationId): Promise<number | null> {
  const [row] = await db.system<{ queued: number; is_paused: boolean | null }>`
    select count(*) filter (where status = 'queued')::integer as queued, bool_or(status = 'waiting') as is_paused from turns
    where conversation_id = ${uuidOf(conversation)} and status in ${openStatuses} and origin <> 'call'`
  return row?.is_paused && row.queued > 0 ? row.queued : null
}
