/** The page of the admin UI, with the values that differ from answer to answer: the nonce, and the origin of the API. */
import { randomBytes } from 'node:crypto'

/** The placeholders in the built page. A test checks that the build has each. */
export const marks = { nonce: '__CSP_NONCE__', apiBase: '__API_BASE__' } as const

export interface ApiBase {
  /** SERVICE_WEBUI_API_BASE, else SERVICE_PUBLIC_URL; empty when neither is set. */
  configured: string
  gatewayPort: number
}

const hostName = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]{1,253})(?::\d{1,5})?$/

/** The API's origin for this browser: the host name of the page, because the session's cookie belongs to it. */
export function apiOrigin({ configured, gatewayPort }: ApiBase, host: string, isSecure: boolean): string {
  if (configured !== '') return new URL(configured).origin
  const name = hostName.exec(host)?.[1] ?? 'localhost'
  return `${isSecure ? 'https' : 'http'}://${name}:${gatewayPort}`
}

export interface RenderedPage {
  html: string
  csp: string
}

/** @param override SERVICE_CSP; empty: ours */
export function renderPage(page: string, origin: string, override: string): RenderedPage {
  const nonce = randomBytes(18).toString('base64')
  return {
    html: page.replaceAll(marks.nonce, nonce).replaceAll(marks.apiBase, origin),
    csp: override === '' ? cspOf(nonce, origin) : override,
  }
}

function cspOf(nonce: string, origin: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${origin} ${origin.replace(/^http/, 'ws')}`,
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
