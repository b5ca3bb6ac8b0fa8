/** One's own account in a real browser: an app and a passkey are set up, used to sign in, and removed. */
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browser as apiClient } from '../http/admin/auth/support/browser.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath, type WatchedPage, watchedPage } from './support/chromium.ts'
import { ownerLogin, ownerPassword, type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

/** Chromium's console line for a refused request. */
const answered = /Failed to load resource: the server responded with a status of 40[0139]/

describe.skipIf(chromiumPath === undefined)('the account', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_MODERATION: 'off', SERVICE_REQUIRE_2FA: '1' })
  })
  afterAll(() => ui?.stop())

  /** Under a host name, which passkeys need; with an authenticator that always confirms. */
  async function atLocalhost(): Promise<WatchedPage> {
    const watched = await watchedPage(ui.chromium, {}, [answered])
    const debug = await watched.context.newCDPSession(watched.page)
    await debug.send('WebAuthn.enable')
    await debug.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await watched.page.goto(ui.url.replace('127.0.0.1', 'localhost'))
    return watched
  }

  async function signIn(page: Page, login: string, password: string): Promise<void> {
    await page.locator('input[name=username]').fill(login)
    await page.locator('input[name=password]').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  async function signOut(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  }

  it('prompts for a second factor, sets up an app, and signs in with its code and with a recovery code', async () => {
    const { page, consoleErrors, close } = await atLocalhost()
    await signIn(page, ownerLogin, ownerPassword)
    await page.getByRole('link', { name: 'Set one up now' }).click()
    const factors = page.getByRole('region', { name: 'Second factor' })
    await factors.getByText('This service requires a second factor').waitFor()
    await factors.getByRole('button', { name: 'Set up' }).click()
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    const secret = (await page.getByRole('region', { name: 'Secret' }).textContent()) ?? ''
    const app = new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30 })
    await page.getByLabel('Code that the app shows now').fill('000000')
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('Wrong code.').waitFor()
    await page.getByLabel('Code that the app shows now').fill(app.generate())
    await page.getByRole('button', { name: 'Confirm' }).click()
    const codes = page.getByRole('region', { name: 'Recovery codes' })
    const [recoveryCode = '', another = ''] = ((await codes.textContent()) ?? '').split('\n')
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await factors.getByText('10 codes left').waitFor()
    expect(await page.getByText('This service requires a second factor').count()).toBe(0)

    await signOut(page)
    await signIn(page, ownerLogin, ownerPassword)
    await page.getByText('The password is right.').waitFor()
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Wrong code or passkey.').waitFor()
    await page.getByLabel('Code').fill(app.generate({ timestamp: Date.now() + 30_000 }))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Account' }).waitFor()

    await signOut(page)
    await signIn(page, ownerLogin, ownerPassword)
    await page.getByLabel('Code').fill(recoveryCode)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await factors.getByText('9 codes left').waitFor()
    expect(another).not.toBe('')

    await factors.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await factors.getByText('Not set up.').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('makes a passkey, shows it as a second factor and alone, renames and removes it', async () => {
    const { page, consoleErrors, close } = await atLocalhost()
    await signIn(page, ownerLogin, ownerPassword)
    await page.getByRole('link', { name: 'Set one up now' }).click()
    await page.getByRole('button', { name: 'New passkey' }).click()
    await page.getByLabel('Name of the passkey').fill('laptop')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('dialog', { name: 'Recovery codes' }).getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Rename laptop' }).click()
    await page.getByLabel('Name of the passkey').fill('work laptop')
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByText('work laptop').waitFor()

    await signOut(page)
    await signIn(page, ownerLogin, ownerPassword)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByRole('heading', { name: 'Account' }).waitFor()

    await signOut(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Account' }).waitFor()

    await ui.service.db.system`update operator_sessions set confirmed_at = now() - interval '1 hour'`
    await ui.service.db.system`select pg_notify('service_changes', 'sessions')`
    await page.getByRole('button', { name: 'Remove work laptop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page
      .getByRole('dialog', { name: 'Confirm your identity' })
      .getByRole('button', { name: 'Use a passkey' })
      .click()
    await page.getByText('A passkey signs you in with').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('changes the password, lists the other sessions, and ends them', async () => {
    const login = 'grace'
    await ui.owner.signIn(ownerLogin, ownerPassword)
    const created = await ui.owner.post('/v1/admin/operators', { login, role: 'user', password: 'the first password' })
    expect(created.status).toBe(201)
    const { page, consoleErrors, close } = await atLocalhost()
    await signIn(page, login, 'the first password')
    await page.getByRole('link', { name: 'Set one up now' }).click()
    const elsewhere = apiClient(ui.service)
    await elsewhere.signIn(login, 'the first password')
    const password = page.getByRole('region', { name: 'Password', exact: true })
    await password.getByLabel('Current password').fill('not the password')
    await password.getByLabel(/^New password( \*)?$/).fill('the second password')
    await password.getByLabel('New password again').fill('the second passwort')
    await password.getByText('The passwords do not match.').waitFor()
    await password.getByLabel('New password again').fill('the second password')
    await password.getByRole('button', { name: 'Change the password' }).click()
    await password.getByText('Wrong current password.').waitFor()
    await password.getByLabel('Current password').fill('the first password')
    await password.getByRole('button', { name: 'Change the password' }).click()
    await password.getByText('The password is changed; 1 other session was ended.').waitFor()
    expect((await elsewhere.get('/v1/admin/auth/session')).status).toBe(401)

    await elsewhere.signIn(login, 'the second password')
    await page.reload()
    const sessions = page.getByRole('region', { name: 'Sessions' })
    await sessions.getByText('this one').waitFor()
    await sessions.getByRole('button', { name: 'End all others' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click()
    await sessions.getByRole('button', { name: 'End all others' }).waitFor({ state: 'detached' })
    expect((await elsewhere.get('/v1/admin/auth/session')).status).toBe(401)

    await page.getByRole('button', { name: 'New personal key' }).click()
    await page.getByRole('dialog').getByLabel(/^Name/).fill('chat client')
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
    const key = (await page.getByRole('region', { name: 'Key', exact: true }).textContent()) ?? ''
    const models = await fetch(`${ui.service.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
    expect(models.status).toBe(200)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Revoke chat client' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Revoked', { exact: true }).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('explains in Russian, in the dark, on a narrow screen, why an address cannot have passkeys', async () => {
    await ui.owner.signIn(ownerLogin, ownerPassword)
    const { page, consoleErrors, close } = await ui.open('/account', {
      locale: 'ru-RU',
      colorScheme: 'dark',
      viewport: { width: 390, height: 800 },
    })
    await page.getByText('Ключам доступа нужно имя хоста').waitFor()
    await page.getByText('этот', { exact: true }).waitFor()
    await expectAccessible(page)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
