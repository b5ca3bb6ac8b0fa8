/**
 * Conversations whose title or messages hold a text. No index helps: it would cost every message that is stored. So the
 * newest conversations are looked through, in bounded steps, until the page is full or the bound is reached, and the
 * answer says up to where.
 */

import type { Database } from '../database.ts'
import { type ConversationId, idFrom, type WorkspaceId } from '../id.ts'
import { safeText } from '../postgres/safe-text.ts'
import { allOf, run, sql } from '../postgres/statement.ts'
import { type ConversationFilter, type ConversationRecord, conditionsOf, conversationsById } from './list.ts'

export const searchLimits = {
  conversationsMax: 10_000,
  /** Of each conversation the newest messages. */
  messagesMax: 50,
  /** A longer message, as it is stored, is passed over. */
  messageBytesMax: 32_768,
  /** After this long no further step is begun. */
  timeMs: 1_000,
}

/** Conversations of one step: about 10 ms of the database's time. */
const stepConversations = 250

export interface SearchPage {
  conversations: ConversationRecord[]
  /** How many matched so far, those that the page skips included. */
  matches: number
  /** Where the search goes on; null: everything was looked at. */
  lookedUpTo: ConversationId | null
}

/** @param page of the matches; `before` is exclusive. @param elapsedMs a clock that never goes back */
export async function searchConversations(
  db: Database,
  workspace: WorkspaceId,
  filter: ConversationFilter & { text: string },
  page: { before: ConversationId | null; offset: number; limit: number },
  elapsedMs: () => number,
  limits = searchLimits,
): Promise<SearchPage> {
  const pattern = `%${safeText(filter.text).replaceAll(/[\\%_]/g, '\\$&')}%`
  const endMs = elapsedMs() + limits.timeMs
  const matches: ConversationId[] = []
  let before = page.before
  let left = limits.conversationsMax
  while (left > 0) {
    const looked = await lookThrough(db, workspace, { filter, pattern, before, limits })
    left -= looked.length
    for (const { id, is_match } of looked) {
      before = idFrom('conv', id)
      if (is_match) matches.push(before)
      if (matches.length >= page.offset + page.limit) return await found(db, workspace, matches, page.offset, before)
    }
    if (looked.length < stepConversations) return await found(db, workspace, matches, page.offset, null)
    if (elapsedMs() >= endMs) break
  }
  return await found(db, workspace, matches, page.offset, before)
}

async function found(
  db: Database,
  workspace: WorkspaceId,
  matches: ConversationId[],
  offset: number,
  lookedUpTo: ConversationId | null,
): Promise<SearchPage> {
  const conversations = await conversationsById(db, workspace, matches.slice(offset))
  return { conversations, matches: matches.length, lookedUpTo }
}

function lookThrough(
  db: Database,
  workspace: WorkspaceId,
  look: {
    filter: ConversationFilter
    pattern: string
    before: ConversationId | null
    limits: typeof searchLimits
  },
): Promise<{ id: string; is_match: boolean }[]> {
  const { pattern, limits } = look
  return run(
    db.forWorkspace(workspace),
    sql`select id, title ilike ${pattern} or exists (
        select from (
          select body from messages where conversation_id = step.id order by seq desc limit ${limits.messagesMax}
        ) as said
        where pg_column_size(body) <= ${limits.messageBytesMax}::integer and body ->> 'content' ilike ${pattern}
      ) as is_match
      from (select id, title from conversations where `,
    allOf(conditionsOf(workspace, look.filter, look.before)),
    sql` order by id desc limit ${stepConversations}) as step order by id desc`,
  )
}
