/** `GET /v1/admin/conversations`: the conversations of the workspace, newest first, with filters and search. */
import { z } from 'zod'
import { countConversations, listConversations } from '../../../store/conversations/list.ts'
import { searchConversations, searchLimits } from '../../../store/conversations/search.ts'
import { type ConversationId, idFrom, uuidOf, type WorkspaceId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import type { App } from '../../app.ts'
import { badRequest } from '../../error.ts'
import { route } from '../../route.ts'
import { ConversationView, viewOf } from './conversation-view.ts'

/** Counting stops here. */
const totalMax = 10_000
const offsetMax = 1_000_000
/** All matches up to the end of a page are held in memory. */
const searchOffsetMax = 1_000

/** Empty, as forms send it: no filter. */
const text = z
  .string()
  .trim()
  .max(200)
  .optional()
  .transform((filter) => filter || undefined)

const instant = z.iso
  .datetime({ offset: true })
  .optional()
  .transform((time) => (time === undefined ? undefined : new Date(time)))

const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  offset: z.coerce.number().int().min(0).max(offsetMax).optional().describe('How many to skip; instead of cursor.'),
  cursor: z
    .string()
    .regex(/^[A-Za-z0-9_-]{22}$/, 'must be the next_cursor of an answer')
    .optional()
    .describe('next_cursor of the page before; instead of offset.'),
  text: text.describe(
    `In the title or the ${searchLimits.messagesMax} newest messages, in any case. One request searches at most ` +
      `${searchLimits.conversationsMax} conversations; next_cursor continues.`,
  ),
  tag: text,
  folder: text,
  channel: text.describe('The name of a channel.'),
  since: instant.describe('Created at this instant or later.'),
  until: instant.describe('Created before this instant.'),
})
type ListQuery = z.infer<typeof ListQuery>

const Page = z.object({
  conversations: z.array(ConversationView),
  next_cursor: z.string().nullable(),
  total: z.int().describe('Of all pages.'),
  total_is_estimate: z.boolean().describe('True: counting stopped at total; there may be more.'),
})

export const listAdminConversations = route({
  method: 'GET',
  path: '/v1/admin/conversations',
  summary: 'List conversations',
  description:
    'Newest first. A page of a search may have fewer items than limit, even none, while next_cursor continues.',
  tag: 'conversations',
  access: admin('conversations.read'),
  query: ListQuery,
  answers: { 200: Page },
  handle({ app, query, principal }) {
    if (query.offset !== undefined && query.cursor !== undefined)
      throw badRequest('Use either cursor or offset, not both.', 'offset')
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
    // One more than requested, to see whether there is another page.
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
    throw badRequest(`The offset of a search is at most ${searchOffsetMax}; continue with next_cursor.`, 'offset')
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
