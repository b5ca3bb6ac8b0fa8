/** `GET /v1/admin/conversations/facets`: what the list can be narrowed to, with counts. */
import { z } from 'zod'
import { conversationFacets, facetScanMax, facetValuesMax } from '../../../store/conversations/facets.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { ConversationFilterQuery, checkedPeriod } from './filter-query.ts'

const Values = z.array(z.object({ value: z.string(), count: z.int() })).describe('The most frequent first.')

export const conversationFacetsRoute = route({
  method: 'GET',
  path: '/v1/admin/conversations/facets',
  summary: 'Count conversations by channel, folder and tag',
  description:
    `Of the newest ${facetScanMax} conversations that match the filters; of each facet at most ${facetValuesMax} values. ` +
    'A facet is counted without its own filter.',
  tag: 'conversations',
  access: admin('conversations.read'),
  query: ConversationFilterQuery,
  answers: { 200: z.object({ channel: Values, folder: Values, tag: Values }) },
  async handle({ app, query, principal }) {
    checkedPeriod(query)
    return await conversationFacets(app.db, principal.workspaceId, query)
  },
})
