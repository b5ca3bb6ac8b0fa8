/** The steps of a turn: model calls and tool calls; and tool calls whose effect is unknown. */
import { z } from 'zod'
import { TurnId } from '../../../store/id.ts'
import { listSteps, resolveStep, type Step, unknownSteps } from '../../../store/turns/steps.ts'
import { admin } from '../../access.ts'
import { notFound } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'

const StepView = z.object({
  turn_id: TurnId,
  path: z.string().describe('Empty: the main loop. Candidates, plan steps and sub-agents have their own paths.'),
  n: z.int(),
  kind: z.enum(['model', 'tool']),
  status: z.enum(['waiting', 'started', 'succeeded', 'failed', 'unknown']),
  name: z.string().describe('The model or the tool.'),
  call_id: z.string().nullable(),
  request: z.unknown().describe('The arguments of a tool call.'),
  result: z.unknown(),
  prompt_tokens: z.int().nullable(),
  completion_tokens: z.int().nullable(),
  error_code: z.string().nullable(),
  started_at: z.iso.datetime(),
  duration_ms: z.number().nullable(),
})

function viewOf(step: Step): z.infer<typeof StepView> {
  return {
    turn_id: step.turnId,
    path: step.path,
    n: step.n,
    kind: step.kind,
    status: step.status,
    name: step.name,
    call_id: step.callId,
    request: step.request,
    result: step.result,
    error_code: step.errorCode,
    prompt_tokens: step.promptTokens,
    completion_tokens: step.completionTokens,
    started_at: step.startedAt.toISOString(),
    duration_ms: step.durationMs,
  }
}

const shared = { tag: 'turns' } as const

export const turnSteps = route({
  ...shared,
  method: 'GET',
  path: '/v1/admin/turns/steps',
  summary: 'List the steps of a turn',
  description: 'A page ends early where requests and results have 8 MB.',
  access: admin('conversations.read'),
  query: z.object({
    turn_id: TurnId,
    limit: z.coerce.number().int().min(1).max(500).default(100),
    offset: z.coerce.number().int().min(0).max(100_000).default(0),
  }),
  answers: { 200: z.object({ items: z.array(StepView), next_offset: z.int().nullable() }) },
  async handle({ app, query, principal }) {
    const { steps, isMore } = await listSteps(app.db, principal.workspaceId, query.turn_id, query)
    return { items: steps.map(viewOf), next_offset: isMore ? query.offset + steps.length : null }
  },
})

export const unknownEffects = route({
  ...shared,
  method: 'GET',
  path: '/v1/admin/turns/unknown-effects',
  summary: 'List tool calls with an unknown effect',
  description:
    'The service was interrupted while they ran, and they may be made only once, so they are not repeated. The newest, as far as they have 8 MB.',
  access: admin('conversations.read'),
  query: z.object({ limit: z.coerce.number().int().min(1).max(500).default(100) }),
  answers: { 200: z.object({ items: z.array(StepView) }) },
  async handle({ app, query, principal }) {
    return { items: (await unknownSteps(app.db, principal.workspaceId, query.limit)).map(viewOf) }
  },
})

export const resolveEffect = route({
  ...shared,
  method: 'POST',
  path: '/v1/admin/turns/unknown-effects/resolve',
  summary: 'Record the outcome of a tool call with an unknown effect',
  access: admin('approvals.decide'),
  body: z.strictObject({
    turn_id: TurnId,
    path: z.string().max(1_000).default(''),
    n: z.int().min(0),
    outcome: z.enum(['succeeded', 'failed']),
    note: z.string().max(2_000).default(''),
  }),
  answers: { 200: z.object({ ok: z.literal(true) }) },
  async handle(call) {
    const { turn_id: turnId, path, n, outcome, note } = call.body
    const isDone = await resolveStep(call.app.db, auditActor(call), { turnId, path, n }, outcome, note)
    if (!isDone) throw notFound('There is no such call with an unknown effect.')
    return { ok: true }
  },
})
