/** `GET /v1/admin/conversations`: the workspace's conversations, newest first, by cursor or offset, filtered and searched. */
import { z } from 'zod'
import { countConversations, listConversations } from '../../../store/conversations/list.ts'
import { searchConversations, searchLimits } from '../../../store/conversations/search.ts'
import { type ConversationId, idFrom, uuidOf, type WorkspaceId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import type { App } from '../../app.ts'
import { badRequest } from '../../error.ts'
import { route } from '../../route.ts'
import { ConversationView, viewOf } from './conversation-view.ts'

/** A total is counted up to here. */
const totalMax = 10_000
const offsetMax = 1_000_000
/** Pages of a search are cut out of what it found, and that is kept in memory. */
const searchOffsetMax = 1_000

/** A form sends what was left empty as nothing. */
const text = z
  .string()
  .trim()
  .max(200)
  .optional()
  .transform((given) => given || undefined)

const instant = z.iso
  .datetime({ offset: true })
  .optional()
  .transform((given) => (given === undefined ? undefined : new Date(given)))

const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  offset: z.coerce.number().int().min(0).max(offsetMax).optional().describe('Skips so many; instead of cursor.'),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{22}$/, 'must be the next_cursor of an answer')
    .optional()
    .describe('next_cursor of the page before; instead of offset.'),
  text: text.describe(
    `In the title or the ${searchLimits.messagesMax} newest messages, whatever the case; one request looks through ` +
      `${searchLimits.conversationsMax} conversations at most and next_cursor goes on.`,
  ),
  tag: text,
  folder: text,
  channel: text.describe('The name of a channel.'),
  since: instant.describe('Made at this instant or later.'),
  until: instant.describe('Made before this instant.'),
})
type ListQuery = z.infer<typeof ListQuery>

const Page = z.object({
  conversations: z.array(ConversationView),
  next_cursor: z.string().nullable(),
  total: z.int().describe('Of all pages.'),
  total_is_estimate: z.boolean().describe('True: there may be more than total; nobody counted further.'),
})

export const listAdminConversations = route({
  method: 'GET',
  path: '/v1/admin/conversations',
  summary: 'List conversations',
  description: 'Newest first. A page of a search may hold fewer than limit, even none, while next_cursor goes on.',
  tag: 'conversations',
  access: admin('conversations.read'),
  query: ListQuery,
  answers: { 200: Page },
  handle({ app, query, principal }) {
    if (query.offset !== undefined && query.cursor !== undefined)
      throw badRequest('A page is asked for by cursor or by offset, not by both.', 'offset')
    const { since, until } = query
    if (since && until && since >= until) throw badRequest('until is not later than since', 'until')
    const { text, ...filter } = query
    return text === undefined
      ? plainPage(app, principal.workspaceId, filter)
      : searchedPage(app, principal.workspaceId, { ...query, text })
  },
})

async function plainPage(
  app: App,
  workspace: WorkspaceId,
  query: Omit<ListQuery, 'text'>,
): Promise<z.infer<typeof Page>> {
  const { limit, offset = 0 } = query
  const [found, count] = await Promise.all([
    // One more than asked for: whether it comes says whether there is another page.
    listConversations(app.db, workspace, query, { before: beforeOf(query.cursor), offset, limit: limit + 1 }),
    countConversations(app.db, workspace, query, totalMax + 1),
  ])
  const conversations = found.slice(0, limit)
  return {
    conversations: conversations.map(viewOf),
    next_cursor: found.length > limit ? cursorAfter(conversations.at(-1)?.id ?? null) : null,
    total: Math.min(count, totalMax),
    total_is_estimate: count > totalMax,
  }
}

async function searchedPage(
  app: App,
  workspace: WorkspaceId,
  query: ListQuery & { text: string },
): Promise<z.infer<typeof Page>> {
  const { limit, offset = 0, cursor } = query
  if (offset > searchOffsetMax)
    throw badRequest(`A search skips ${searchOffsetMax} at most; go on with next_cursor.`, 'offset')
  const page = { before: beforeOf(cursor), offset, limit }
  const found = await searchConversations(app.db, workspace, query, page, () => app.clock.elapsed())
  const isWhole = found.scannedUpTo === null && cursor === undefined
  return {
    conversations: found.conversations.map(viewOf),
    next_cursor: cursorAfter(found.scannedUpTo),
    total: found.matches,
    total_is_estimate: !isWhole,
  }
}

function beforeOf(cursor: string | undefined): ConversationId | null {
  return cursor === undefined ? null : idFrom('conv', Buffer.from(cursor, 'base64url').toString('hex'))
}

function cursorAfter(id: ConversationId | null): string | null {
  return id && Buffer.from(uuidOf(id), 'hex').toString('base64url')
}
