/** What is done to an operator's account, each asked for first. */
import { call } from '../../api/call.ts'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { useText } from '../../text/text.ts'
import type { Operator } from './operator.ts'
import { useRefusals } from './operator-error.tsx'
import { operatorsText } from './text.ts'

export type Deed = 'resetPassword' | 'endSessions' | 'disable' | 'enable' | 'takeAway' | 'deleteIt'

const words = {
  resetPassword: ['resetTitle', 'resetWhy'],
  endSessions: ['endTitle', 'endWhy'],
  disable: ['disableTitle', 'disableWhy'],
  takeAway: ['takeAwayTitle', 'takeAwayWhy'],
  deleteIt: ['deleteTitle', 'deleteWhy'],
} as const

interface AskedProps {
  /** Enabling is not asked for: it takes nothing away. */
  deed: Exclude<Deed, 'enable'>
  operator: Operator
  /** @param password made up, where it was reset */
  onDone(password: string | null): void
  onClose(): void
}

export function AskedDeed({ deed, operator, onDone, onClose }: AskedProps) {
  const t = useText(operatorsText)
  const refusals = useRefusals()
  const [title, why] = words[deed]
  return (
    <ConfirmAction
      title={t(title, { name: operator.name || operator.login })}
      deed={t(deed)}
      words={refusals}
      onConfirm={async () => onDone(await perform(deed, operator.id))}
      onClose={onClose}
    >
      {t(why)}
    </ConfirmAction>
  )
}

/** @returns the password that was made up, or null */
export async function perform(deed: Deed, id: string): Promise<string | null> {
  const one = { operator_id: id }
  switch (deed) {
    case 'resetPassword':
      return (await call('POST /v1/admin/operators/reset-password', { body: one })).password
    case 'endSessions':
      await call('POST /v1/admin/operators/end-sessions', { body: one })
      return null
    case 'disable':
    case 'enable':
      await call('POST /v1/admin/operators/update', { body: { ...one, is_disabled: deed === 'disable' } })
      return null
    case 'takeAway':
      await call('POST /v1/admin/operators/update', { body: { ...one, role: null } })
      return null
    case 'deleteIt':
      await call('POST /v1/admin/operators/delete', { body: one })
      return null
    default:
      return deed satisfies never
  }
}
