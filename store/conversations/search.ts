/**
 * Conversations whose title or messages contain a text. An index would slow down every message that is stored. So the
 * newest conversations are scanned in steps, until the page is full or a bound is reached, and the result says where to
 * go on.
 */

import type { Database } from '../database.ts'
import { type ConversationId, idFrom, type WorkspaceId } from '../id.ts'
import { safeText } from '../postgres/safe-text.ts'
import { allOf } from '../postgres/sql.ts'
import { type ConversationFilter, type ConversationRecord, conditionsOf, conversationsById } from './list.ts'

export const searchLimits = {
  conversationsMax: 10_000,
  /** Of each conversation the newest messages. */
  messagesMax: 50,
  /** A longer message, as it is stored, is skipped. */
  messageBytesMax: 32_768,
  /** After this long no further step begins. */
  timeMs: 1_000,
}

/** Conversations of one step: about 10 ms of the database's time. */
const stepConversations = 250

export interface SearchPage {
  conversations: ConversationRecord[]
  /** How many matched so far, those that the page skips included. */
  matches: number
  /** Where the search goes on; null: everything was scanned. */
  scannedUpTo: ConversationId | null
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
  const pageUpTo = async (scannedUpTo: ConversationId | null): Promise<SearchPage> => {
    const conversations = await conversationsById(db, workspace, matches.slice(page.offset))
    return { conversations, matches: matches.length, scannedUpTo }
  }
  let before = page.before
  for (let scanned = 0; scanned < limits.conversationsMax; ) {
    const step = await scan(db, workspace, { filter, pattern, before, limits })
    scanned += step.length
    for (const { id, isMatch } of step) {
      before = idFrom('conv', id)
      if (isMatch) matches.push(before)
      if (matches.length >= page.offset + page.limit) return await pageUpTo(before)
    }
    if (step.length < stepConversations) return await pageUpTo(null)
    if (elapsedMs() >= endMs) break
  }
  return await pageUpTo(before)
}

function scan(
  db: Database,
  workspace: WorkspaceId,
  step: {
    filter: ConversationFilter
    pattern: string
    before: ConversationId | null
    limits: typeof searchLimits
  },
): Promise<{ id: string; isMatch: boolean }[]> {
  const { pattern, limits } = step
  return db.forWorkspace(workspace)`
    select id, title ilike ${pattern} or exists (
        select from (
          select body from messages where conversation_id = step.id order by seq desc limit ${limits.messagesMax}
        ) as newest
        where pg_column_size(body) <= ${limits.messageBytesMax}::integer and body ->> 'content' ilike ${pattern}
      ) as "isMatch"
    from (
      select id, title from conversations where ${allOf(conditionsOf(workspace, step.filter, step.before))}
      order by id desc limit ${stepConversations}) as step
    order by id desc`
}
