/** The headers that an operator sets for hosts (SERVICE_HTTP_AUTH_JSON): sent only to those, and redacted everywhere else. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { hostAndPort, hostOf, portOf } from '../../runtime/network/allowlist.ts'
import { ToolFailed } from '../tool.ts'

export interface Credentials {
  /** Names of headers, lower case, that the operator sets for this URL. */
  namesFor(url: URL): readonly string[]
  /**
   * @param isInternal the connection stays in the operator's own network
   * @throws ToolFailed `insecure` rather than send them in clear text over the internet
   */
  headersFor(url: URL, isInternal: boolean): Readonly<Record<string, string>>
  /** Removes all of them from a text: a server may echo what it got. */
  redact(text: string): string
  /** Hosts whose entry cannot be used. */
  readonly unreadable: readonly string[]
}

type Headers = Record<string, string>

interface Entry {
  host: string
  port: number | undefined
  headers: Headers
}

/** Shorter ones would match in the middle of words. */
const redactedCharactersMin = 4

/** @param byHost `host` or `host:port`; a bare host means any port. The value is that of Authorization, or headers by name */
export function credentials(byHost: Readonly<Record<string, string | Headers>>): Credentials {
  const read = Object.entries(byHost).map(([key, value]) => ({ key, entry: parseEntry(key, value) }))
  const entries = read.flatMap(({ entry }) => entry ?? [])
  const secrets = entries.flatMap(({ headers }) => Object.values(headers).flatMap(variantsOf))
  const redactedTexts = [...new Set(secrets)]
    .filter((secret) => secret.length >= redactedCharactersMin)
    .sort((one, other) => other.length - one.length)

  function find(url: URL): Headers {
    const host = hostOf(url)
    const port = portOf(url)
    const own = entries.filter((entry) => entry.host === host)
    return (own.find((entry) => entry.port === port) ?? own.find((entry) => entry.port === undefined))?.headers ?? {}
  }
  return {
    namesFor: (url) => Object.keys(find(url)),
    headersFor(url, isInternal) {
      const headers = find(url)
      if (Object.keys(headers).length > 0 && url.protocol === 'http:' && !isInternal)
        throw new ToolFailed(
          'insecure',
          `${hostOf(url)} is called with credentials, which go over https only; use https.`,
        )
      return headers
    },
    redact: (text) => redactedTexts.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text),
    unreadable: read.filter(({ entry }) => !entry).map(({ key }) => key),
  }
}

function parseEntry(key: string, value: string | Headers): Entry | undefined {
  const named = hostAndPort(key)
  const headers = Object.entries(typeof value === 'string' ? { authorization: value } : value)
  if (!named || !headers.every(([name, value]) => isHeader(name, value))) return undefined
  return { ...named, headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])) }
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return value !== ''
  } catch {
    return false // Node reports it by an error
  }
}

/** The value itself, its token without the scheme, the decoded Basic login, and each as JSON writes it. */
function variantsOf(value: string): string[] {
  const [scheme = '', token = ''] = value.split(/ +(.*)/, 2)
  const basic = scheme.toLowerCase() === 'basic' ? Buffer.from(token, 'base64').toString('utf8') : ''
  const password = basic.slice(basic.indexOf(':') + 1)
  return [value, token, basic, password].flatMap((form) => [form, JSON.stringify(form).slice(1, -1)])
}
