/** Every page of the menu, in both themes, both languages, wide and narrow: there, accessible, and without a complaint. */
import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { roleMay, roles } from '../../src/http/auth/permissions.ts'
import { browser as apiClient } from '../http/admin/auth/support/browser.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { pages } from './support/pages.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

const inMenu = pages.filter((page) => page.menu)

const views: { name: string; options: BrowserContextOptions; language: 'en' | 'ru' }[] = [
  {
    name: 'light, English, wide',
    language: 'en',
    options: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  },
  {
    name: 'dark, Russian, narrow',
    language: 'ru',
    options: { viewport: { width: 390, height: 844 }, colorScheme: 'dark', locale: 'ru-RU' },
  },
]

/** The network never rests: feeds stay open. What a page still waits for it shows. */
const stillLoading = '[aria-busy=true], .mantine-Loader-root, .mantine-Skeleton-root'

describe.skipIf(chromiumPath === undefined)('every page', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_MODERATION: 'off' })
  })
  afterAll(() => ui?.stop())

  it.each(views)(
    'has its heading, no serious barrier, no complaint and no sideways scrolling: $name',
    async ({ options, language }) => {
      const { page, troubles, close } = await ui.open('/', options)
      for (const { path, menu } of inMenu) {
        await page.goto(`${ui.url}${path}`)
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await expect.poll(() => page.locator(stillLoading).count(), { message: path, timeout: 10_000 }).toBe(0)
        expect(await page.title(), path).not.toBe('Agent Platform')
        await expectAccessible(page)
        const width = await page.evaluate<number>('document.documentElement.scrollWidth')
        expect(width, `${path} scrolls sideways`).toBeLessThanOrEqual(options.viewport?.width ?? 0)
        expect(menu?.title[language].length).toBeGreaterThan(0)
      }
      expect(troubles).toEqual([])
      await close()
    },
    120_000,
  )

  it('is in the menu of those roles that may see it, and of no others', async () => {
    for (const role of roles.filter((one) => one !== 'owner')) {
      const login = `a-${role}`
      const password = 'a long enough password'
      const made = await ui.owner.post('/v1/admin/operators', { login, name: '', role, password })
      expect(made.status).toBe(201)
      const client = apiClient(ui.service)
      await client.signIn(login, password)
      const { page, context, close } = await ui.open('/about:blank')
      const [name = '', value = ''] = client.cookie.split('=')
      await context.addCookies([{ name, value, domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Strict' }])
      await page.goto(`${ui.url}/`)
      await page.getByRole('banner').waitFor()
      const shown = await page.getByRole('navigation').first().getByRole('link').allTextContents()
      const expected = inMenu.filter(({ permission }) => roleMay(role, permission)).map(({ menu }) => menu?.title.en)
      expect(shown.map((text) => text.trim()).sort(), role).toEqual(expected.sort())
      await close()
    }
  }, 60_000)
})
