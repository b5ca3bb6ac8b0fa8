/** Which settings only an owner may change: with some of them one controls the machine that the service runs on. */
import { type SettingKey, settingOf } from '../../../config/catalogue.ts'
import type { Principal } from '../../access.ts'
import { isBounded } from '../../auth/issue.ts'
import type { Refusal } from './change-request.ts'

/** They open the service by themselves, without the bounds of whoever set them. */
const credentialSettings: ReadonlySet<SettingKey> = new Set<SettingKey>([
  'SERVICE_COMPAT_KEY',
  'SERVICE_COMPAT_WORKSPACE',
  'SERVICE_INBOUND_SECRET',
])

/** A key with every scope counts as an owner. */
export function ownerOnlyRefusals(principal: Principal, keys: Iterable<SettingKey>): Refusal[] {
  const isOwner = principal.operator ? principal.operator.role === 'owner' : principal.scopes.has('*')
  if (isOwner && !isBounded(principal)) return []
  if (isOwner)
    return [...keys]
      .filter((key) => credentialSettings.has(key))
      .map((key) => ({ key, message: 'A key with an expiry, allowed addresses or a rate limit cannot change this.' }))
  return [...keys]
    .filter((key) => settingOf(key).changedBy !== 'admin')
    .map((key) => ({ key, message: 'Only an owner can change this.' }))
}
