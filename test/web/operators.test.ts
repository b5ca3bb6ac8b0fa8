/** Operators in a real browser: created, changed, disabled, and without actions that the service would refuse. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browser as apiClient } from '../http/admin/auth/support/browser.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { ownerLogin, ownerPassword, type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

/** Chromium's console line for a refused request. */
const answered = /Failed to load resource: the server responded with a status of 40[0139]/

describe.skipIf(chromiumPath === undefined)('the page on operators', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_MODERATION: 'off' })
  })
  afterAll(() => ui?.stop())

  it('creates an operator who sets the password by a link, changes the role, resets the password, disables and deletes', async () => {
    const { page, consoleErrors, close } = await ui.open('/operators', {}, [answered])
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'New operator' }).click()
    await dialog.getByLabel(/^Login/).fill(ownerLogin)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('This login is taken.').waitFor()
    await dialog.getByLabel(/^Login/).fill('grace')
    await dialog.getByLabel(/^Name/).fill('Grace')
    await dialog.getByLabel('Role').selectOption('auditor')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const first = (await dialog.getByRole('region', { name: 'One-time link' }).textContent()) ?? ''
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await setPassword(first, 'the first password')
    const grace = apiClient(ui.service)
    expect((await grace.signIn('grace', 'the first password')).body['role']).toBe('auditor')

    await page.getByRole('row', { name: /grace/ }).click()
    await dialog.getByLabel('Role').selectOption('operator')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('row', { name: /grace/ }).getByText('operator', { exact: true }).waitFor()
    expect((await grace.get('/v1/admin/auth/session')).body['role']).toBe('operator')

    await dialog.getByRole('button', { name: 'Reset the password' }).click()
    await dialog.getByRole('button', { name: 'Reset the password' }).click()
    const second = (await dialog.getByRole('region', { name: 'One-time link' }).textContent()) ?? ''
    expect(second).not.toBe(first)
    expect((await grace.get('/v1/admin/auth/session')).status).toBe(401)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await setPassword(second, 'the second password')
    expect((await grace.signIn('grace', 'the second password')).status).toBe(200)

    await dialog.getByRole('button', { name: 'Disable' }).click()
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await dialog.getByRole('button', { name: 'Enable' }).waitFor()
    expect((await grace.signIn('grace', 'the second password')).status).toBe(401)
    await dialog.getByRole('button', { name: 'Enable' }).click()
    await dialog.getByRole('button', { name: 'Disable' }).waitFor()

    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('row', { name: /grace/ }).waitFor({ state: 'detached' })
    expect(consoleErrors).toEqual([])
    await close()
  })

  /** In a page of its own, as the person would: then the link is used up. */
  async function setPassword(link: string, password: string): Promise<void> {
    const { pathname, hash } = new URL(link)
    const { page, consoleErrors, close } = await ui.open(pathname + hash, {}, [answered])
    await page.getByLabel(/^New password/).fill(password)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Set your password' }).click()
    await page.getByText('The password of grace is set.').waitFor()
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByLabel(/^New password/).fill('yet another password')
    await page.getByRole('button', { name: 'Set your password' }).click()
    await page.getByText('This link was used').waitFor()
    await page.getByRole('button', { name: 'Русский' }).click()
    await page.getByText('Ссылка использована').waitFor()
    await page.getByRole('button', { name: 'English' }).click()
    expect(consoleErrors).toEqual([])
    await close()
  }

  it('offers an admin no action on an owner, and nobody any on themselves', async () => {
    const password = 'a long enough password'
    await ui.owner.post('/v1/admin/operators', { login: 'admin', role: 'admin', password })
    await ui.owner.signIn('admin', password)
    const { page, consoleErrors, close } = await ui.open('/operators')
    await page.getByRole('row', { name: /ada/ }).click()
    await page.getByText('Only an owner can change an owner.').waitFor()
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('row', { name: /admin \(you\)/ }).click()
    await page.getByText('This is you.').waitFor()
    const dialog = page.getByRole('dialog')
    for (const name of ['Delete', 'Disable']) expect(await dialog.getByRole('button', { name }).count(), name).toBe(0)
    expect(await dialog.getByLabel('Role').count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'New operator' }).click()
    const roles = page.getByRole('dialog').getByLabel('Role').getByRole('option')
    expect(await roles.allTextContents()).toEqual(['admin', 'operator', 'auditor', 'user'])
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('switches to another workspace, and shows its operators', async () => {
    await ui.owner.signIn(ownerLogin, ownerPassword)
    const created = await ui.owner.post('/v1/admin/workspaces', { name: 'Second shop' })
    expect(created.status).toBe(201)
    const { page, consoleErrors, close } = await ui.open('/operators', {}, [answered])
    await page.getByRole('row', { name: /admin/ }).waitFor()
    await page.getByRole('button', { name: /^Workspace / }).click()
    await page.getByRole('menuitem', { name: 'Second shop' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.getByRole('link', { name: 'People and sign-in' }).click()
    await page.getByRole('row', { name: /ada \(you\)/ }).waitFor()
    expect(await page.getByRole('row', { name: /admin/ }).count()).toBe(0)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('works in Russian, in the dark, on a narrow screen', async () => {
    await ui.owner.signIn(ownerLogin, ownerPassword)
    const { page, consoleErrors, close } = await ui.open('/operators', {
      locale: 'ru-RU',
      colorScheme: 'dark',
      viewport: { width: 390, height: 800 },
    })
    await page.getByText('владелец', { exact: true }).waitFor()
    await page.getByRole('row', { name: /admin/ }).click()
    await page.getByRole('button', { name: 'Сбросить пароль' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Новый оператор' }).click()
    await page.getByRole('dialog').getByText('Пусто: его задаст сам оператор').waitFor()
    await expectAccessible(page)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
