/** Copies of conversations, whole or up to a message. The original does not change. */
import { type AuditActor, writeAudit } from '../audit/audit.ts'
import type { Database } from '../database.ts'
import { type ConversationId, type MessageId, newMessageId, uuidOf, type WorkspaceId } from '../id.ts'
import type { Query } from '../postgres/query.ts'
import { safeText } from '../postgres/safe-text.ts'
import type { NewMessage } from './conversations.ts'
import { appendMessage, type NewTurn } from './turns.ts'

export const copiedMessagesMax = 10_000

export interface Fork {
  source: ConversationId
  /** Of the new conversation. */
  id: ConversationId
  /** The last message that is copied; null: all are. */
  until: MessageId | null
  /** Null: as the original's. */
  title: string | null
}

export interface Branch {
  source: ConversationId
  id: ConversationId
  /** The user's message that the new one replaces; the messages before it are copied. */
  instead: MessageId
  message: NewMessage
  turn: NewTurn
  title: string | null
}

export type CopyRefusal = 'unknown' | 'unknown_message' | 'not_of_a_user' | 'too_long'

/** @returns how many messages were copied */
export function forkConversation(db: Database, actor: AuditActor, fork: Fork): Promise<number | CopyRefusal> {
  return db.transaction(actor.workspaceId, async (query) => {
    const original = await originalOf(query, actor.workspaceId, fork.source)
    if (!original) return 'unknown'
    const end = fork.until === null ? toTheEnd : await placeOf(query, fork.source, fork.until)
    if (!end) return 'unknown_message'
    const copied = await copy(query, actor, { ...fork, original, end })
    if (copied === 'too_long') return copied
    const { source, until, title } = fork
    await writeAudit(query, {
      actor,
      action: 'conversation.fork',
      target: fork.id,
      before: null,
      after: { parent: source, until, title: title ?? original.title, messages: copied },
    })
    return copied
  })
}

/** Forks before a message and posts another in its place. @returns how many messages were copied */
export function branchConversation(db: Database, actor: AuditActor, branch: Branch): Promise<number | CopyRefusal> {
  return db.transaction(actor.workspaceId, async (query) => {
    const original = await originalOf(query, actor.workspaceId, branch.source)
    if (!original) return 'unknown'
    const place = await placeOf(query, branch.source, branch.instead)
    if (!place) return 'unknown_message'
    if (place.role !== 'user') return 'not_of_a_user'
    const end = { ...place, seq: place.seq - 1, id: null }
    const copied = await copy(query, actor, { ...branch, original, end })
    if (copied === 'too_long') return copied
    await appendMessage(query, actor, { conversation: branch.id, message: branch.message, turn: branch.turn })
    const { source, instead, title, message } = branch
    await writeAudit(query, {
      actor,
      action: 'conversation.branch',
      target: branch.id,
      before: null,
      after: { parent: source, instead, title: title ?? original.title, messages: copied, body: message.body },
    })
    return copied
  })
}

/** Copies the messages up to this place, for another continuation from there. */
export function copyUntil(
  db: Database,
  workspaceId: WorkspaceId,
  { source, id, seq }: { source: ConversationId; id: ConversationId; seq: number },
): Promise<number | 'unknown' | 'too_long'> {
  return db.transaction(workspaceId, async (query) => {
    const original = await originalOf(query, workspaceId, source)
    if (!original) return 'unknown'
    const end = { turnSeq: seq, seq, id: null, seqInHistory: seq, role: '' }
    return await copy(query, { workspaceId }, { source, id, title: null, original, end })
  })
}

interface Original {
  title: string
  folder: string | null
  tags: string[]
  projectId: string | null
  contextAfterSeq: number
  owner: string | null
}

/** Without a lock: a copy takes long, and writers of the original would wait for it, with everything in their batches. */
async function originalOf(query: Query, workspace: WorkspaceId, id: ConversationId): Promise<Original | null> {
  const [row] = await query<{
    title: string
    folder: string | null
    tags: string[]
    project_id: string | null
    context_after_seq: number
    owner: string | null
  }>`
    select title, folder, tags, project_id, context_after_seq,
      coalesce(owner, 'sender:' || replace(channel_id::text, '-', '') || ':' || external_id) as owner
    from conversations
    where id = ${uuidOf(id)} and workspace_id = ${uuidOf(workspace)}`
  if (!row) return null
  const { title, folder, tags, owner } = row
  return { title, folder, tags, owner, projectId: row.project_id, contextAfterSeq: row.context_after_seq }
}

/** A place in the order of turns: an answer follows its question. */
interface Place {
  turnSeq: number
  seq: number
  /** The message at that place; it is copied even if it was superseded. */
  id: string | null
  /** Compared with the place after which the context begins. */
  seqInHistory: number
  role: string
}

const last = 2_147_483_647
const toTheEnd: Place = { turnSeq: last, seq: last, id: null, seqInHistory: last, role: '' }

async function placeOf(query: Query, conversation: ConversationId, message: MessageId): Promise<Place | null> {
  const [row] = await query<{ id: string; seq: number; turn_seq: number; role: string }>`
    select id, seq, coalesce(turn_seq, seq) as turn_seq, role from messages
    where id = ${uuidOf(message)} and conversation_id = ${uuidOf(conversation)}`
  return row ? { id: row.id, seq: row.seq, turnSeq: row.turn_seq, seqInHistory: row.seq, role: row.role } : null
}

async function copy(
  query: Query,
  actor: Pick<AuditActor, 'workspaceId'>,
  what: { source: ConversationId; id: ConversationId; title: string | null; original: Original; end: Place },
): Promise<number | 'too_long'> {
  const { source, id, title, original, end } = what
  const copied = await query<{ id: string; seq: number }>`
    select id, seq from messages
    where conversation_id = ${uuidOf(source)} and (superseded_by is null or id = ${end.id}::uuid)
      and (coalesce(turn_seq, seq), seq) <= (${end.turnSeq}::integer, ${end.seq}::integer)
    order by coalesce(turn_seq, seq), seq limit ${copiedMessagesMax + 1}`
  if (copied.length > copiedMessagesMax) return 'too_long'
  await query`
    insert into conversations (id, workspace_id, owner, title, last_seq, context_after_seq, project_id, folder, tags, parent_id)
    values (${uuidOf(id)}, ${uuidOf(actor.workspaceId)}, ${original.owner}, ${safeText(title ?? original.title)}, ${copied.length},
      ${contextAfter(copied, original, end)}, ${original.projectId}, ${original.folder}, ${original.tags}::text[], ${uuidOf(source)})`
  await query`
    insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body, details, created_at)
    select ${uuidOf(id)}::uuid, copy.seq, copy.id, workspace_id, turn_id, role, body, details, created_at
    from unnest(${copied.map((message) => message.id)}::uuid[], ${copied.map(() => uuidOf(newMessageId()))}::uuid[])
      with ordinality as copy (original, id, seq)
    join messages on messages.id = copy.original`
  return copied.length
}

/** The copy begins its context where the original does, but not if it ends before that: its context would be empty. */
function contextAfter(copied: readonly { seq: number }[], { contextAfterSeq }: Original, end: Place): number {
  if (end.seqInHistory <= contextAfterSeq) return 0
  return copied.findLastIndex(({ seq }) => seq <= contextAfterSeq) + 1
}
