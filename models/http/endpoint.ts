/** Where an endpoint is and with which credentials it is called; they are kept out of everything that is printed. */

export interface Endpoint {
  /** As the operator wrote it: with or without `/v1`, with or without `/chat/completions`. */
  baseUrl: string
  /** Blank: no Authorization header. */
  apiKey: string
  /** Sent on every turn; blank: the request's own. */
  model: string
  /** Blank or absent: as its address ends, or as it turns out. */
  style?: ApiStyleName | ''
  /** Where these are set, for messages to the operator. */
  settingKeys: EndpointSettingKeys
}

export interface EndpointSettingKeys {
  url: string
  key: string
}

/** What stands at the end of the address, by the style of the API. */
export type ApiStyleName = 'chat' | 'responses'

export interface EndpointAddress {
  /** For logs and messages. */
  origin: string
  /** Of the chat completions or the responses, query included. */
  path: string
  style: ApiStyleName
  settingKeys: EndpointSettingKeys
  /** Flat name, value, name, value: the cheapest form for the HTTP client. */
  headers: string[]
  /** The text without credentials. */
  redact(text: string): string
}

const endings: Readonly<Record<ApiStyleName, string>> = { chat: '/chat/completions', responses: '/responses' }

const secretName = /key|token|secret|sig|pass|auth|code/i

/** @throws TypeError when the URL is none */
export function addressOf(endpoint: Endpoint, style: ApiStyleName): EndpointAddress {
  const url = new URL(endpoint.baseUrl)
  const apiKey = endpoint.apiKey.trim()
  const user = decoded(url.username)
  const password = decoded(url.password)
  const basic = Buffer.from(`${user}:${password}`).toString('base64')
  const headers = ['content-type', 'application/json', 'accept', 'application/json, text/event-stream']
  if (apiKey !== '') headers.push('authorization', `Bearer ${apiKey}`)
  else if (user !== '' || password !== '') headers.push('authorization', `Basic ${basic}`)
  // A user without a password is a token. An endpoint that echoes our request knows them all.
  const secrets = [apiKey, password, password === '' ? user : '', user === '' ? '' : basic, ...secretsInQuery(url)]
    .filter((secret) => secret !== '')
    .sort((one, other) => other.length - one.length)
  return {
    origin: url.origin,
    path: `${pathUnder(url, style)}${url.search}`,
    style,
    settingKeys: endpoint.settingKeys,
    headers,
    redact: (text) => secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '[key]'), text),
  }
}

/** Unchanged where its percent signs encode nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Each as it is written and decoded. None so short that it may be part of any text. */
function secretsInQuery(url: URL): string[] {
  return url.search
    .slice(1)
    .split('&')
    .flatMap((pair) => {
      const [name = '', value = ''] = pair.split(/=(.*)/, 2)
      return secretName.test(name) && value.length >= 8 ? [value, decoded(value)] : []
    })
}

/** The address as it may be shown. @throws TypeError when it is no URL */
export function withoutCredentials(text: string): string {
  const url = new URL(text)
  url.username = ''
  url.password = ''
  const hidden = [...url.searchParams.keys()].filter((name) => secretName.test(name))
  for (const name of hidden) url.searchParams.delete(name)
  return url.href
}

/** The style that the operator has written into the base URL itself. */
export function styleInUrl(baseUrl: string): ApiStyleName | undefined {
  const path = withoutSlash(new URL(baseUrl))
  return styleNames.find((style) => path.endsWith(endings[style]))
}

const styleNames: readonly ApiStyleName[] = ['chat', 'responses']

/**
 * `/v1` is added where the path names no version of its own (`/v1`, `/api/v3`, `/v1beta/openai` do). A URL that ends
 * in `/chat/completions` or `/responses`, or has a query, is taken as the operator wrote it.
 */
function pathUnder(url: URL, style: ApiStyleName): string {
  const path = withoutSlash(url)
  if (path.endsWith(endings[style])) return path
  const other = styleNames.find((name) => path.endsWith(endings[name]))
  if (other !== undefined) return `${path.slice(0, -endings[other].length)}${endings[style]}`
  const hasVersion = path.split('/').some((segment) => /^v\d/.test(segment))
  return `${path}${hasVersion || url.search !== '' ? '' : '/v1'}${endings[style]}`
}

function withoutSlash(url: URL): string {
  return url.pathname.replace(/\/+$/, '')
}
