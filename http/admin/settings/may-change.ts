/** Which settings only an owner may change: with some of them one controls the machine that the service runs on. */
import { type SettingKey, settingOf } from '../../../config/catalogue.ts'
import type { Principal } from '../../access.ts'
import type { Refusal } from './change-request.ts'

/** A key with every scope counts as an owner. */
export function ownerOnlyRefusals(principal: Principal, keys: Iterable<SettingKey>): Refusal[] {
  const isOwner = principal.operator ? principal.operator.role === 'owner' : principal.scopes.has('*')
  if (isOwner) return []
  return [...keys]
    .filter((key) => settingOf(key).whose !== 'admin')
    .map((key) => ({ key, message: 'Only an owner can change this.' }))
}
