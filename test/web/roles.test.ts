/** Each role in a real browser: it signs in, does its work, is offered nothing else, and sees why a page is forbidden. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Role, roleMay, roles } from '../../http/auth/permissions.ts'
import { answer } from '../actors/turn/support/agents.ts'
import { chromiumPath, type WatchedPage, watchedPage } from './support/chromium.ts'
import { go, menuOf } from './support/navigation.ts'
import { menuTitles, pages } from './support/pages.ts'
import { addressOf, type Seeded, seed, seededEnvironment } from './support/seeded.ts'
import { ownerLogin, ownerPassword, type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

/** Chromium's console line for a refused request: nobody is signed in yet, or the role lacks the permission. */
const answered = /Failed to load resource: the server responded with a status of 40[13]/
const password = 'a long enough password'

describe.skipIf(chromiumPath === undefined)('the role', () => {
  let ui: UiUnderTest
  let seeded: Seeded
  beforeAll(async () => {
    ui = await uiUnderTest(seededEnvironment)
    seeded = await seed(ui)
    for (const role of roles.filter((one) => one !== 'owner')) {
      const created = await ui.owner.post('/v1/admin/operators', { login: role, name: '', role, password })
      expect(created.status).toBe(201)
    }
  })
  afterAll(() => ui?.stop())

  /** Signs in by the form, and expects exactly these pages in the menu. */
  async function signedIn(role: Role): Promise<WatchedPage> {
    const watched = await watchedPage(ui.chromium, {}, [answered])
    const { page } = watched
    await page.goto(ui.url)
    await page.getByLabel('Login').fill(role === 'owner' ? ownerLogin : role)
    await page
      .getByLabel('Password')
      .first()
      .fill(role === 'owner' ? ownerPassword : password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('banner').waitFor()
    const linkNames = await menuOf(page).getByRole('link').allTextContents()
    // A count stands behind some.
    const names = linkNames.map((text) => text.replace(/\d+\+?$/, '').trim())
    expect(names).toEqual(menuTitles(({ permission }) => roleMay(role, permission)))
    return watched
  }

  /** Opened by address, as from a link. */
  async function expectRefusalOfOtherPages(page: Page, role: Role): Promise<void> {
    const otherPages = pages.filter(({ path, permission }) => path !== '/' && !roleMay(role, permission))
    for (const { path, permission } of otherPages) {
      await go(page, addressOf(path, seeded))
      const refusal = page.getByRole('alert').getByText('Your role does not allow this.', { exact: false }).first()
      expect(await refusal.textContent(), path).toContain(`lacks the permission ${permission}`)
    }
  }

  const inMenu = (page: Page, name: string) =>
    menuOf(page)
      .getByRole('link', { name: new RegExp(`^${name}( \\d+)?$`) })
      .click()

  it('user talks with an agent, and has an account', async () => {
    const { page, consoleErrors, close } = await signedIn('user')
    // A role without the overview starts at its first permitted page.
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
    ui.service.endpoint.script(answer('Lamps, mostly.'))
    await page.getByRole('combobox', { name: 'Agent or model' }).fill('support')
    await page.getByLabel('Message').fill('What do you sell?')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('[data-words]').getByText('Lamps, mostly.').waitFor()
    await page.getByText('Your role cannot see the steps of turns.').waitFor()
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Account' }).click()
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
    await expectRefusalOfOtherPages(page, 'user')
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('auditor reads conversations and the audit log, and changes nothing', async () => {
    const { page, consoleErrors, close } = await signedIn('auditor')
    await inMenu(page, 'Audit log')
    await page
      .getByRole('row', { name: /Operator created/ })
      .first()
      .click()
    await page.getByRole('complementary', { name: 'Entry of the audit log' }).getByText('What changed').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Verify the log' }).click()
    await page.getByText(/^Intact: \d+ entries verified\.$/).waitFor()
    await inMenu(page, 'Conversations')
    await page.getByRole('row', { name: /anna/ }).click()
    await page.getByText('Where is my order 1042?', { exact: true }).last().waitFor()
    expect(await page.getByLabel('Message', { exact: true }).count()).toBe(0)
    await inMenu(page, 'API keys')
    await page.getByText('web shop').waitFor()
    expect(await page.getByRole('button', { name: 'New key' }).count()).toBe(0)
    await expectRefusalOfOtherPages(page, 'auditor')
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('operator decides approvals, and answers in a conversation', async () => {
    const { page, consoleErrors, close } = await signedIn('operator')
    await inMenu(page, 'Approvals')
    ui.service.endpoint.script(answer('I may not pay that back.'))
    const waiting = page.getByRole('region', { name: /asks to call http_request/ })
    await waiting.getByRole('button', { name: 'Refuse' }).click()
    await page.getByLabel('Reason').fill('no receipt')
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.getByRole('button', { name: 'Decided', exact: true }).click()
    await page.getByRole('table', { name: 'Decided' }).getByText('Refused', { exact: true }).waitFor()
    await inMenu(page, 'Conversations')
    await page.getByRole('row', { name: /boris/ }).click()
    await page.getByText('I may not pay that back.', { exact: true }).waitFor()
    ui.service.endpoint.script(answer('With the receipt I can.'))
    await page.getByLabel('Message', { exact: true }).fill('And with the receipt?')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('With the receipt I can.', { exact: true }).last().waitFor()
    await inMenu(page, 'Agents')
    await page.getByRole('link', { name: 'support' }).click()
    await page.getByRole('heading', { level: 1, name: 'support' }).waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)
    await expectRefusalOfOtherPages(page, 'operator')
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('admin creates an agent and an operator, but no owner', async () => {
    const { page, consoleErrors, close } = await signedIn('admin')
    await inMenu(page, 'Agents')
    await page.getByRole('link', { name: 'New agent' }).click()
    await page.getByLabel('Name').fill('billing')
    await page.getByLabel('Instructions').fill('You know the invoices.')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: 'billing' }).waitFor()
    await inMenu(page, 'People and sign-in')
    await page.getByRole('button', { name: 'New operator' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel('Role').getByRole('option').allTextContents()).not.toContain('owner')
    await dialog.getByLabel(/^Login/).fill('vera')
    await dialog.getByLabel('Role').selectOption('operator')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('region', { name: 'One-time link' }).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('row', { name: /vera/ }).waitFor()
    await expectRefusalOfOtherPages(page, 'admin')
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('owner creates another owner, who signs in', async () => {
    const { page, consoleErrors, close } = await signedIn('owner')
    await inMenu(page, 'People and sign-in')
    await page.getByRole('button', { name: 'New operator' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Login/).fill('second')
    await dialog.getByLabel('Role').selectOption('owner')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const link = (await dialog.getByRole('region', { name: 'One-time link' }).textContent()) ?? ''
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Login').waitFor()
    await page.goto(link)
    await page.getByLabel(/^New password/).fill(password)
    await page.getByRole('button', { name: 'Set your password' }).click()
    await page.getByText('The password of second is set.').waitFor()
    await page.goto(ui.url)
    await page.getByLabel('Login').fill('second')
    await page.getByLabel('Password').first().fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('banner').waitFor()
    await inMenu(page, 'People and sign-in')
    await page.getByRole('row', { name: /second \(you\)/ }).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })
})
