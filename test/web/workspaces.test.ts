/** Workspaces in a real browser: created, switched to, renamed, shared; each operator sees only their own. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browser as apiClient } from '../http/admin/auth/support/browser.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { ownerLogin, ownerPassword, type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

/** Chromium's console line for a refused request. */
const answered = /Failed to load resource: the server responded with a status of 40[0139]/
const password = 'a long enough password'

/** By the switch at the top left. */
async function openAllWorkspaces(page: Page): Promise<void> {
  await page
    .getByRole('banner')
    .getByRole('button', { name: /^Workspace / })
    .click()
  await page.getByRole('menuitem', { name: 'All workspaces' }).click()
}

describe.skipIf(chromiumPath === undefined)('workspaces', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_MODERATION: 'off' })
    await ui.owner.post('/v1/admin/operators', { login: 'grace', role: 'auditor', password })
  })
  afterAll(() => ui?.stop())

  it('are created by an owner, switched to, renamed, and shared with another operator', async () => {
    const { page, consoleErrors, close } = await ui.open('/workspaces', {}, [answered])
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'New workspace' }).click()
    await dialog.getByLabel('Name').fill('Second shop')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('“Second shop” is created, and you own it.', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Go there' }).click()

    await page.getByText('their roles in the workspace “Second shop”', { exact: false }).waitFor()
    await page.getByRole('banner').getByText('Second shop', { exact: true }).waitFor()
    await page.getByRole('row', { name: /ada \(you\)/ }).waitFor()
    expect(await page.getByRole('row', { name: /grace/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Add by login' }).click()
    await dialog.getByLabel('Login').fill('grace')
    await dialog.getByLabel('Role').selectOption('admin')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('row', { name: /grace/ }).getByText('admin', { exact: true }).waitFor()

    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText('This belongs to the whole installation', { exact: false }).waitFor()

    await openAllWorkspaces(page)
    const here = page.getByRole('row', { name: /You are here/ })
    await here.getByRole('button', { name: 'Rename' }).click()
    await dialog.getByLabel('Name').fill('Third shop')
    await dialog.getByRole('button', { name: 'Rename' }).click()
    await here.getByText('Third shop').waitFor()
    await page.getByRole('banner').getByText('Third shop', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Rename' }).count()).toBe(1)
    await page.getByRole('button', { name: 'Go to default' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await openAllWorkspaces(page)
    await page
      .getByRole('row', { name: /default/ })
      .getByText('You are here')
      .waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('are shown to others by their roles; in Russian, in the dark, on a narrow screen', async () => {
    await ui.owner.signIn(ownerLogin, ownerPassword)
    const created = await ui.owner.post('/v1/admin/workspaces', { name: 'Not for grace' })
    expect(created.status).toBe(201)
    const grace = apiClient(ui.service)
    await grace.signIn('grace', password)
    const { page, context, consoleErrors, close } = await ui.open(
      '/account',
      { locale: 'ru-RU', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
      [answered],
    )
    const [name = '', value = ''] = grace.cookie.split('=')
    await context.addCookies([{ name, value, domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Strict' }])
    await page.goto(`${ui.url}/workspaces`)
    await page
      .getByRole('row', { name: /default/ })
      .getByText('аудитор', { exact: true })
      .waitFor()
    await page
      .getByRole('row', { name: /Third shop/ })
      .getByText('администратор', { exact: true })
      .waitFor()
    expect(await page.getByText('Not for grace').count()).toBe(0)
    for (const deed of ['Новое пространство', 'Переименовать'])
      expect(await page.getByRole('button', { name: deed }).count(), deed).toBe(0)
    await expectAccessible(page)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await page.getByRole('button', { name: 'Перейти: Third shop' }).click()
    await page.getByRole('heading', { name: 'Обзор' }).waitFor()
    await page.goto(`${ui.url}/workspaces`)
    await page
      .getByRole('row', { name: /Third shop/ })
      .getByRole('button', { name: 'Переименовать' })
      .waitFor()
    expect(await page.getByRole('button', { name: 'Новое пространство' }).count()).toBe(0)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
