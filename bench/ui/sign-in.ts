/** An operator of the measured service, and browsers that are theirs. */
import type { Browser, BrowserContext } from 'playwright-core'
import type { OurServer } from '../servers/ours.ts'

const login = 'bench'
const password = 'as long as it has to be'

type Cookie = Parameters<BrowserContext['addCookies']>[0][number]

/** The cookie of a session that has just begun. */
export async function signIn(server: OurServer, uiUrl: string): Promise<Cookie> {
  const api = `http://127.0.0.1:${server.endpoint.port}`
  const send = (path: string, headers: Record<string, string>, body: object) =>
    fetch(`${api}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const made = await send(
    '/v1/admin/operators',
    { authorization: `Bearer ${server.firstKey}` },
    { login, name: '', role: 'admin', password },
  )
  if (made.status !== 201 && made.status !== 409) throw new Error(`no operator: ${made.status} ${await made.text()}`)
  const session = await send('/v1/admin/auth/login', { origin: uiUrl }, { login, password })
  if (!session.ok) throw new Error(`not signed in: ${session.status} ${await session.text()}`)
  const [name = '', value = ''] = (session.headers.get('set-cookie') ?? '').split(';', 1)[0]?.split('=') ?? []
  return { name, value, domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Strict' }
}

/** With nothing in its cache. */
export async function freshContext(browser: Browser, cookie?: Cookie): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })
  if (cookie) await context.addCookies([cookie])
  return context
}
