/** The edge's policy from the settings, rebuilt whenever a setting changes. */
import { hostname } from 'node:os'
import type { Settings } from '../../config/settings.ts'
import { checkHeader } from '../server/header-safety.ts'
import { parseListenAddress } from '../server/listen-address.ts'
import { addressTest } from './client-ip.ts'
import { type EdgePolicy, securityHeaders } from './policy.ts'

/**
 * @param uiPort where the admin UI listens; undefined: it does not
 * @returns the current policy
 * @throws HeaderRefused when SERVICE_CSP is not a valid header value
 */
export function livePolicy(settings: Settings, uiPort: number | undefined): () => EdgePolicy {
  let policy = policyOf(settings, uiPort)
  settings.onChange(() => {
    policy = policyOf(settings, uiPort)
  })
  return () => policy
}

function policyOf(settings: Settings, uiPort: number | undefined): EdgePolicy {
  const csp = settings.get('SERVICE_CSP')
  checkHeader('content-security-policy', csp)
  return {
    origins: allowedOrigins(settings),
    isTrustedProxy: addressTest(settings.get('SERVICE_TRUSTED_PROXIES')),
    isSecureRequired: settings.get('SERVICE_REQUIRE_SECURE'),
    publicOrigin: originOf(settings.get('SERVICE_PUBLIC_URL')),
    uiPort: settings.get('SERVICE_WEBUI_ORIGIN') === '' ? uiPort : undefined,
    ownNames: ownNames(settings),
    arePersonalKeysAllowed: settings.get('SERVICE_PERSONAL_API_KEYS'),
    securityHeaders: securityHeaders(csp),
    deadlineMs: settings.get('SERVICE_REQUEST_DEADLINE_S') * 1_000,
  }
}

/** The configured origins, and that of the admin UI, which has another port. */
function allowedOrigins(settings: Settings): ReadonlySet<string> {
  const listed = settings.get('SERVICE_CORS_ORIGINS').map((origin) => originOf(origin) ?? origin)
  const webUi = originOf(settings.get('SERVICE_WEBUI_ORIGIN'))
  return new Set(webUi === undefined ? listed : [...listed, webUi])
}

function ownNames(settings: Settings): ReadonlySet<string> {
  const urls = [settings.get('SERVICE_PUBLIC_URL'), settings.get('SERVICE_WEBUI_API_BASE')]
  const addresses = [settings.get('SERVICE_GATEWAY_ADDR'), settings.get('SERVICE_WEBUI_ADDR')]
  const names = [
    hostname(),
    ...urls.map((url) => (URL.canParse(url) ? new URL(url).hostname : '')),
    ...addresses.map((address) => parseListenAddress(address).host),
  ]
  return new Set(names.map((name) => name.toLowerCase()).filter((name) => name !== ''))
}

/** The origin of a URL, as browsers send it: scheme, host and port. */
function originOf(address: string): string | undefined {
  return /^https?:\/\//i.test(address) && URL.canParse(address) ? new URL(address).origin : undefined
}
