/** Summaries of conversations: what fell out of the model's context, told in few words, and what was said since. */
import type { Database } from '../database.ts'
import { type ConversationId, idFrom, uuidOf, type WorkspaceId } from '../id.ts'
import { safeText } from '../postgres/safe-text.ts'
import type { StoredMessage } from './history.ts'

export interface StoredSummary {
  text: string
  /** It tells of all messages up to this place in the order of turns. */
  seq: number
}

export interface ConversationContext {
  /** Null: nothing fell out, or the context began anew behind it. */
  summary: StoredSummary | null
  /** Where the context begins; a summary that is stored later must still find it there. */
  contextAfterSeq: number
  /** What was said since the summary, in the order of turns. */
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
 * What a model is told of the conversation: its summary, and of what stands behind that the newest `limit` messages that
 * count, oldest first. Those that wait for a turn of their own are told with that.
 * @returns null when the workspace has no such conversation
 */
export async function loadContext(
  db: Database,
  workspace: WorkspaceId,
  conversation: ConversationId,
  limit: number,
): Promise<ConversationContext | null> {
  // A summary from before a reset ends at or before the place where the context begins.
  const rows = await db.forWorkspace(workspace)<Row>`
    select known.summary, known.summary_seq, known.context_after_seq, said.* from (
      select conversations.id as conversation, context_after_seq, valid.summary, coalesce(valid.summary_seq, 0) as summary_seq
      from conversations left join lateral (
        select conversations.summary, conversations.summary_seq
        where conversations.summary is not null and conversations.summary_seq > context_after_seq
      ) as valid on true
      where conversations.id = ${uuidOf(conversation)} and workspace_id = ${uuidOf(workspace)}
    ) as known left join lateral (
      select id, seq, coalesce(turn_seq, seq) as turn_seq, turn_id, role, body, created_at from messages
      -- An answer stands at its question or behind it, never before its place in the order of turns.
      where conversation_id = known.conversation and seq > greatest(known.context_after_seq, known.summary_seq) and superseded_by is null
        and coalesce(turn_seq, seq) > known.summary_seq
        and turn_id not in (
          select id from turns where conversation_id = known.conversation and status in ('queued', 'waiting') and origin <> 'call')
      order by seq desc limit ${limit}
    ) as said on true
    order by said.turn_seq, said.seq`
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
 * Stores a summary in the place of the one before. A turn that is still open within what it tells of keeps it out: its
 * answer will have its place there, and no model would be told of it.
 * @param contextAfterSeq as it was when the messages were read
 * @returns stale: one that tells of as much is there, the context begins elsewhere, or a turn is open within; nothing was stored
 */
export async function saveSummary(
  db: Database,
  workspace: WorkspaceId,
  conversation: ConversationId,
  { text, seq }: StoredSummary,
  contextAfterSeq: number,
): Promise<'saved' | 'stale'> {
  const rows = await db.forWorkspace(workspace)<{ id: string }>`
    update conversations set summary = ${safeText(text)}, summary_seq = ${seq}
    where id = ${uuidOf(conversation)} and workspace_id = ${uuidOf(workspace)} and summary_seq < ${seq}
      and context_after_seq = ${contextAfterSeq} and context_after_seq < ${seq} and last_seq >= ${seq}
      and not exists (
        select from turns where conversation_id = ${uuidOf(conversation)} and status in ('queued', 'running', 'waiting')
          and origin <> 'call' and seq_from <= ${seq})
    returning id`
  return rows.length > 0 ? 'saved' : 'stale'
}
