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

    await page.getByRole('button', { name: 'Actions for shop backend' }).click()
    await page.getByRole('menuitem', { name: 'Rotate' }).click()
    await page.getByLabel('The old key ends').selectOption({ label: 'in 1 hour' })
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    const next = (await page.getByRole('region', { name: 'Key', exact: true }).textContent()) ?? ''
    expect(next).not.toBe(key)
    expect(await statusWith(key)).toBe(200)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()

    await page
      .getByRole('row', { name: /shop backend/ })
      .first()
      .click()
    const pane = page.getByRole('complementary', { name: 'API key' })
    await pane.getByText('Chat, as any client does').waitFor()
    await expectAccessible(page)
    await pane.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await pane.getByText('Revoked', { exact: true }).waitFor()
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

  it('are found by search and filters that stand in the address, open beside the list by keys, and show how full a budget is', async () => {
    const made = async (body: object) => String((await ui.owner.post('/v1/admin/apikeys', body)).body['id'])
    const id = await made({ name: 'till', scopes: ['mcp'], rate_limit_rpm: 60 })
    await made({ name: 'till of old', scopes: ['chat'], expires_at: new Date(Date.now() + 6.5 * 86_400_000) })
    const budget = { subject: 'key', value: id, period: 'month', unit: 'tokens', hard_limit: 200 }
    expect((await ui.owner.post('/v1/admin/budgets/set', budget)).status).toBe(200)
    await ui.service.db.system`
      insert into usage_sums
      select workspace_id, 'month', 'key', date_trunc('month', now(), 'UTC'), replace(id::text, '-', ''), 'call', '',
        0, 0, 0, 0, 0, 0, 200, 0, 0, 0, 0, 0, 0, 0, 0
      from api_keys where name = 'till'`
    const asked: string[] = []
    const { page, consoleErrors, close } = await ui.open('/keys')
    const row = page.getByRole('row', { name: /till sk-/ })
    await row.getByRole('meter', { name: 'Budget of till' }).waitFor()
    expect(await row.getByRole('meter').getAttribute('aria-valuenow')).toBe('100')
    await row.getByText('of 200').waitFor()
    await row.getByText('Hard limit reached').waitFor()
    await page.getByText('Ends in 6 d').waitFor()
    expect((await row.boundingBox())?.height).toBe(34)
    expect(await page.getByRole('columnheader').allTextContents()).toContain('May do')

    await page.getByRole('searchbox', { name: 'Search' }).fill('sk-abcdEFGHIJKLMNOPQRSTUVWXYZ0123456789')
    await expect.poll(() => new URL(page.url()).search).toBe('?q=sk-abcd')
    await page.getByRole('searchbox', { name: 'Search' }).fill('TILL')
    const rowsShown = () => page.getByRole('row').count()
    await expect.poll(rowsShown, { timeout: 10_000 }).toBe(3)
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('checkbox', { name: 'MCP' }).click()
    await expect.poll(rowsShown, { timeout: 10_000 }).toBe(2)
    await page.keyboard.press('Escape')
    await expect.poll(() => new URL(page.url()).search).toBe('?q=TILL&scope=mcp')

    await page.getByRole('region', { name: 'API keys' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const pane = page.getByRole('complementary', { name: 'API key', exact: true })
    await pane.getByText('Use the service’s MCP server').waitFor()
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.reload()
    await pane.getByText('60/min').waitFor()
    await pane.getByRole('meter', { name: 'Budget of till' }).waitFor()
    expect(asked.filter((path) => path.startsWith('/v1/admin/budgets'))).toEqual(['/v1/admin/budgets'])
    expect(await page.getByRole('searchbox', { name: 'Search' }).inputValue()).toBe('TILL')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await pane.waitFor({ state: 'detached' })

    await page.getByRole('searchbox', { name: 'Search' }).fill('nobody')
    await page.getByText('No key fits these filters').waitFor()
    await page.getByRole('button', { name: 'Clear 2 filters' }).click()
    await row.waitFor()
    expect(new URL(page.url()).search).toBe('')
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('a filter that no word stands for is shown as the address has it', async () => {
    const refused = /status of 400/
    const { page, consoleErrors, close } = await ui.open('/keys?state=__proto__&scope=constructor', {}, [refused])
    for (const value of ['__proto__', 'constructor']) await page.getByText(value, { exact: false }).first().waitFor()
    await page.getByText('400 bad_request').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('a new key keeps what was typed while the list is read again, and asks before it is left', async () => {
    const { page, consoleErrors, close } = await ui.open('/keys')
    await page.getByRole('button', { name: 'New key' }).click()
    const form = page.getByRole('dialog', { name: 'New API key' })
    await form.getByLabel(/^Name/).fill('half typed')
    await form.getByLabel('Tokens per minute').fill('5000')
    await ui.owner.post('/v1/admin/apikeys', { name: 'came meanwhile' })
    // Told by the feed: the list is asked for anew much later.
    await page.getByText('came meanwhile').waitFor({ timeout: 20_000 })
    expect(await form.getByLabel(/^Name/).inputValue()).toBe('half typed')
    expect(await form.getByLabel('Tokens per minute').inputValue()).toBe('5000')
    const asked = new Promise<string>((resolve) => {
      page.once('dialog', (dialog) => {
        resolve(dialog.type())
        void dialog.dismiss()
      })
    })
    await page.reload({ timeout: 5_000 }).catch(() => {})
    expect(await asked).toBe('beforeunload')
    expect(await form.getByLabel(/^Name/).inputValue()).toBe('half typed')
    page.once('dialog', (dialog) => void dialog.accept())
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
