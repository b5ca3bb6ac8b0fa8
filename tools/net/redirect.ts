/** The request after a redirect, by the fetch standard (4.4, HTTP-redirect fetch), but with fewer headers. */
import { ToolFailed } from '../tool.ts'
import { readUrl } from './read-url.ts'

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** One request of a chain. */
export interface Hop {
  method: Method
  url: URL
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array | undefined
  /** All hops so far were to one origin; only these carry the operator's credentials. */
  isFirstOrigin: boolean
}

/** The caller's headers that another origin may see: any other may contain a key. */
const harmlessHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-type',
  'range',
  'user-agent',
])

/** @returns undefined: it is not a redirect, or has no target. @throws ToolFailed `bad_url` */
export function nextHop(hop: Hop, status: number, location: string | undefined): Hop | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  const url = locationOf(location, hop.url)
  const isSameOrigin = url.origin === hop.url.origin
  const isBodyDropped =
    (status === 303 && hop.method !== 'GET' && hop.method !== 'HEAD') || (status < 303 && hop.method === 'POST')
  const headers = Object.entries(hop.headers).filter(
    ([name]) => (isSameOrigin || harmlessHeaders.has(name)) && !(isBodyDropped && name.startsWith('content-')),
  )
  return {
    url,
    headers: Object.fromEntries(headers),
    method: isBodyDropped ? 'GET' : hop.method,
    body: isBodyDropped ? undefined : hop.body,
    isFirstOrigin: hop.isFirstOrigin && isSameOrigin,
  }
}

function locationOf(location: string, base: URL): URL {
  try {
    return readUrl(location, base)
  } catch (error) {
    if (!(error instanceof ToolFailed)) throw error
    throw new ToolFailed(error.code, `The server redirects to a place that is refused: ${error.message}`)
  }
}
