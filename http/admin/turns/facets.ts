/** `GET /v1/admin/turns/facets`: what the list can be narrowed to, with counts. */
import { z } from 'zod'
import { facetTurnsMax, facetValuesMax, turnFacets } from '../../../store/turns/facets.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { checkedPeriod } from '../conversations/filter-query.ts'
import { TurnFilterQuery } from './filter-query.ts'

const Values = z.array(z.object({ value: z.string(), count: z.int() })).describe('The most frequent first.')

export const turnFacetsRoute = route({
  method: 'GET',
  path: '/v1/admin/turns/facets',
  summary: 'Count turns by status, origin, model, agent and error',
  description:
    `Of the newest ${facetTurnsMax} turns of the period, or of the conversation; of each facet at most ${facetValuesMax} values. ` +
    'A facet is counted without its own filter.',
  tag: 'turns',
  access: admin('conversations.read'),
  query: TurnFilterQuery,
  answers: {
    200: z.object({
      status: Values,
      origin: Values,
      model: Values,
      agent: Values,
      error: Values,
      total: z.int().describe('Turns that match all filters.'),
      is_estimate: z.boolean().describe('True: there are more turns than were counted.'),
    }),
  },
  async handle({ app, query, principal }) {
    checkedPeriod(query)
    const { conversation_id: conversation, ...filter } = query
    const { isEstimate, ...facets } = await turnFacets(app.db, principal.workspaceId, { conversation, ...filter })
    return { ...facets, is_estimate: isEstimate }
  },
})
