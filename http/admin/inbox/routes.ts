/** The inbox: how much waits for a person, of each kind, and the first of it with what is needed to decide. */
import { z } from 'zod'
import { grantedTools } from '../../../actors/agent/tools/granted-tools.ts'
import { idFrom, type OperatorId, type WorkspaceId } from '../../../store/id.ts'
import { askersOf, precedentKey, precedentsOf } from '../../../store/inbox/context.ts'
import { countMax } from '../../../store/inbox/waiting.ts'
import { operatorLogins } from '../../../store/operators/operators.ts'
import type { OwnerId } from '../../../store/owner-id.ts'
import { admin } from '../../access.ts'
import type { App } from '../../app.ts'
import { route } from '../../route.ts'
import { askedByOf, InboxItem, precedentsViewOf } from './item.ts'
import { inboxKinds, type WaitingThing } from './kinds.ts'

const itemsMax = 100

const shared = { tag: 'approvals', access: admin('approvals.read') } as const

const Kinds = z.array(
  z.object({
    kind: z.string(),
    count: z.int().describe(`Counted up to ${countMax}.`),
    oldest_at: z.iso.datetime().nullable(),
  }),
)

export const countInbox = route({
  ...shared,
  method: 'GET',
  path: '/v1/admin/inbox/count',
  summary: 'Count what waits for a person',
  answers: { 200: z.object({ total: z.int(), kinds: Kinds }) },
  handle: ({ app, principal }) => countsOf(app, principal.workspaceId),
})

export const readInbox = route({
  ...shared,
  method: 'GET',
  path: '/v1/admin/inbox',
  summary: 'List what waits for a person',
  description:
    'Each with who asked, what led to it, what happens then, and what was decided in like cases. What expires first comes ' +
    'first, then what has waited longest. Of each kind as many as have 8 MB of arguments.',
  query: z.object({
    kind: z.string().max(100).optional(),
    limit: z.coerce.number().int().min(1).max(itemsMax).default(50).describe('Of each kind.'),
  }),
  answers: { 200: z.object({ total: z.int(), kinds: Kinds, items: z.array(InboxItem) }) },
  async handle({ app, query, principal }) {
    const chosen = inboxKinds.filter(({ name }) => query.kind === undefined || name === query.kind)
    const [counts, ...lists] = await Promise.all([
      countsOf(app, principal.workspaceId),
      ...chosen.map(async ({ name, first }) => {
        const things = await first(app.db, principal.workspaceId, query.limit)
        return things.map((thing) => ({ kind: name, thing }))
      }),
    ])
    return { ...counts, items: await itemsOf(app, principal.workspaceId, lists.flat()) }
  },
})

async function countsOf({ db }: App, workspace: WorkspaceId) {
  const kinds = await Promise.all(
    inboxKinds.map(async ({ name, count: countOf }) => {
      const { count, oldestAt } = await countOf(db, workspace)
      return { kind: name, count, oldest_at: oldestAt?.toISOString() ?? null }
    }),
  )
  return { total: kinds.reduce((total, { count }) => total + count, 0), kinds }
}

async function itemsOf(
  app: App,
  workspace: WorkspaceId,
  waiting: readonly { kind: string; thing: WaitingThing }[],
): Promise<InboxItem[]> {
  const { db } = app
  const things = waiting.map(({ thing }) => thing)
  const calls = things.flatMap(({ agent, tool }) => (agent === null ? [] : [{ agent, tool }]))
  const [askers, precedents] = await Promise.all([
    askersOf(db, workspace, [...new Set(things.map(({ turnId }) => turnId))]),
    precedentsOf(db, workspace, calls),
  ])
  const operators = new Map([...askers.values()].flatMap(({ owner }) => operatorOf(owner)))
  const logins = await operatorLogins(db, [...operators.values()])
  const tools = new Map(grantedTools(app.services, workspace).map((tool) => [tool.name, tool]))
  return waiting.map(({ kind, thing }) => {
    const asker = askers.get(thing.turnId)
    const operator = asker?.owner ? operators.get(asker.owner) : undefined
    const tool = tools.get(thing.tool)
    return {
      kind,
      id: thing.id,
      since: thing.since.toISOString(),
      expires_at: thing.expiresAt?.toISOString() ?? null,
      agent: thing.agent,
      tool: thing.tool,
      arguments: thing.arguments,
      path: thing.path,
      n: thing.n,
      turn_id: thing.turnId,
      conversation_id: thing.conversationId,
      asked_by: askedByOf(asker, operator ? (logins.get(operator) ?? null) : null),
      said: asker?.said ?? [],
      effect: tool ? { description: tool.description, risk: tool.risk, idempotency: tool.idempotency } : null,
      precedents: precedentsViewOf(
        thing.agent === null ? undefined : precedents.get(precedentKey({ agent: thing.agent, tool: thing.tool })),
      ),
    }
  })
}

function operatorOf(owner: OwnerId | null): [OwnerId, OperatorId][] {
  return owner?.startsWith('operator:') ? [[owner, idFrom('oper', owner.slice('operator:'.length))]] : []
}
