/** The turns of all conversations, in pages, and one of them. */
import { z } from 'zod'
import { previewLengthMax } from '../../../store/conversations/body-preview.ts'
import { ConversationId, TurnId, type WorkspaceId } from '../../../store/id.ts'
import { pageOfTurns, readTurn, type TurnRecord, turnPageLimits } from '../../../store/turns/list.ts'
import { TurnOrigin } from '../../../store/turns/origin.ts'
import { type TurnPreview, turnPreviews } from '../../../store/turns/previews.ts'
import { turnStatuses } from '../../../store/turns/status.ts'
import { admin } from '../../access.ts'
import type { App } from '../../app.ts'
import { notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { checkedPeriod, filterText } from '../conversations/filter-query.ts'
import { MoneyView } from '../usage/view.ts'
import { TurnFilterQuery } from './filter-query.ts'

const TurnView = z.object({
  id: TurnId,
  conversation_id: ConversationId.nullable(),
  agent: z.string().nullable(),
  agent_version: z.int().nullable().describe('0: an agent that nobody has written.'),
  status: z.enum(turnStatuses),
  origin: TurnOrigin,
  model: z.string(),
  prompt_tokens: z.int().nullable(),
  completion_tokens: z.int().nullable(),
  cached_tokens: z.int().nullable().describe('Of prompt_tokens.'),
  reasoning_tokens: z.int().nullable().describe('Of completion_tokens.'),
  cost: MoneyView.nullable().describe('With that of its sub-agents; null: none of it has a price.'),
  usage_unknown: z.boolean().describe('It was ended from outside while it ran: nobody counted what it used.'),
  endpoint: z.string().nullable().describe('Of the model that answered.'),
  finish_reason: z.string().nullable(),
  duration_ms: z.number().nullable(),
  time_to_first_token_ms: z.number().nullable(),
  attempt: z.int(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  endpoints: z
    .array(
      z.object({
        endpoint: z.string(),
        model: z.string(),
        code: z.string().nullable().describe('Why it gave no answer; null: it answered.'),
        status: z.int().nullable().describe('The HTTP status of its failure.'),
        took_ms: z.number(),
      }),
    )
    .nullable()
    .describe('Where there are several model endpoints: those that its calls asked, in order, the last 50.'),
  started_at: z.iso.datetime(),
  input: z
    .string()
    .nullable()
    .describe(`The first ${previewLengthMax} characters of what it was asked; null: not stored, or too large.`),
  output: z.string().nullable().describe('As much of its answer.'),
})

async function viewsOf({ db }: App, workspace: WorkspaceId, turns: readonly TurnRecord[]) {
  const previews = await turnPreviews(
    db,
    workspace,
    turns.filter(({ conversationId }) => conversationId !== null).map(({ id }) => id),
  )
  return turns.map((turn) => viewOf(turn, previews.get(turn.id)))
}

function viewOf(turn: TurnRecord, preview: TurnPreview | undefined): z.infer<typeof TurnView> {
  return {
    id: turn.id,
    conversation_id: turn.conversationId,
    agent: turn.agent,
    agent_version: turn.agentVersion,
    status: turn.status,
    origin: turn.origin,
    model: turn.model,
    prompt_tokens: turn.promptTokens,
    completion_tokens: turn.completionTokens,
    cached_tokens: turn.cachedTokens,
    reasoning_tokens: turn.reasoningTokens,
    cost: turn.cost && { currency: turn.cost.currency, micro_units: turn.cost.microUnits },
    usage_unknown: turn.isUsageUnknown,
    endpoint: turn.endpoint,
    finish_reason: turn.finishReason,
    duration_ms: turn.durationMs,
    time_to_first_token_ms: turn.timeToFirstTokenMs,
    attempt: turn.attempt,
    error: turn.error,
    endpoints:
      turn.endpoints?.map(({ endpoint, model, code = null, status = null, tookMs }) => {
        return { endpoint, model, code, status, took_ms: tookMs }
      }) ?? null,
    started_at: turn.startedAt.toISOString(),
    input: preview?.input ?? null,
    output: preview?.output ?? null,
  }
}

/** A turn is looked up by its request while it runs, so it is among the newest: searching further would only take time. */
const newestOnly = { ...turnPageLimits, turnsMax: turnPageLimits.stepTurns }

export const listTurnsRoute = route({
  method: 'GET',
  path: '/v1/admin/turns',
  summary: 'List turns of all conversations',
  description: `Newest first. One request searches at most ${turnPageLimits.turnsMax} turns, so a page may have fewer items than limit, even none, while next_cursor continues.`,
  tag: 'turns',
  access: admin('conversations.read'),
  query: z.object({
    ...TurnFilterQuery.shape,
    request_id: filterText.describe(
      `The X-Request-Id of its request; only the newest ${turnPageLimits.stepTurns} turns are searched.`,
    ),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: TurnId.optional().describe('next_cursor of the page before.'),
  }),
  answers: { 200: z.object({ items: z.array(TurnView), next_cursor: TurnId.nullable() }) },
  async handle({ app, query, principal }) {
    const { limit, cursor, conversation_id: conversation, request_id: requestId, ...rest } = query
    checkedPeriod(rest)
    const page = { before: cursor ?? null, limit }
    const filter = { conversation, requestId, ...rest }
    const limits = requestId === undefined ? turnPageLimits : newestOnly
    const { turns, next } = await pageOfTurns(app.db, principal.workspaceId, filter, page, limits)
    return { items: await viewsOf(app, principal.workspaceId, turns), next_cursor: next }
  },
})

export const readTurnRoute = route({
  method: 'GET',
  path: '/v1/admin/turns/:turn_id',
  summary: 'Read a turn',
  tag: 'turns',
  access: admin('conversations.read'),
  params: z.object({ turn_id: TurnId }),
  answers: { 200: TurnView },
  async handle({ app, params, principal }) {
    const turn = await readTurn(app.db, principal.workspaceId, params.turn_id)
    const [view] = turn ? await viewsOf(app, principal.workspaceId, [turn]) : []
    if (!view) throw notFound('There is no such turn in this workspace.')
    return view
  },
})
