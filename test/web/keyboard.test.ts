/** The main uses by the keyboard alone, from signing in to a decision; where the focus is can be seen at every stop. */
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answer } from '../actors/turn/support/agents.ts'
import { chromiumPath, watchedPage } from './support/chromium.ts'
import { menuOf } from './support/navigation.ts'
import { seed, seededEnvironment } from './support/seeded.ts'
import { ownerLogin, ownerPassword, type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

/** Chromium's line for the first look at the session, before anybody has signed in. */
const answered = /Failed to load resource: the server responded with a status of 401/
const stopsMax = 80

/** In the page: what has the focus, if nothing around it shows that; a field's ring is that of its frame. */
const unseenFocus = `(() => {
  const element = document.activeElement
  const looks = () => [element, element.parentElement].map((one) => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor } = getComputedStyle(one)
    return [outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor].join(' ')
  }).join()
  const { width, height } = element.getBoundingClientRect()
  const focused = looks()
  element.blur()
  const isSeen = width > 0 && height > 0 && looks() !== focused
  element.focus({ preventScroll: true, focusVisible: true })
  return element === document.body || isSeen ? '' : element.outerHTML.slice(0, 200)
})()`

const hasFocus = async (target: Locator): Promise<boolean> =>
  (await target.and(target.page().locator(':focus')).count()) === 1

/** Tab, until this has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let stops = 0; stops < stopsMax; stops++) {
    if (await hasFocus(target)) return
    await page.keyboard.press('Tab')
    expect(await page.evaluate(unseenFocus), 'has the focus and does not show it').toBe('')
  }
  expect.fail(`not reached by Tab: ${target}`)
}

describe.skipIf(chromiumPath === undefined)('by the keyboard alone', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest(seededEnvironment)
    await seed(ui)
  })
  afterAll(() => ui?.stop())

  it('one signs in, moves by menu and palette, reads a list, and decides what waits', async () => {
    const { page, consoleErrors, close } = await watchedPage(ui.chromium, {}, [answered])
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true })
    const { keyboard } = page
    await page.goto(ui.url)
    await page.getByLabel('Login').waitFor()
    await tabTo(page, page.getByLabel('Login'))
    await keyboard.type(ownerLogin)
    await tabTo(page, page.getByRole('textbox', { name: 'Password' }))
    await keyboard.type(ownerPassword)
    await keyboard.press('Enter')
    await heading('Overview').waitFor()

    // The first stop skips the menu.
    await page.reload()
    await heading('Overview').waitFor()
    await keyboard.press('Tab')
    expect(await hasFocus(page.getByRole('link', { name: 'Skip to content' }))).toBe(true)
    await keyboard.press('Enter')
    expect(await hasFocus(page.locator('#content'))).toBe(true)

    await page.reload()
    await tabTo(page, menuOf(page).getByRole('link', { name: 'Turns' }))
    await keyboard.press('Enter')
    await heading('Turns').waitFor()

    await keyboard.press('Control+k')
    const palette = page.getByRole('dialog')
    await palette.waitFor()
    await keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
    await expect.poll(() => hasFocus(menuOf(page).getByRole('link', { name: 'Turns' }))).toBe(true)
    await keyboard.press('Control+k')
    await palette.waitFor()
    await keyboard.type('deliveries')
    await palette
      .getByRole('option', { name: /^Deliveries/ })
      .first()
      .waitFor()
    await keyboard.press('Enter')
    await heading('Deliveries').waitFor()

    const list = page.getByRole('region', { name: 'Deliveries' })
    await list.waitFor()
    await tabTo(page, list)
    await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    const pane = page.getByRole('complementary', { name: 'Delivery' })
    await pane.getByText('To', { exact: true }).waitFor()
    await keyboard.press('Escape')
    await pane.waitFor({ state: 'detached' })
    await expect.poll(() => hasFocus(list)).toBe(true)

    await tabTo(page, page.getByRole('button', { name: 'Cancel all…' }))
    await keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Cancel all that match' })
    await dialog.getByText('1 delivery will be cancelled.').waitFor()
    await tabTo(page, dialog.getByRole('button', { name: 'Cancel', exact: true }))
    await keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => hasFocus(page.getByRole('button', { name: 'Cancel all…' }))).toBe(true)

    await keyboard.press('g')
    await keyboard.press('a')
    await heading('Approvals').waitFor()
    const approve = page.getByRole('button', { name: 'Approve' })
    await approve.waitFor()
    await keyboard.press('r')
    await page.getByLabel('Reason').waitFor()
    await keyboard.press('Escape')
    await approve.waitFor()
    await keyboard.press('a')
    await expect.poll(() => hasFocus(approve)).toBe(true)
    expect(await page.evaluate(unseenFocus)).toBe('')
    // Nothing is decided by one key: another of them is for something else.
    await keyboard.press('r')
    await keyboard.type('no receipt')
    ui.service.endpoint.script(answer('I may not pay that back.'))
    await keyboard.press('Enter')
    await expect
      .poll(async () => (await ui.owner.get('/v1/admin/approvals')).body['items'])
      .toMatchObject([{ status: 'refused', reason: 'no receipt' }])

    // What comes next has the focus.
    const unknown = page.getByRole('region', { name: /took effect/ })
    await unknown.waitFor()
    await expect.poll(() => hasFocus(unknown)).toBe(true)
    await tabTo(page, page.getByRole('button', { name: 'It did not' }))
    await keyboard.press('Enter')
    await page.getByText('Nothing waits for a decision.').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })
})
