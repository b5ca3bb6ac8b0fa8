/** `GET /v1/admin/conversations`: the conversations of the workspace, newest first, with filters and search. */
import { z } from 'zod'
import { countConversations, listConversations } from '../../../store/conversations/list.ts'
import { searchConversations, searchLimits } from '../../../store/conversations/search.ts'
import type { WorkspaceId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import type { App } from '../../app.ts'
import { badRequest } from '../../error.ts'
import { route } from '../../route.ts'
import { ConversationFilterQuery, checkedPeriod, filterText } from './filter-query.ts'
import { cursorText, ListCursor, placeOf } from './list-cursor.ts'
import { ConversationWithPreview, withPreviews } from './preview.ts'

/** Counting stops here. */
const totalMax = 10_000
const offsetMax = 1_000_000
/** All matches up to the end of a page are held in memory. */
const searchOffsetMax = 1_000

const ListQuery = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  offset: z.coerce.number().int().min(0).max(offsetMax).optional().describe('How many to skip; instead of cursor.'),
  cursor: ListCursor.optional().describe('next_cursor of the page before, in the same order; instead of offset.'),
  order: z
    .enum(['created', 'active'])
    .default('created')
    .describe('created: the newest first. active: the last to be spoken in first, to the minute; not with text.'),
  text: filterText.describe(
    `In the title or the ${searchLimits.messagesMax} newest messages, in any case. One request searches at most ` +
      `${searchLimits.conversationsMax} conversations; next_cursor continues.`,
  ),
  ...ConversationFilterQuery.shape,
})
type ListQuery = z.infer<typeof ListQuery>

const Page = z.object({
  conversations: z.array(ConversationWithPreview),
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
    if (query.cursor && query.cursor.order !== query.order)
      throw badRequest('The cursor is of a list in another order.', 'cursor')
    checkedPeriod(query)
    const { text, ...filter } = query
    if (text !== undefined && query.order === 'active') throw badRequest('A search is in the order created.', 'order')
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
  const { limit, offset = 0, order, cursor = null } = query
  const [found, count] = await Promise.all([
    // One more than requested, to see whether there is another page.
    listConversations(app.db, workspace, query, { order, after: cursor, offset, limit: limit + 1 }),
    countConversations(app.db, workspace, query, totalMax + 1),
  ])
  const conversations = found.slice(0, limit)
  const last = conversations.at(-1)
  return {
    conversations: await withPreviews(app.db, workspace, conversations),
    next_cursor: found.length > limit && last ? cursorText(placeOf(order, last)) : null,
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
  const page = { before: cursor?.id ?? null, offset, limit }
  const found = await searchConversations(app.db, workspace, query, page, () => app.clock.elapsed())
  const isWhole = found.scannedUpTo === null && cursor === undefined
  return {
    conversations: await withPreviews(app.db, workspace, found.conversations),
    next_cursor: found.scannedUpTo && cursorText({ order: 'created', id: found.scannedUpTo }),
    total: found.matches,
    total_is_estimate: !isWhole,
  }
}
