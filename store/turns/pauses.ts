/** Turns that wait for an operator's word: they keep their place in their conversation, and nothing of this process. */
import type { Database } from '../database.ts'
import { type ChannelId, type ConversationId, idFrom, type TurnId, uuidOf } from '../id.ts'

/** Puts a turn that runs here aside. False: it no longer runs here. The try does not count. */
export async function pauseTurn(db: Database, epoch: number, turn: TurnId): Promise<boolean> {
  const rows = await db.system<{ id: string }>`
    with paused as (
      update turns set status = 'waiting', attempt = attempt - 1
      where id = ${uuidOf(turn)} and status = 'running' and epoch = ${epoch}::bigint
      returning id, workspace_id, conversation_id, channel_id
    ), event as (
      insert into events (workspace_id, kind, conversation_id, channel_id, subject)
      select workspace_id, 'turn.waiting', conversation_id, channel_id, id from paused
    )
    select id from paused`
  return rows.length > 0
}

export interface ResumedTurn {
  turnId: TurnId
  conversationId: ConversationId
  channelId: ChannelId | null
  /** Turns of the conversation that wait in the queue now: this one, and what was said while it was aside. */
  queued: number
}

/**
 * Puts turns that wait for nothing any more back into the queue. Asked for by whoever pauses and by whoever decides, each
 * after its own commit: whichever of the two comes second sees what the first one wrote.
 * @param turn only this one; null: all
 */
export async function resumeTurns(db: Database, turn: TurnId | null): Promise<ResumedTurn[]> {
  const rows = await db.system<{ id: string; conversation_id: string; channel_id: string | null; behind: number }>`
    update turns set status = 'queued'
    where status = 'waiting'
      and (${turn && uuidOf(turn)}::uuid is null or id = ${turn && uuidOf(turn)}::uuid)
      and not exists (select from approvals where approvals.turn_id = turns.id and approvals.status = 'pending')
    returning id, conversation_id, channel_id, (
      select count(*)::integer from turns as later
      where later.conversation_id = turns.conversation_id and later.status in ('queued', 'running', 'waiting') and later.status = 'queued'
        and later.origin <> 'call'
    ) as behind`
  return rows.map((row) => ({
    turnId: idFrom('turn', row.id),
    conversationId: idFrom('conv', row.conversation_id),
    channelId: idFrom('chan', row.channel_id),
    queued: row.behind + 1,
  }))
}

/** Turns of the conversation that wait in the queue behind one that was put aside; null: none was, or none waits behind it. */
export async function turnsBehindPaused(db: Database, conversation: ConversationId): Promise<number | null> {
  const [row] = await db.system<{ behind: number; is_aside: boolean | null }>`
    select count(*) filter (where status = 'queued')::integer as behind, bool_or(status = 'waiting') as is_aside from turns
    where conversation_id = ${uuidOf(conversation)} and status in ('queued', 'running', 'waiting') and origin <> 'call'`
  return row?.is_aside && row.behind > 0 ? row.behind : null
}
