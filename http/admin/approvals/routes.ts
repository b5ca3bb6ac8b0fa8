/** Tool calls that wait for an operator's decision: listed, approved, refused. */
import { z } from 'zod'
import { type Approval, ApprovalStatus, decideApproval, listApprovals, readApproval } from '../../../store/approvals.ts'
import { ApprovalId, ConversationId, TurnId, type WorkspaceId } from '../../../store/id.ts'
import { admin } from '../../access.ts'
import type { App } from '../../app.ts'
import { ApiError, notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'

const ApprovalView = z.object({
  id: ApprovalId,
  status: ApprovalStatus,
  agent: z.string(),
  tool: z.string(),
  arguments: z.unknown().describe('The call is made with exactly these.'),
  turn_id: TurnId,
  conversation_id: ConversationId.nullable(),
  path: z.string().describe('The place in the turn; empty: its main loop.'),
  requested_at: z.iso.datetime(),
  expires_at: z.iso.datetime().describe('Refused if not decided by then.'),
  decided_at: z.iso.datetime().nullable(),
  decided_by: z.string().nullable(),
  reason: z.string().nullable(),
})

function viewOf(approval: Approval): z.infer<typeof ApprovalView> {
  return {
    id: approval.id,
    status: approval.status,
    agent: approval.agent,
    tool: approval.tool,
    arguments: approval.arguments,
    turn_id: approval.turnId,
    conversation_id: approval.conversationId,
    path: approval.path,
    requested_at: approval.requestedAt.toISOString(),
    expires_at: approval.expiresAt.toISOString(),
    decided_at: approval.decidedAt?.toISOString() ?? null,
    decided_by: approval.decidedBy,
    reason: approval.reason,
  }
}

const shared = { tag: 'approvals' } as const

export const approvals = route({
  ...shared,
  method: 'GET',
  path: '/v1/admin/approvals',
  summary: 'List approvals, newest first',
  description: 'A page ends early where its arguments have 8 MB.',
  access: admin('approvals.read'),
  query: z.object({
    status: ApprovalStatus.optional(),
    turn_id: TurnId.optional(),
    limit: z.coerce.number().int().min(1).max(200).default(50),
    cursor: ApprovalId.optional(),
  }),
  answers: { 200: z.object({ items: z.array(ApprovalView), next_cursor: z.string().nullable() }) },
  async handle({ app, query, principal }) {
    const filter = { status: query.status ?? null, turnId: query.turn_id ?? null }
    const page = { before: query.cursor ?? null, limit: query.limit }
    const { approvals: found, isMore } = await listApprovals(app.db, principal.workspaceId, filter, page)
    return { items: found.map(viewOf), next_cursor: isMore ? (found.at(-1)?.id ?? null) : null }
  },
})

export const decide = route({
  ...shared,
  method: 'POST',
  path: '/v1/admin/approvals/decide',
  summary: 'Approve or refuse a tool call',
  description: 'Applies once, to the stored arguments. The agent gets the reason of a refusal.',
  access: admin('approvals.decide'),
  body: z.strictObject({
    approval_id: ApprovalId,
    decision: z.enum(['approve', 'refuse']),
    reason: z.string().max(2_000).optional(),
  }),
  answers: { 200: z.object({ ok: z.literal(true), approval: ApprovalView }) },
  async handle(call) {
    const { app, body, principal } = call
    const decision = { id: body.approval_id, isApproved: body.decision === 'approve', reason: body.reason ?? null }
    const approval = await decideApproval(app.db, auditActor(call), decision)
    if (!approval) throw await decisionRefusal(app, principal.workspaceId, body.approval_id)
    await app.services.approvals.decided(approval)
    return { ok: true, approval: viewOf(approval) }
  },
})

/** Why an approval could not be decided. One that is still pending has expired, or its turn was cancelled. */
async function decisionRefusal({ db, clock }: App, workspace: WorkspaceId, id: ApprovalId): Promise<ApiError> {
  const approval = await readApproval(db, workspace, id)
  if (!approval) return notFound('There is no such approval.')
  const pendingState = approval.expiresAt.getTime() > clock.now() ? 'withdrawn' : 'expired'
  const state = approval.status === 'pending' ? pendingState : approval.status
  return new ApiError('already_decided', `The approval is ${state} already.`)
}
