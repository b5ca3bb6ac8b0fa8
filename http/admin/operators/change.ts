/** Changing and deleting operators, resetting passwords, ending sessions: not one's own, nor those of a higher role. */
import { z } from 'zod'
import type { AuditActor } from '../../../store/audit/audit.ts'
import type { Database } from '../../../store/database.ts'
import { OperatorId } from '../../../store/id.ts'
import {
  changeOperator,
  deleteOperator,
  endOperatorSessions,
  type Permit,
  resetPasswordByLink,
} from '../../../store/operators/changes.ts'
import { admin, type Principal } from '../../access.ts'
import { newPasswordLink } from '../../auth/password-link.ts'
import { roles } from '../../auth/permissions.ts'
import type { Call } from '../../call.ts'
import { badRequest } from '../../error.ts'
import { route } from '../../route.ts'
import { auditActor } from '../audit-actor.ts'
import { broadcastOperatorChange } from './broadcast-change.ts'
import { operatorView } from './list.ts'
import { managerOf, refuseAccount, refuseRole, refuseSelf, roleInWorkspace, unknownOperator } from './may-manage.ts'
import { linkViewOf, OperatorView, PasswordLinkView } from './view.ts'

const shared = { tag: 'operators', access: admin('operators.write', { isDangerous: true }), method: 'POST' } as const
const One = z.strictObject({ operator_id: OperatorId })
const Done = z.object({ ok: z.literal(true) })

export const updateOperator = route({
  ...shared,
  path: '/v1/admin/operators/update',
  issues: 'operator',
  summary: 'Change an operator',
  description:
    'Fields that are left out do not change. An operator who is disabled or loses the role is signed out at once.',
  body: One.extend({
    name: z.string().trim().max(200).optional(),
    role: z.enum(roles).nullable().optional().describe('In this workspace; null removes it.'),
    is_disabled: z.boolean().optional(),
  }),
  answers: { 200: z.object({ ok: z.literal(true), operator: OperatorView.nullable() }) },
  async handle(call) {
    const { app, body, principal } = call
    const { operator_id: id, name, role, is_disabled: isDisabled } = body
    if (name === undefined && role === undefined && isDisabled === undefined)
      throw badRequest('There is nothing to change: give a name, role or is_disabled.')
    const manager = await managerOf(app, principal)
    if (role !== undefined) refuseSelf(manager, id, 'changes their own role')
    if (isDisabled !== undefined) refuseSelf(manager, id, 'disables themselves')
    if (role) refuseRole(manager, role)
    await changeAndBroadcast(
      call,
      changeOperator(app.db, id, { name, role, isDisabled }, auditActor(call), (operator) => {
        const present = roleInWorkspace(manager, operator)
        if (role !== undefined) refuseRole(manager, present)
        // Everybody may change their own name.
        if (isDisabled !== undefined || (name !== undefined && id !== manager.self)) refuseAccount(manager, operator)
      }),
    )
    return { ok: true, operator: role === null ? null : await operatorView(app, id, principal.workspaceId) }
  },
})

export const deleteOperatorRoute = route({
  ...shared,
  path: '/v1/admin/operators/delete',
  summary: 'Delete an operator',
  description:
    'Cannot be undone: sessions, factors and personal keys are deleted too. The audit log keeps what they did.',
  body: One,
  answers: { 200: Done },
  handle: (call) => onAccount(call, 'deletes themselves', deleteOperator),
})

export const resetPasswordRoute = route({
  ...shared,
  path: '/v1/admin/operators/reset-password',
  issues: 'one-time link',
  summary: 'Reset the password of an operator',
  description:
    'Their password and all their sessions end; second factors stay. The answer has a one-time link, by which the operator ' +
    'sets another password. An earlier link ends.',
  body: One,
  answers: { 200: Done.extend({ password_link: PasswordLinkView }) },
  async handle(call) {
    const link = newPasswordLink(call.app.clock)
    const done = await onAccount(call, 'resets their own password', (db, id, actor, permit) =>
      resetPasswordByLink(db, id, link.stored, actor, permit),
    )
    return { ...done, password_link: linkViewOf(link) }
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
  const manager = await managerOf(app, principal)
  refuseSelf(manager, body.operator_id, what)
  await changeAndBroadcast(
    call,
    work(app.db, body.operator_id, auditActor(call), (operator) => refuseAccount(manager, operator)),
  )
  return { ok: true }
}

/** Broadcasts also when nothing changed: an earlier attempt may have changed it and failed before the broadcast. */
async function changeAndBroadcast(
  { app }: Call<unknown, unknown, unknown, Principal>,
  change: Promise<boolean>,
): Promise<void> {
  const isThere = await change
  await broadcastOperatorChange(app)
  if (!isThere) throw unknownOperator()
}
