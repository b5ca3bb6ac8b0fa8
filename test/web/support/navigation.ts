/** From page to page within the UI, as its own links go: nothing is loaded twice. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** The network never rests: feeds stay open. What a page still waits for it shows. */
const stillLoading = '[aria-busy=true], .mantine-Loader-root, .mantine-Skeleton-root'

/** Looks in the page itself until it is so. The page's own policy lets nothing be looked at by a text that is evaluated there. */
export function comesTrue(page: Page, condition: string, limitMs = 10_000): Promise<boolean> {
  return page.evaluate<boolean>(`new Promise((resolve) => {
    const end = performance.now() + ${limitMs}
    const look = () => {
      const isSo = ${condition}
      if (isSo || performance.now() > end) resolve(isSo)
      else setTimeout(look, 10)
    }
    look()
  })`)
}

/** As a click in the menu does: within the page that is there. Waits until what it shows is another page's, and complete. */
export async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(`document.querySelector('h1')?.setAttribute('data-before', '')
    history.pushState({}, '', '${path}')`)
  const isShown = await comesTrue(
    page,
    `document.querySelector('h1:not([data-before])') !== null && document.querySelector('${stillLoading}') === null`,
  )
  expect(isShown, `${path} is shown, and complete`).toBe(true)
}
