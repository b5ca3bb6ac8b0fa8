/** The settings that apply to every request, in the form that costs least to apply. Made again when a setting changes. */
import type { AddressTest } from './client-ip.ts'

export interface EdgePolicy {
  /** Whose pages may read our answers. */
  readonly origins: ReadonlySet<string>
  readonly isTrustedProxy: AddressTest
  readonly isSecureRequired: boolean
  readonly publicOrigin: string | undefined
  /** Of the admin UI, where SERVICE_WEBUI_ORIGIN does not say its origin; undefined while it has no listener. */
  readonly uiPort: number | undefined
  /** SERVICE_PERSONAL_API_KEYS: whether personal keys may use the endpoints for end users. */
  readonly arePersonalKeysAllowed: boolean
  /** On every answer: name, value, name, value … */
  readonly securityHeaders: readonly string[]
  /** 0: none. */
  readonly deadlineMs: number
}

/** The API serves data and no pages, so a page of it may load nothing. */
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
