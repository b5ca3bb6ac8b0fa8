/** The filters that the list of turns and its facets share. */
import { z } from 'zod'
import { ConversationId } from '../../../store/id.ts'
import { TurnOrigin } from '../../../store/turns/origin.ts'
import { turnStatuses } from '../../../store/turns/status.ts'
import { filterText, instant } from '../conversations/filter-query.ts'

export const TurnFilterQuery = z.object({
  conversation_id: ConversationId.optional(),
  status: z.enum(turnStatuses).optional(),
  origin: TurnOrigin.optional(),
  model: filterText.describe('The whole name.'),
  agent: filterText.describe('The name of an agent.'),
  error: filterText.describe('The code of its failure.'),
  since: instant.describe('Started at this instant or later.'),
  until: instant.describe('Started before this instant.'),
})
