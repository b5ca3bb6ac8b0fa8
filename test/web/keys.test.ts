/** API keys in a real browser: created, used, rotated with an overlap and revoked. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { ownerPassword, type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

/** Chromium's console line for a refused request. */
const answered = /Failed to load resource: the server responded with a status of 40[0139]/

describe.skipIf(chromiumPath === undefined)('the page on API keys', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_MODERATION: 'off' })
  })
  afterAll(() => ui?.stop())

  async function statusWith(key: string): Promise<number> {
    return (await fetch(`${ui.service.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).status
  }

  it('creates a key after a confirmation, shows it once, rotates it and revokes it', async () => {
    const { page, consoleErrors, close } = await ui.open('/keys', {}, [answered])
    await ui.service.db.system`update operator_sessions set confirmed_at = now() - interval '1 hour'`
    await ui.service.db.system`select pg_notify('service_changes', 'sessions')`
    await page.getByRole('button', { name: 'New key' }).click()
    const form = page.getByRole('dialog', { name: 'New API key' })
    await form.getByLabel(/^Name/).fill('shop backend')
    await form.getByLabel('Allowed addresses').fill('not an address')
    await form.getByLabel('Requests per minute').fill('120')
    await form.getByRole('button', { name: 'Create' }).click()
    const proof = page.getByRole('dialog', { name: 'Confirm your identity' })
    await proof.locator('input[name=password]').fill(ownerPassword)
    await proof.getByRole('button', { name: 'Confirm' }).click()
    await form.getByText('One of the lines is not an address or a network.').waitFor()
    await expectAccessible(page)
    await form.getByLabel('Allowed addresses').fill('127.0.0.0/8\n::1')
    await form.getByRole('button', { name: 'Create' }).click()
    const key = (await page.getByRole('region', { name: 'Key', exact: true }).textContent()) ?? ''
    expect(await statusWith(key)).toBe(200)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await page
      .getByRole('row', { name: /shop backend/ })
      .getByText('120/min, 2 addresses')
      .waitFor()
    expect(await page.content()).not.toContain(key)

    await page.getByRole('button', { name: 'Rotate shop backend' }).click()
    await page.getByLabel('The old key ends').selectOption({ label: 'in 1 hour' })
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    const next = (await page.getByRole('region', { name: 'Key', exact: true }).textContent()) ?? ''
    expect(next).not.toBe(key)
    expect(await statusWith(key)).toBe(200)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()

    await page.getByRole('button', { name: 'Revoke shop backend' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('Revoked', { exact: true }).waitFor()
    expect([await statusWith(next), await statusWith(key)]).toEqual([401, 200])
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('shows markup in a name as text', async () => {
    const name = '<img src=x onerror="document.title=1">'
    expect((await ui.owner.post('/v1/admin/apikeys', { name })).status).toBe(201)
    const { page, consoleErrors, close } = await ui.open('/keys')
    await page.getByText(name).waitFor()
    expect(await page.title()).toContain('API keys')
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('works in Russian, in the dark, on a narrow screen', async () => {
    const { page, consoleErrors, close } = await ui.open('/keys', {
      locale: 'ru-RU',
      colorScheme: 'dark',
      viewport: { width: 390, height: 800 },
    })
    await page.getByText('Действует', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Новый ключ' }).click()
    await page.getByRole('dialog').getByText('Вести разговоры, как любой клиент').waitFor()
    await expectAccessible(page)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
