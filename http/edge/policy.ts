/** The settings that every request is judged by, in the form that costs least to apply. Made anew when settings change. */
import type { AddressTest } from './client-ip.ts'
import type { AllowedOrigins } from './cors.ts'

export interface EdgePolicy {
  readonly origins: AllowedOrigins
  readonly isTrustedProxy: AddressTest
  readonly isSecureRequired: boolean
  readonly publicOrigin: string | undefined
  /** Of the admin UI, where SERVICE_WEBUI_ORIGIN does not say its origin; undefined while it has no listener. */
  readonly uiPort: number | undefined
  /** SERVICE_PERSONAL_API_KEYS: whether keys of persons may use the endpoints for end users. */
  readonly arePersonalKeysAllowed: boolean
  /** Names and values by turns, on every answer. */
  readonly securityHeaders: readonly string[]
  /** 0: none. */
  readonly deadlineMs: number
}

/** No page of ours needs anything: what we serve is data. */
export const defaultCsp = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

export function securityHeaders(csp: string): readonly string[] {
  return [
    'x-content-type-options',
    'nosniff',
    'referrer-policy',
    'no-referrer',
    'content-security-policy',
    csp === '' ? defaultCsp : csp,
  ]
}
