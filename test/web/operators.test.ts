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
    const pane = page.getByRole('complementary', { name: 'Operator' })
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
    await pane.getByLabel('Role').selectOption('operator')
    await expectAccessible(page)
    await pane.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('row', { name: /grace/ }).getByText('operator', { exact: true }).waitFor()
    expect((await grace.get('/v1/admin/auth/session')).body['role']).toBe('operator')

    await pane.getByRole('button', { name: 'Reset the password' }).click()
    await dialog.getByRole('button', { name: 'Reset the password' }).click()
    const second = (await dialog.getByRole('region', { name: 'One-time link' }).textContent()) ?? ''
    expect(second).not.toBe(first)
    expect((await grace.get('/v1/admin/auth/session')).status).toBe(401)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await setPassword(second, 'the second password')
    expect((await grace.signIn('grace', 'the second password')).status).toBe(200)

    await pane.getByRole('button', { name: 'Disable' }).click()
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await pane.getByRole('button', { name: 'Enable' }).waitFor()
    expect((await grace.signIn('grace', 'the second password')).status).toBe(401)
    await pane.getByRole('button', { name: 'Enable' }).click()
    await pane.getByRole('button', { name: 'Disable' }).waitFor()

    await pane.getByRole('button', { name: 'Delete' }).click()
    // Nobody asks for an operator who is being deleted, and not after.
    const asked: string[] = []
    let isDeleting = false
    page.on('request', (request) => {
      isDeleting ||= request.url().endsWith('/operators/delete')
      if (isDeleting && /operators\/oper/.test(request.url())) asked.push(request.url())
    })
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('row', { name: /grace/ }).waitFor({ state: 'detached' })
    expect(asked).toEqual([])
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
    const pane = page.getByRole('complementary', { name: 'Operator' })
    expect(await pane.getByRole('button', { name: 'Delete' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('row', { name: /admin \(you\)/ }).click()
    await page.getByText('This is you.').waitFor()
    for (const name of ['Delete', 'Disable']) expect(await pane.getByRole('button', { name }).count(), name).toBe(0)
    expect(await pane.getByLabel('Role').count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'New operator' }).click()
    const roles = page.getByRole('dialog').getByLabel('Role').getByRole('option')
    await roles.first().waitFor({ state: 'attached' })
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

  it('are found by filters that stand in the address; what was typed about one stays while others are opened', async () => {
    await ui.owner.signIn(ownerLogin, ownerPassword)
    for (const login of ['kim', 'lee']) {
      const body = { login, name: `Person ${login}`, role: 'operator', password: 'a long enough password' }
      expect((await ui.owner.post('/v1/admin/operators', body)).status).toBe(201)
    }
    const { page, consoleErrors, close } = await ui.open('/operators?q=PERSON')
    const kim = page.getByRole('row', { name: /Person kim/ })
    await kim.waitFor()
    expect(await page.getByRole('row').count()).toBe(3)
    // What happens elsewhere is told by the feed.
    const late = { login: 'max', name: 'Person max', role: 'user', password: 'a long enough password' }
    const { body: max } = await ui.owner.post('/v1/admin/operators', late)
    await page.getByRole('row', { name: /Person max/ }).waitFor()
    expect((await ui.owner.post('/v1/admin/operators/delete', { operator_id: max['id'] })).status).toBe(200)
    await page.getByRole('row', { name: /Person max/ }).waitFor({ state: 'detached' })
    expect((await kim.boundingBox())?.height).toBe(34)
    await page.getByRole('button', { name: 'Without a second factor' }).click()
    await kim.waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).fill('person')
    await expect.poll(() => page.getByRole('row').count(), { timeout: 10_000 }).toBe(3)
    await kim.click()
    const pane = page.getByRole('complementary', { name: 'Operator' })
    await pane.getByLabel(/^Name/).fill('Kim of the night')
    await page.getByRole('region', { name: 'Operators' }).focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => pane.getByLabel(/^Name/).inputValue()).toBe('Person lee')
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => pane.getByLabel(/^Name/).inputValue()).toBe('Kim of the night')
    const id = new URL(page.url()).searchParams.get('operator') ?? ''
    await ui.owner.post('/v1/admin/operators/update', { operator_id: id, role: 'auditor' })
    await pane.getByLabel('Role').selectOption({ label: 'auditor' })
    await pane.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('row', { name: /Person kim/ }).waitFor({ state: 'detached' })
    await page.reload()
    await pane.getByRole('heading', { name: 'Kim of the night' }).waitFor()
    await pane.getByRole('button', { name: 'Close' }).click()
    await pane.waitFor({ state: 'detached' })

    await page.getByRole('searchbox', { name: 'Search' }).fill('nobody')
    await page.getByText('No operator fits these filters').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Clear 2 filters' }).click()
    await page.getByRole('row', { name: /ada \(you\)/ }).waitFor()
    // What was typed and typed back is nothing to be asked about.
    await page.getByRole('row', { name: /Person lee/ }).click()
    await pane.getByLabel(/^Name/).fill('Somebody else')
    await pane.getByLabel('Role').selectOption('auditor')
    await pane.getByLabel(/^Name/).fill('Person lee')
    await pane.getByLabel('Role').selectOption('operator')
    page.on('dialog', (question) => expect.fail(question.message()))
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('a filter in the address that is none is refused with its name, and can be cleared', async () => {
    await ui.owner.signIn(ownerLogin, ownerPassword)
    const { page, consoleErrors, close } = await ui.open('/operators?disabled=perhaps', {}, [answered])
    await page.getByRole('alert').getByText('disabled', { exact: false }).first().waitFor()
    await page.getByRole('button', { name: 'Clear Status' }).click()
    await page.getByRole('row', { name: /ada \(you\)/ }).waitFor()
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
    await page.getByRole('complementary', { name: 'Оператор' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Новый оператор' }).click()
    await page.getByRole('dialog').getByText('Пусто: его задаст сам оператор').waitFor()
    await expectAccessible(page)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
