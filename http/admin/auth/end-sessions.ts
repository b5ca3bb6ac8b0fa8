/** Ends sessions after a change of how an operator signs in. */
import { notifyChange } from '../../../store/changes.ts'
import { revokeSessions } from '../../../store/operators/sessions.ts'
import type { OperatorPrincipal } from '../../access.ts'
import type { Call } from '../../call.ts'
import { auditActor } from '../audit-actor.ts'

/** Resolves when the other sessions have ended here, and every process was notified. @returns how many there were */
export async function endOtherSessions(call: Call<unknown, unknown, unknown, OperatorPrincipal>): Promise<number> {
  const { app, principal } = call
  const { id, sessionId } = principal.operator
  const ended = await revokeSessions(app.db, id, { allBut: sessionId }, auditActor(call))
  await broadcastSessionChange(call)
  return ended
}

export async function broadcastSessionChange({ app }: Pick<Call, 'app'>): Promise<void> {
  app.auth.sessions.forget()
  await notifyChange(app.db, 'sessions')
}
