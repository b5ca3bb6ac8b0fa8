/** The headers that an operator sets for hosts (SERVICE_HTTP_AUTH_JSON): sent to those alone, and shown to nobody. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { ToolFailed } from '../tool.ts'
import { hostAndPort, hostOf, portOf } from './allowlist.ts'

export interface Credentials {
  /** Names of headers, lower case, that the operator sets for this URL. */
  namesFor(url: URL): readonly string[]
  /**
   * @param isInternal the connection stays in the operator's own network
   * @throws ToolFailed `insecure` rather than send them in clear text over the internet
   */
  headersFor(url: URL, isInternal: boolean): Readonly<Record<string, string>>
  /** The text without any of them: a server may send back what it was sent. */
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

/** Shorter ones would be found in the middle of words. */
const redactedCharactersMin = 4

/** @param byHost `host` or `host:port`; a bare host means any port. The value is that of Authorization, or headers by name */
export function credentials(byHost: Readonly<Record<string, string | Headers>>): Credentials {
  const read = Object.entries(byHost).map(([key, given]) => ({ key, entry: entryOf(key, given) }))
  const entries = read.flatMap(({ entry }) => entry ?? [])
  const secrets = entries.flatMap(({ headers }) => Object.values(headers).flatMap(formsOf))
  const hidden = [...new Set(secrets)]
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
    redact: (text) => hidden.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text),
    unreadable: read.filter(({ entry }) => !entry).map(({ key }) => key),
  }
}

function entryOf(key: string, given: string | Headers): Entry | undefined {
  const named = hostAndPort(key)
  const headers = Object.entries(typeof given === 'string' ? { authorization: given } : given)
  if (!named || !headers.every(([name, value]) => isHeader(name, value))) return undefined
  return { ...named, headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])) }
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return value !== ''
  } catch {
    return false // Node says by an error what we say by the answer
  }
}

/** As it is, its token without the scheme, what Basic says in base64, and each as JSON would write it. */
function formsOf(value: string): string[] {
  const [scheme = '', token = ''] = value.split(/ +(.*)/, 2)
  const basic = scheme.toLowerCase() === 'basic' ? Buffer.from(token, 'base64').toString('utf8') : ''
  const password = basic.slice(basic.indexOf(':') + 1)
  return [value, token, basic, password].flatMap((form) => [form, JSON.stringify(form).slice(1, -1)])
}
