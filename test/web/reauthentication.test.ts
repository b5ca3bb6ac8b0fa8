/** A session that ends during work, in a real browser: background requests do not prompt again, and nothing of one operator reaches another. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chromiumPath } from './support/chromium.ts'
import { endSessionsAt } from './support/end-sessions.ts'
import { ownerLogin, ownerPassword, type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

/** Chromium's console line for a refused request. */
const answered = /Failed to load resource: the server responded with a status of 40[13]/

describe.skipIf(chromiumPath === undefined)('a session that ends during work', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_MODERATION: 'off' })
  })
  afterAll(() => ui?.stop())

  /** As when the operator returns to the tab: the visible data is refetched. */
  async function refetchVisible(page: Page): Promise<void> {
    const refused = page.waitForResponse((response) => response.status() === 401)
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`)
    await refused
  }

  it('does not prompt again after a refusal until the operator acts', async () => {
    const { page, consoleErrors, close } = await ui.open('/settings', {}, [answered])
    await page.getByRole('searchbox').waitFor()
    await endSessionsAt('listingKeys', ui, page)
    await page.getByRole('link', { name: 'API keys' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in' })
    await dialog.waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    await refetchVisible(page)
    await refetchVisible(page)
    expect(await dialog.count()).toBe(0)
    await page.getByRole('heading', { name: 'API keys' }).click()
    await refetchVisible(page)
    await dialog.waitFor()
    await dialog.locator('input[name=password]').fill(ownerPassword)
    const keys = page.waitForResponse((response) => response.url().includes('/apikeys') && response.ok())
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await keys
    expect(consoleErrors).toEqual([])
    await close()
    await ui.owner.signIn(ownerLogin, ownerPassword)
  })

  it('clears unsaved input in every tab when the operator signs out', async () => {
    const { page, context, consoleErrors, close } = await ui.open('/playground')
    const other = await context.newPage()
    const storedText = '[...Object.values(sessionStorage)].join()'
    for (const [tab, words] of [
      [page, 'between us'],
      [other, 'between us too'],
    ] as const) {
      await tab.goto(`${ui.url}/playground`)
      await tab.getByLabel('Message').fill(words)
      await expect.poll(() => tab.evaluate<string>(storedText)).toContain(words)
    }
    // Not stored yet when the session ends.
    await page.getByLabel('Message').fill('between us, in the last moment')
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    for (const tab of [page, other]) {
      await tab.getByRole('heading', { name: 'Sign in' }).waitFor()
      await expect.poll(() => tab.evaluate<string>(storedText)).not.toContain('between us')
    }
    await other.getByText('You signed out in another tab.').waitFor()
    expect(await page.getByText('You signed out in another tab.').count()).toBe(0)
    expect(consoleErrors).toEqual([])
    await close()
    await ui.owner.signIn(ownerLogin, ownerPassword)
  })

  it('starts over for another operator, and sends nothing of the previous one', async () => {
    const created = await ui.owner.post('/v1/admin/operators', {
      login: 'grace',
      name: 'Grace',
      role: 'admin',
      password: 'another horse battery',
    })
    expect(created.status, JSON.stringify(created.body)).toBe(201)
    const { page, consoleErrors, close } = await ui.open('/settings?q=SERVICE_TIMEZONE', {}, [answered])
    await page.getByRole('region', { name: 'SERVICE_TIMEZONE' }).getByRole('textbox').fill('Europe/Berlin')
    page.on('dialog', (question) => void question.accept())
    await endSessionsAt('saving', ui, page)
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    const login = page.getByRole('dialog', { name: 'Sign in' })
    await login.locator('input[name=username]').fill('grace')
    await login.locator('input[name=password]').fill('another horse battery')
    await login.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByText('Grace · admin').waitFor()
    const stored = await ui.service.db.system`select value from settings where key = 'SERVICE_TIMEZONE'`
    expect(stored).toEqual([])
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('can be signed out of without another prompt', async () => {
    await ui.owner.signIn(ownerLogin, ownerPassword)
    const { page, consoleErrors, close } = await ui.open('/settings', {}, [answered])
    await page.getByRole('searchbox').waitFor()
    await endSessionsAt('signingOut', ui, page)
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
