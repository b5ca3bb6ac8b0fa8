/** Summaries of conversations: each stands for the messages that no longer fit into the model's context. */
import type { Database } from '../database.ts'
import { type ConversationId, idFrom, uuidOf, type WorkspaceId } from '../id.ts'
import { safeText } from '../postgres/safe-text.ts'
import { type HeldTurn, isRunningAt } from '../turns/held.ts'
import type { StoredMessage } from './history.ts'

export interface StoredSummary {
  text: string
  /** It covers all messages up to this place in the order of turns. */
  seq: number
}

export interface ConversationContext {
  /** Null: there is none, or the context was reset after it. */
  summary: StoredSummary | null
  /** The context begins after this message. `saveSummary` refuses a summary if that has changed. */
  contextAfterSeq: number
  /** Messages after the summary, in the order of turns. */
  messages: StoredMessage[]
}

interface Row {
  summary: string | null
  summary_seq: number
  context_after_seq: number
  id: string | null
  seq: number
  turn_seq: number
  turn_id: string
  role: string
  body: unknown
  created_at: Date
}

/**
 * The conversation's context: its summary, and the newest `limit` messages after it, oldest first. Messages whose turn still
 * waits are not among them.
 * @returns null when the workspace has no such conversation
 */
export async function loadContext(
  db: Database,
  workspace: WorkspaceId,
  conversation: ConversationId,
  limit: number,
): Promise<ConversationContext | null> {
  // A summary from before a reset does not count: it ends where the context begins, or earlier.
  const rows = await db.forWorkspace(workspace)<Row>`
    select context.summary, context.summary_seq, context.context_after_seq, message.* from (
      select conversations.id as conversation, context_after_seq, valid.summary, coalesce(valid.summary_seq, 0) as summary_seq
      from conversations left join lateral (
        select conversations.summary, conversations.summary_seq
        where conversations.summary is not null and conversations.summary_seq > context_after_seq
      ) as valid on true
      where conversations.id = ${uuidOf(conversation)} and workspace_id = ${uuidOf(workspace)}
    ) as context left join lateral (
      select id, seq, coalesce(turn_seq, seq) as turn_seq, turn_id, role, body, created_at from messages
      -- The seq of an answer is never below its turn_seq.
      where conversation_id = context.conversation and seq > greatest(context.context_after_seq, context.summary_seq) and superseded_by is null
        and coalesce(turn_seq, seq) > context.summary_seq
        and turn_id not in (
          select id from turns where conversation_id = context.conversation and status in ('queued', 'waiting') and origin <> 'call')
      order by seq desc limit ${limit}
    ) as message on true
    order by message.turn_seq, message.seq`
  const [first] = rows
  if (!first) return null
  return {
    summary: first.summary === null ? null : { text: first.summary, seq: first.summary_seq },
    contextAfterSeq: first.context_after_seq,
    messages: rows.flatMap(messageOf),
  }
}

function messageOf({ id, seq, turn_seq, turn_id, role, body, created_at }: Row): StoredMessage[] {
  if (id === null) return []
  const ids = { id: idFrom('msg', id), turnId: idFrom('turn', turn_id) }
  return [{ ...ids, seq, turnSeq: turn_seq, role, body, createdAt: created_at }]
}

/**
 * Replaces the summary. Refused while a turn within its range is open: the answer will have its place there, and would
 * reach no model.
 * @param contextAfterSeq as it was when the messages were read
 * @returns stale: nothing was stored, as the present summary covers as much, the context was reset, a turn within is open,
 *   or the turn that made it no longer runs there
 */
export async function saveSummary(
  db: Database,
  workspace: WorkspaceId,
  { conversation, turn }: { conversation: ConversationId; turn: HeldTurn },
  { text, seq }: StoredSummary,
  contextAfterSeq: number,
): Promise<'saved' | 'stale'> {
  const rows = await db.forWorkspace(workspace)<{ id: string }>`
    update conversations set summary = ${safeText(text)}, summary_seq = ${seq}
    where id = ${uuidOf(conversation)} and workspace_id = ${uuidOf(workspace)} and ${isRunningAt(turn)} and summary_seq < ${seq}
      and context_after_seq = ${contextAfterSeq} and context_after_seq < ${seq} and last_seq >= ${seq}
      and not exists (
        select from turns where conversation_id = ${uuidOf(conversation)} and status in ('queued', 'running', 'waiting')
          and origin <> 'call' and seq_from <= ${seq})
    returning id`
  return rows.length > 0 ? 'saved' : 'stale'
}
