/** The settings that apply to every request, prepared for fast use. */
import type { AddressTest } from './client-ip.ts'

export interface EdgePolicy {
  /** Origins whose pages may read our answers. */
  readonly origins: ReadonlySet<string>
  readonly isTrustedProxy: AddressTest
  readonly isSecureRequired: boolean
  readonly publicOrigin: string | undefined
  /** The admin UI's port, where SERVICE_WEBUI_ORIGIN is not set; undefined while it does not listen. */
  readonly uiPort: number | undefined
  /** The names of this host that the settings and the system know, in lower case: under others the UI is not believed. */
  readonly ownNames: ReadonlySet<string>
  /** SERVICE_PERSONAL_API_KEYS: whether personal keys may use the endpoints for end users. */
  readonly arePersonalKeysAllowed: boolean
  /** For every answer: name, value, name, value … */
  readonly securityHeaders: readonly string[]
  /** 0: none. */
  readonly deadlineMs: number
}

/** The API serves no pages, so nothing may be loaded. */
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
