/** The turns of all conversations, in pages, and one of them. */
import { z } from 'zod'
import { previewLengthMax } from '../../../store/conversations/body-preview.ts'
import { AgentId, ApiKeyId, ConversationId, type OperatorId, TurnId, type WorkspaceId } from '../../../store/id.ts'
import { operatorLogins } from '../../../store/operators/operators.ts'
import { pageOfTurns, readTurn, type TurnFilter, type TurnRecord, turnPageLimits } from '../../../store/turns/list.ts'
import { orderedTurnsMax, turnsByFigure } from '../../../store/turns/ordered.ts'
import { TurnOrigin } from '../../../store/turns/origin.ts'
import { type TurnPreview, turnPreviews } from '../../../store/turns/previews.ts'
import { type TurnSource, turnSources } from '../../../store/turns/sources.ts'
import { turnStatuses } from '../../../store/turns/status.ts'
import { admin } from '../../access.ts'
import type { App } from '../../app.ts'
import { badRequest, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { checkedPeriod, filterText } from '../conversations/filter-query.ts'
import { MoneyView } from '../usage/view.ts'
import { TurnFilterQuery } from './filter-query.ts'
import { TurnListCursor, TurnOrder, type TurnPlace, turnCursor } from './list-cursor.ts'

const TurnView = z.object({
  id: TurnId,
  conversation_id: ConversationId.nullable(),
  agent: z.string().nullable(),
  agent_id: AgentId.nullable().describe('Of the agent that has this name now.'),
  agent_version: z.int().nullable().describe('0: an agent that nobody has written.'),
  api_key: z.object({ id: ApiKeyId, name: z.string() }).nullable().describe('The key it was asked with.'),
  operator: z.string().nullable().describe('The login of the operator who asked.'),
  channel: z.string().nullable().describe('The name of the channel it was asked through.'),
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
  const idsOf = (some: readonly TurnRecord[]) => some.map(({ id }) => id)
  const [previews, sources] = await Promise.all([
    turnPreviews(db, workspace, idsOf(turns.filter(({ conversationId }) => conversationId !== null))),
    turnSources(db, workspace, idsOf(turns)),
  ])
  const askers = [...sources.values()].flatMap(({ operatorId }) => operatorId ?? [])
  const logins = await operatorLogins(db, [...new Set(askers)])
  return turns.map((turn) => viewOf(turn, { preview: previews.get(turn.id), source: sources.get(turn.id), logins }))
}

interface KnownOfTurn {
  preview: TurnPreview | undefined
  source: TurnSource | undefined
  logins: ReadonlyMap<OperatorId, string>
}

function viewOf(turn: TurnRecord, { preview, source, logins }: KnownOfTurn): z.infer<typeof TurnView> {
  return {
    id: turn.id,
    conversation_id: turn.conversationId,
    agent: turn.agent,
    agent_id: source?.agentId ?? null,
    agent_version: turn.agentVersion,
    api_key: source?.key ?? null,
    operator: (source?.operatorId && logins.get(source.operatorId)) ?? null,
    channel: source?.channel ?? null,
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
  description:
    `Newest first. One request searches at most ${turnPageLimits.turnsMax} turns, so a page may have fewer items than limit, even none, while next_cursor continues. ` +
    `In another order only the newest ${orderedTurnsMax} turns of the period are listed, or of the conversation.`,
  tag: 'turns',
  access: admin('conversations.read'),
  query: z.object({
    ...TurnFilterQuery.shape,
    request_id: filterText.describe(
      `The X-Request-Id of its request; only the newest ${turnPageLimits.stepTurns} turns are searched.`,
    ),
    order: TurnOrder.default('started').describe(
      'started: the newest first. The others: the most first, those without such a figure last; not with request_id.',
    ),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: TurnListCursor.optional().describe('next_cursor of the page before, in the same order.'),
  }),
  answers: { 200: z.object({ items: z.array(TurnView), next_cursor: z.string().nullable() }) },
  async handle({ app, query, principal }) {
    const { limit, cursor, order, conversation_id: conversation, request_id: requestId, ...rest } = query
    checkedPeriod(rest)
    if (cursor && cursor.order !== order) throw badRequest('The cursor is of a list in another order.', 'cursor')
    if (order !== 'started' && requestId !== undefined)
      throw badRequest('The turns of a request are in the order started.', 'order')
    const { turns, next } = await pageIn(app, principal.workspaceId, { conversation, requestId, ...rest }, query)
    return { items: await viewsOf(app, principal.workspaceId, turns), next_cursor: next && turnCursor(next) }
  },
})

async function pageIn(
  { db }: App,
  workspace: WorkspaceId,
  filter: TurnFilter,
  { order, cursor, limit }: { order: TurnOrder; cursor?: TurnPlace | undefined; limit: number },
): Promise<{ turns: TurnRecord[]; next: TurnPlace | null }> {
  if (order === 'started') {
    const limits = filter.requestId === undefined ? turnPageLimits : newestOnly
    const { turns, next } = await pageOfTurns(db, workspace, filter, { before: cursor?.id ?? null, limit }, limits)
    return { turns, next: next && { order, id: next } }
  }
  const after = cursor && cursor.order !== 'started' ? cursor : null
  const { turns, next } = await turnsByFigure(db, workspace, filter, { figure: order, after, limit })
  return { turns, next: next && { order, ...next } }
}

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
