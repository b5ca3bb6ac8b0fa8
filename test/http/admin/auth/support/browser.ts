/** A browser as far as HTTP goes: keeps its cookie, sends its origin, and the token that goes with writes. */
import type { GatewayUnderTest } from '../../../../support/gateway.ts'

export interface Answered {
  status: number
  // Tests look at what they expect in it.
  body: Record<string, unknown>
  headers: Headers
}

export interface Browser {
  /** `name=value`; empty before the first login. */
  cookie: string
  readonly uiOrigin: string
  get(path: string, headers?: Record<string, string>): Promise<Answered>
  /** From a page of the admin UI, unless `headers` says otherwise; an empty header is not sent. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answered>
  raw(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
  /** @param more a second factor */
  signIn(login: string, password: string, more?: object): Promise<Answered>
  /** Of a session that was begun elsewhere. */
  takeOver(other: Browser): void
  readonly csrf: string
}

/** @param from another page than the admin UI's own, and headers that go with every request */
export function browser(
  service: GatewayUnderTest,
  from: { origin?: string; headers?: Record<string, string> } = {},
): Browser {
  const uiOrigin = from.origin ?? `http://127.0.0.1:${service.gateway.uiPort}`
  let csrf = ''

  async function answered(response: Response): Promise<Answered> {
    const text = await response.text()
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>)
    const set = response.headers.get('set-cookie')
    if (set) it.cookie = set.split(';', 1)[0] ?? ''
    if (typeof body['csrf_token'] === 'string') csrf = body['csrf_token']
    return { status: response.status, body, headers: response.headers }
  }

  function send(method: string, path: string, body: unknown, more: Record<string, string>): Promise<Response> {
    const headers = {
      ...{ cookie: it.cookie, origin: uiOrigin, 'x-csrf-token': csrf },
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...from.headers,
      ...more,
    }
    return fetch(`${service.url}${path}`, {
      method,
      headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== '')),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }

  const it: Browser = {
    cookie: '',
    uiOrigin,
    get: async (path, headers = {}) => answered(await send('GET', path, undefined, headers)),
    post: async (path, body, headers = {}) => answered(await send('POST', path, body, headers)),
    raw: (path, body, headers = {}) => send('POST', path, body, headers),
    signIn: (login, password, more = {}) => it.post('/v1/admin/auth/login', { login, password, ...more }),
    takeOver(other) {
      it.cookie = other.cookie
      csrf = other.csrf
    },
    get csrf() {
      return csrf
    },
  }
  return it
}
