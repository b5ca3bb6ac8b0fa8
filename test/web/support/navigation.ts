/** Navigation between pages as the UI's own links do it, without a reload. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** The network never becomes idle because feeds stay open, so this checks what the page marks as loading. */
const stillLoading = '[aria-busy=true], .mantine-Loader-root, .mantine-Skeleton-root'

/** Polls inside the page until the condition holds. `waitForFunction` would need eval, which the page's policy forbids. */
export function comesTrue(page: Page, condition: string, limitMs = 30_000): Promise<boolean> {
  return page.evaluate<boolean>(`new Promise((resolve) => {
    const end = performance.now() + ${limitMs}
    const poll = () => {
      const isSo = ${condition}
      if (isSo || performance.now() > end) resolve(isSo)
      else setTimeout(poll, 10)
    }
    poll()
  })`)
}

/** As a click in the menu does, without a reload. Waits until the other page is shown and loaded. */
export async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(`document.querySelector('h1')?.setAttribute('data-before', '')
    history.pushState({}, '', '${path}')`)
  const isShown = await comesTrue(
    page,
    `document.querySelector('h1:not([data-before])') !== null && document.querySelector('${stillLoading}') === null`,
  )
  expect(isShown, `${path} is shown, and complete`).toBe(true)
}

/** The menu at the left. */
export const menuOf = (page: Page) => page.getByRole('navigation', { name: 'Menu' })
