/** Changing, deleting and locking out operators. Nobody does it to themselves, nor to anybody above them. */
import { z } from 'zod'
import type { AuditActor } from '../../../store/audit/audit.ts'
import type { Database } from '../../../store/database.ts'
import { OperatorId } from '../../../store/id.ts'
import {
  changeOperator,
  deleteOperator,
  endOperatorSessions,
  type Permit,
  resetPassword,
} from '../../../store/operators/changes.ts'
import { admin, type Principal } from '../../access.ts'
import { roles } from '../../auth/permissions.ts'
import type { Call } from '../../call.ts'
import { badRequest } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { broadcastOperatorChange } from './broadcast-change.ts'
import { operatorView } from './list.ts'
import { managerOf, refuseAccount, refuseRole, refuseSelf, roleInWorkspace, unknownOperator } from './may-manage.ts'
import { newPassword } from './new-password.ts'
import { OperatorView } from './view.ts'

const shared = { tag: 'operators', access: admin('operators.write', { isDangerous: true }), method: 'POST' } as const
const One = z.strictObject({ operator_id: OperatorId })
const Done = z.object({ ok: z.literal(true) })

export const updateOperator = route({
  ...shared,
  path: '/v1/admin/operators/update',
  summary: 'Change an operator',
  description: 'What is left out stays. Whoever is disabled or loses the role is out at once.',
  body: One.extend({
    name: z.string().trim().max(200).optional(),
    role: z.enum(roles).nullable().optional().describe('In this workspace; null takes it away.'),
    is_disabled: z.boolean().optional(),
  }),
  answers: { 200: z.object({ ok: z.literal(true), operator: OperatorView.nullable() }) },
  async handle(call) {
    const { app, body, principal } = call
    const { operator_id: id, name, role, is_disabled: isDisabled } = body
    if (name === undefined && role === undefined && isDisabled === undefined)
      throw badRequest('Nothing is named that should change.')
    const reach = await managerOf(app, principal)
    if (role !== undefined) refuseSelf(reach, id, 'changes their own role')
    if (isDisabled !== undefined) refuseSelf(reach, id, 'disables themselves')
    if (role) refuseRole(reach, role)
    await heeded(
      call,
      changeOperator(app.db, id, { name, role, isDisabled }, auditActor(call), (operator) => {
        const held = roleInWorkspace(reach, operator)
        if (role !== undefined) refuseRole(reach, held)
        // Their own name is everybody's own.
        if (isDisabled !== undefined || (name !== undefined && id !== reach.self)) refuseAccount(reach, operator)
      }),
    )
    return { ok: true, operator: role === null ? null : await operatorView(app, id, principal.workspaceId) }
  },
})

export const deleteOperatorRoute = route({
  ...shared,
  path: '/v1/admin/operators/delete',
  summary: 'Delete an operator',
  description: 'For good: sessions, factors and personal keys go too. What they did stays in the audit log.',
  body: One,
  answers: { 200: Done },
  handle: (call) => onAccount(call, 'deletes themselves', deleteOperator),
})

export const resetPasswordRoute = route({
  ...shared,
  path: '/v1/admin/operators/reset-password',
  summary: 'Give an operator another password',
  description: 'Made up, and shown in this answer only. All sessions of the operator end; second factors stay.',
  body: One,
  answers: { 200: Done.extend({ password: z.string().describe('Shown once.') }) },
  async handle(call) {
    const password = newPassword()
    const hash = await call.app.auth.passwords.hash(password)
    const done = await onAccount(call, 'resets their own password', (db, id, actor, permit) =>
      resetPassword(db, id, hash, actor, permit),
    )
    return { ...done, password }
  },
})

export const endSessionsRoute = route({
  ...shared,
  path: '/v1/admin/operators/end-sessions',
  summary: 'End all sessions of an operator',
  body: One,
  answers: { 200: Done },
  handle: (call) => onAccount(call, 'ends all their own sessions here', endOperatorSessions),
})

type OneCall = Call<z.infer<typeof One>, unknown, unknown, Principal>

async function onAccount(
  call: OneCall,
  what: string,
  work: (db: Database, id: OperatorId, actor: AuditActor, permit: Permit) => Promise<boolean>,
): Promise<{ ok: true }> {
  const { app, body, principal } = call
  const reach = await managerOf(app, principal)
  refuseSelf(reach, body.operator_id, what)
  await heeded(
    call,
    work(app.db, body.operator_id, auditActor(call), (operator) => refuseAccount(reach, operator)),
  )
  return { ok: true }
}

/** Told also when nothing changed: an earlier attempt may have got as far as the change, and no further. */
async function heeded({ app }: Call<unknown, unknown, unknown, Principal>, change: Promise<boolean>): Promise<void> {
  const isThere = await change
  await broadcastOperatorChange(app)
  if (!isThere) throw unknownOperator()
}
