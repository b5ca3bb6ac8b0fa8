/** The visual language on every page: heights, numbers, the one accent, violet, names instead of ids, words that are not cut. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from './support/chromium.ts'
import { comesTrue, go } from './support/navigation.ts'
import { pages } from './support/pages.ts'
import { addressOf, type Seeded, seed, seededEnvironment } from './support/seeded.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'
import { notAsDesigned } from './support/visual-faults.ts'

const views = [
  { name: 'English, 1440 px', locale: 'en-GB', viewport: { width: 1_440, height: 900 } },
  { name: 'Russian, 1440 px', locale: 'ru-RU', viewport: { width: 1_440, height: 900 } },
  { name: 'Russian, 390 px', locale: 'ru-RU', viewport: { width: 390, height: 844 } },
]

/** The widths of a phone, a tablet and a screen. */
const widths = [390, 768, 1_440]

describe.skipIf(chromiumPath === undefined)('the visual language', () => {
  let ui: UiUnderTest
  let seeded: Seeded
  beforeAll(async () => {
    ui = await uiUnderTest(seededEnvironment)
    seeded = await seed(ui)
  })
  afterAll(() => ui?.stop())

  it.each(views)(
    'is true on every page: $name',
    async ({ locale, viewport }) => {
      const { page, close } = await ui.open('/about', { locale, viewport, reducedMotion: 'reduce' })
      await page.getByRole('heading', { level: 1 }).waitFor()
      const found: string[] = []
      for (const { path } of pages) {
        // All states are shown there, violet too.
        if (path === '/components') continue
        await go(page, addressOf(path, seeded))
        for (const finding of await notAsDesigned(page)) found.push(`${path}: ${finding}`)
        if (viewport.width === 390) continue
        for (const width of widths) {
          await page.setViewportSize({ width, height: viewport.height })
          const fits = `[document.documentElement, document.querySelector('main')].every((one) => one.scrollWidth <= one.clientWidth)`
          if (!(await comesTrue(page, fits, 3_000))) found.push(`${path}: scrolls sideways at ${width} px`)
        }
        await page.setViewportSize(viewport)
      }
      expect(found).toEqual([])
      await close()
    },
    240_000,
  )
})
