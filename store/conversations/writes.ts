/** Changes of conversations by operators, each in one transaction with its entry in the audit log. */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { type ChannelId, type ConversationId, idFrom, type MessageId, uuidOf, type WorkspaceId } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import { safeText } from '../postgres/safe-text.ts'

interface LockedConversation {
  folder: string | null
  tags: string[]
  channelId: ChannelId | null
  lastSeq: number
  contextAfterSeq: number
}

interface Row {
  folder: string | null
  tags: string[]
  channel_id: string | null
  last_seq: number
  context_after_seq: number
}

/** Nobody posts to it until the transaction ends. @returns null when the workspace has no such conversation */
export async function lockConversation(
  query: Query,
  workspace: WorkspaceId,
  id: ConversationId,
): Promise<LockedConversation | null> {
  const [row] = await query<Row>`
    select folder, tags, channel_id, last_seq, context_after_seq from conversations
    where id = ${uuidOf(id)} and workspace_id = ${uuidOf(workspace)} for update`
  if (!row) return null
  return {
    folder: row.folder,
    tags: row.tags,
    channelId: idFrom('chan', row.channel_id),
    lastSeq: row.last_seq,
    contextAfterSeq: row.context_after_seq,
  }
}

export interface FolderAndTags {
  folder: string | null
  tags: string[]
}

/** Sets folder and tags; undefined leaves them as they are. */
export function organizeConversation(
  db: Database,
  actor: AuditActor,
  id: ConversationId,
  { folder, tags }: { folder: string | null | undefined; tags: string[] | undefined },
): Promise<FolderAndTags | 'unknown'> {
  return db.transaction(actor.workspaceId, async (query) => {
    const current = await lockConversation(query, actor.workspaceId, id)
    if (!current) return 'unknown'
    const before = { folder: current.folder, tags: current.tags }
    const after = {
      folder: folder === undefined ? before.folder : folder && safeText(folder),
      tags: tags?.map(safeText) ?? before.tags,
    }
    await query`
      update conversations set folder = ${after.folder}, tags = ${after.tags}::text[], updated_at = now()
      where id = ${uuidOf(id)}`
    await writeAudit(query, { actor, action: 'conversation.organize', target: id, summary: { before, after } })
    return after
  })
}

/** Begins the model's context after the last message. @returns its place */
export function resetConversation(
  db: Database,
  actor: AuditActor,
  id: ConversationId,
): Promise<{ contextAfterSeq: number } | 'unknown'> {
  return db.transaction(actor.workspaceId, async (query) => {
    const current = await lockConversation(query, actor.workspaceId, id)
    if (!current) return 'unknown'
    await query`
      update conversations set context_after_seq = last_seq, summary = null, updated_at = now() where id = ${uuidOf(id)}`
    const before = { contextAfterSeq: current.contextAfterSeq }
    const after = { contextAfterSeq: current.lastSeq }
    await writeAudit(query, { actor, action: 'conversation.reset', target: id, summary: { before, after } })
    return after
  })
}

export interface Feedback {
  rating: -1 | 0 | 1
  comment: string | null
}

/** Rates an answer; a second rating replaces the first. */
export function rateMessage(
  db: Database,
  actor: AuditActor,
  message: MessageId,
  { rating, comment }: Feedback,
): Promise<{ conversation: ConversationId } | 'unknown' | 'not_an_answer'> {
  return db.transaction(actor.workspaceId, async (query) => {
    const [answer] = await query<{
      conversation_id: string
      role: string
      rating: number | null
      comment: string | null
    }>`
      select conversation_id, role, rating, comment from messages left join feedback on feedback.message_id = messages.id
      where messages.id = ${uuidOf(message)} and messages.workspace_id = ${uuidOf(actor.workspaceId)}
      for update of messages`
    if (!answer) return 'unknown'
    if (answer.role !== 'assistant') return 'not_an_answer'
    const after = { rating, comment: comment && safeText(comment) }
    await query`
      insert into feedback (message_id, workspace_id, rating, comment, given_by)
      values (${uuidOf(message)}, ${uuidOf(actor.workspaceId)}, ${after.rating}, ${after.comment}, ${safeText(actor.name)})
      on conflict (message_id) do update set
        rating = excluded.rating, comment = excluded.comment, given_by = excluded.given_by, at = now()`
    const before = answer.rating === null ? null : { rating: answer.rating, comment: answer.comment }
    const summary = { before: before && { rating: before.rating }, after: { rating } }
    await writeAudit(query, { actor, action: 'conversation.feedback', target: message, before, after, summary })
    return { conversation: idFrom('conv', answer.conversation_id) }
  })
}
