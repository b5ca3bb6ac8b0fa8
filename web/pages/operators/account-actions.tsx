/** Actions on an operator's account, each with a confirmation. */
import { call } from '../../api/call.ts'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import type { Removal } from '../../parts/removal.ts'
import { useText } from '../../text/text.ts'
import { linkOf, type Operator } from './operator.ts'
import { useRefusals } from './operator-error.tsx'
import { operatorsText } from './text.ts'

export type AccountAction = 'resetPassword' | 'endSessions' | 'disable' | 'enable' | 'removeRole' | 'delete'

const confirmationTexts = {
  resetPassword: ['resetTitle', 'resetWhy'],
  endSessions: ['endTitle', 'endWhy'],
  disable: ['disableTitle', 'disableWhy'],
  removeRole: ['removeRoleTitle', 'removeRoleWhy'],
  delete: ['deleteTitle', 'deleteWhy'],
} as const

interface ConfirmAccountActionProps {
  /** Enabling needs no confirmation: it takes nothing away. */
  action: Exclude<AccountAction, 'enable'>
  operator: Operator
  remove: Removal['remove']
  /** @param link one-time, of a reset */
  onDone(link: string | null): void
  onClose(): void
}

export function ConfirmAccountAction({ action, operator, remove, onDone, onClose }: ConfirmAccountActionProps) {
  const t = useText(operatorsText)
  const refusals = useRefusals()
  const [title, why] = confirmationTexts[action]
  return (
    <ConfirmAction
      title={t(title, { name: operator.name || operator.login })}
      actionLabel={t(action)}
      messages={refusals}
      onConfirm={async () => {
        const request = () => perform(action, operator.id)
        onDone(await (takesAway(action) ? remove(request) : request()))
      }}
      onClose={onClose}
    >
      {t(why)}
    </ConfirmAction>
  )
}

/** Afterwards the operator is not found in this workspace. */
export const takesAway = (action: AccountAction): boolean => action === 'delete' || action === 'removeRole'

/** @returns the one-time link of a reset, or null */
export async function perform(action: AccountAction, id: string): Promise<string | null> {
  const one = { operator_id: id }
  switch (action) {
    case 'resetPassword':
      return linkOf((await call('POST /v1/admin/operators/reset-password', { body: one })).password_link)
    case 'endSessions':
      await call('POST /v1/admin/operators/end-sessions', { body: one })
      return null
    case 'disable':
    case 'enable':
      await call('POST /v1/admin/operators/update', { body: { ...one, is_disabled: action === 'disable' } })
      return null
    case 'removeRole':
      await call('POST /v1/admin/operators/update', { body: { ...one, role: null } })
      return null
    case 'delete':
      await call('POST /v1/admin/operators/delete', { body: one })
      return null
    default:
      return action satisfies never
  }
}
