/** The real service with its first operator, and a signed-in browser: the start of most tests of pages. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type Browser as ApiClient, browser as apiClient } from '../../http/admin/auth/support/browser.ts'
import type { GatewayUnderTest } from '../../support/gateway.ts'
import { leaveChromium, sharedChromium, type WatchedPage, watchedPage } from './chromium.ts'
import { uiService } from './ui-service.ts'

export const ownerLogin = 'ada'
export const ownerPassword = 'correct horse battery'

export interface UiUnderTest {
  service: GatewayUnderTest
  chromium: Browser
  /** The owner without a browser, to create what pages show. */
  owner: ApiClient
  url: string
  /** Opens this path as the owner; records console errors and blocked content. */
  open(path: string, options?: BrowserContextOptions, expected?: readonly RegExp[]): Promise<WatchedPage>
  stop(): Promise<void>
}

export async function uiUnderTest(environment: Record<string, string> = {}): Promise<UiUnderTest> {
  const service = await uiService(environment)
  let chromium: Browser | undefined
  try {
    chromium = await sharedChromium()
    return await signedIn(service, chromium)
  } catch (error) {
    await stopBoth(service, chromium)
    throw error
  }
}

async function stopBoth(service: GatewayUnderTest, chromium: Browser | undefined): Promise<void> {
  try {
    if (chromium) await leaveChromium(chromium)
  } finally {
    await service.stop()
  }
}

async function signedIn(service: GatewayUnderTest, chromium: Browser): Promise<UiUnderTest> {
  const owner = apiClient(service)
  const created = await owner.post('/v1/admin/auth/setup', {
    code: service.gateway.setupCode ?? '',
    login: ownerLogin,
    name: 'Ada',
    password: ownerPassword,
  })
  if (created.status !== 201) throw new Error(`no first operator: ${JSON.stringify(created.body)}`)
  const url = `http://127.0.0.1:${service.gateway.uiPort}`
  return {
    service,
    chromium,
    owner,
    url,
    async open(path, options = {}, expected = []) {
      const watched = await watchedPage(chromium, options, expected)
      const [name = '', value = ''] = owner.cookie.split('=')
      await watched.context.addCookies([
        { name, value, domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Strict' },
      ])
      await watched.page.goto(`${url}${path}`)
      return watched
    },
    stop: () => stopBoth(service, chromium),
  }
}

/** Sets dark or light before the first paint. */
export async function inTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.addInitScript(`localStorage.setItem('mantine-color-scheme-value', '${theme}')`)
}
