/** A key in the API, its current state, and who may do what with it. */
import type { Answer } from '../../api/types.ts'

export type Key = Answer<'GET /v1/admin/apikeys'>['items'][number]
export type Scope = Key['scopes'][number]

export const scopeTexts = {
  chat: 'scopeChat',
  'admin:read': 'scopeAdminRead',
  'admin:write': 'scopeAdminWrite',
  'operators:write': 'scopeOperators',
  mcp: 'scopeMcp',
  a2a: 'scopeA2a',
  '*': 'scopeAll',
} as const satisfies Record<Scope, string>

/** The same in a word, for lists. */
export const scopeWords = {
  chat: 'wordChat',
  'admin:read': 'wordAdminRead',
  'admin:write': 'wordAdminWrite',
  'operators:write': 'wordOperators',
  mcp: 'wordMcp',
  a2a: 'wordA2a',
  '*': 'wordAll',
} as const satisfies Record<Scope, string>

export type KeyState = 'active' | 'expired' | 'revoked'

export function stateOf({ revoked_at, expires_at }: Key, nowMs = Date.now()): KeyState {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && Date.parse(expires_at) <= nowMs ? 'expired' : 'active'
}

const soonMs = 14 * 86_400_000

/** Milliseconds until a valid key ends, where that is soon. */
export function endsSoon({ expires_at }: Key, nowMs = Date.now()): number | undefined {
  const leftMs = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at) - nowMs
  return leftMs < soonMs ? leftMs : undefined
}

/** Only owners may grant every scope; a personal key is rotated by its owner only. */
export const mayRotate = ({ scopes, operator_id }: Key, role: string): boolean =>
  operator_id === null && (role === 'owner' || !scopes.includes('*'))
