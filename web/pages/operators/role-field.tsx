/** The choice of a role, with a description. */
import { NativeSelect } from '@mantine/core'
import { useSession } from '../../app/session.tsx'
import { useText } from '../../text/text.ts'
import { grantableRoles, mayRole, type Role } from './operator.ts'
import { operatorsText } from './text.ts'

export function RoleField({ role, onChange }: { role: Role; onChange(role: Role): void }) {
  const t = useText(operatorsText)
  const { session } = useSession()
  return (
    <NativeSelect
      label={t('role')}
      description={t(mayRole(role))}
      value={role}
      data={grantableRoles(session.role).map((value) => ({ value, label: t(value) }))}
      onChange={(event) => onChange(event.currentTarget.value as Role)}
    />
  )
}
