/** Every page, in both languages and both themes, wide and narrow: reachable, accessible, and without console errors. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { violationsOf } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { comesTrue, go } from './support/navigation.ts'
import { type ListedPage, pages } from './support/pages.ts'
import { addressOf, type Seeded, seed, seededEnvironment } from './support/seeded.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

interface Appearance {
  theme: 'light' | 'dark'
  viewport: { width: number; height: number }
}

const wide = { width: 1280, height: 900 }
const narrow = { width: 380, height: 844 }

/** Both languages with both themes and widths; together they cover each theme in each width. */
const views: { name: string; language: 'en' | 'ru'; locale: string; appearances: Appearance[] }[] = [
  {
    name: 'English, light and wide, dark and narrow',
    language: 'en',
    locale: 'en-GB',
    appearances: [
      { theme: 'light', viewport: wide },
      { theme: 'dark', viewport: narrow },
    ],
  },
  {
    name: 'Russian, dark and wide, light and narrow',
    language: 'ru',
    locale: 'ru-RU',
    appearances: [
      { theme: 'dark', viewport: wide },
      { theme: 'light', viewport: narrow },
    ],
  },
]

/** The addresses of all pages, including those that are not in the list. */
function addresses(seeded: Seeded): { path: string; title?: ListedPage['title'] }[] {
  const listed = pages.map(({ path, title }) => ({
    path: addressOf(path, seeded),
    // A page of one thing is called after the thing.
    ...(!path.includes('$') && { title }),
  }))
  expect(listed.filter(({ path }) => path.includes('$'))).toEqual([])
  return [...listed, { path: '/agents/new' }, { path: '/channels/_new' }, { path: '/nowhere' }]
}

/** Waits until transitions after a resize have ended. */
async function expectNoSidewaysScrolling(page: Page, path: string): Promise<void> {
  const fits = `[document.documentElement, document.querySelector('main')].every((one) => one.scrollWidth <= one.clientWidth)`
  expect(await comesTrue(page, fits, 3_000), `${path} fits`).toBe(true)
}

async function applyAppearance(page: Page, { theme, viewport }: Appearance): Promise<void> {
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme: theme })
  await page.locator(`html[data-mantine-color-scheme=${theme}]`).waitFor()
}

describe.skipIf(chromiumPath === undefined)('every page', () => {
  let ui: UiUnderTest
  let seeded: Seeded
  beforeAll(async () => {
    ui = await uiUnderTest(seededEnvironment)
    seeded = await seed(ui)
  })
  afterAll(() => ui?.stop())

  it.concurrent.each(views)(
    'is there, accessible, scrolls nowhere sideways and complains of nothing: $name',
    async ({ language, locale, appearances }) => {
      const { page, consoleErrors, close } = await ui.open('/about', { locale, reducedMotion: 'reduce' })
      await page.getByRole('heading', { level: 1 }).waitFor()
      const violations: string[] = []
      let ordered = appearances
      for (const { path, title } of addresses(seeded)) {
        await go(page, path)
        if (title) expect(await page.title(), path).toContain(title[language])
        for (const appearance of ordered) {
          await applyAppearance(page, appearance)
          for (const violation of await violationsOf(page)) violations.push(`${path}: ${violation}`)
          await expectNoSidewaysScrolling(page, path)
        }
        // The next page starts in the view in which this one ended, which saves a resize.
        ordered = ordered.toReversed()
      }
      expect([...new Set(violations)]).toEqual([])
      expect(consoleErrors).toEqual([])
      await close()
    },
    240_000,
  )
})
