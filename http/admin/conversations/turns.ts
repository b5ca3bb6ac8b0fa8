/** `GET /v1/admin/conversations/turns`: the turns of one conversation or of all, with their cost and outcome. */
import { z } from 'zod'
import { readConversation } from '../../../store/conversations/list.ts'
import { ConversationId, TurnId } from '../../../store/id.ts'
import { listTurns, turnsScannedMax } from '../../../store/turns/list.ts'
import { TurnOrigin } from '../../../store/turns/origin.ts'
import { turnStatuses } from '../../../store/turns/status.ts'
import { admin } from '../../access.ts'
import { route } from '../../route.ts'
import { noConversation } from './conversation-view.ts'

const TurnView = z.object({
  id: TurnId,
  conversation_id: ConversationId.nullable(),
  status: z.enum(turnStatuses),
  origin: TurnOrigin,
  model: z.string(),
  prompt_tokens: z.int().nullable(),
  completion_tokens: z.int().nullable(),
  duration_ms: z.number().nullable(),
  time_to_first_token_ms: z.number().nullable(),
  attempt: z.int(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  started_at: z.iso.datetime(),
})

export const listConversationTurns = route({
  method: 'GET',
  path: '/v1/admin/conversations/turns',
  summary: 'List turns',
  description: `Newest first, among the newest ${turnsScannedMax} of the conversation or the workspace.`,
  tag: 'conversations',
  access: admin('conversations.read'),
  query: z.object({
    conversation_id: ConversationId.optional().describe('Without it: turns of the workspace.'),
    status: z.enum(turnStatuses).optional(),
    since: z.iso
      .datetime({ offset: true })
      .optional()
      .transform((time) => (time === undefined ? undefined : new Date(time)))
      .describe('Started at this instant or later.'),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    offset: z.coerce.number().int().min(0).max(turnsScannedMax).default(0),
  }),
  answers: {
    200: z.object({ turns: z.array(TurnView), next_offset: z.int().nullable().describe('Null: there are no more.') }),
  },
  async handle({ app, query, principal }) {
    const { conversation_id: conversation, status, since, limit, offset } = query
    const { workspaceId } = principal
    if (conversation && !(await readConversation(app.db, workspaceId, conversation))) throw noConversation()
    const found = await listTurns(app.db, workspaceId, { conversation, status, since }, { offset, limit: limit + 1 })
    const turns = found.slice(0, limit).map((turn) => ({
      id: turn.id,
      conversation_id: turn.conversationId,
      status: turn.status,
      origin: turn.origin,
      model: turn.model,
      prompt_tokens: turn.promptTokens,
      completion_tokens: turn.completionTokens,
      duration_ms: turn.durationMs,
      time_to_first_token_ms: turn.timeToFirstTokenMs,
      attempt: turn.attempt,
      error: turn.error,
      started_at: turn.startedAt.toISOString(),
    }))
    return { turns, next_offset: found.length > limit ? offset + limit : null }
  },
})
