/** The pages Actors and About in a real browser. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { inTheme, type UiUnderTest, uiUnderTest } from './support/signed-in.ts'
import { nodesUnderTest } from './support/ui-service.ts'

const narrow = { locale: 'ru-RU', viewport: { width: 390, height: 844 } }

describe.skipIf(chromiumPath === undefined)('actors and about', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_MODERATION: 'off' })
  })
  afterAll(() => ui?.stop())

  it('show the actors alive under each supervisor, by kind, and update as more start', async () => {
    const { page, consoleErrors, close } = await ui.open('/actors?every=1')
    await page.getByRole('heading', { name: 'Supervision tree' }).waitFor()
    await page.getByRole('cell', { name: 'tenant_transactions' }).waitFor()
    const messages = [{ role: 'user', content: 'hello' }]
    const conversation = `conv_${'7'.repeat(32)}`
    await ui.service.post(
      '/v1/chat/completions',
      { model: 'x', messages },
      { 'x-service-conversation-id': conversation },
    )
    await page.getByRole('button', { name: 'conversation', exact: true }).click()
    await page.getByRole('table', { name: 'Actors of the kind “conversation”' }).getByText('7777').first().waitFor()
    await expectAccessible(page)
    await page.reload()
    await page.getByRole('heading', { name: 'Actors of the kind “conversation”' }).waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByLabel('Refresh').selectOption('manual')
    expect(new URL(page.url()).searchParams.get('every')).toBe('manual')
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('show the actors of another node, where there are several', async () => {
    const { page, consoleErrors, close } = await ui.open('/actors?every=manual', {}, [/status of 404/])
    await page.getByRole('heading', { name: 'Supervision tree' }).waitFor()
    if (nodesUnderTest === 1) expect(await page.getByLabel('Node', { exact: true }).count()).toBe(0)
    await page.route('**/v1/admin/nodes', async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { items: { node: number; state: string }[] }
      const [first] = body.items
      await route.fulfill({ response, json: { ...body, items: [...body.items, { ...first, node: 987_654 }] } })
    })
    await page.reload()
    const asked = page.waitForRequest(/\/v1\/admin\/actors\?node=987654$/)
    await page.getByLabel('Node', { exact: true }).selectOption('node 987654')
    await asked
    // It is not there in truth, and the page says so.
    await page.getByRole('alert').getByText('No node 987654 lives.').waitFor()
    expect(new URL(page.url()).searchParams.get('node')).toBe('987654')
    await page.getByLabel('Node', { exact: true }).selectOption('')
    await page.getByRole('heading', { name: 'Supervision tree' }).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('show versions, the database, the enabled features and where the documents are', async () => {
    const { page, consoleErrors, close } = await ui.open('/about')
    await page.getByRole('definition').filter({ hasText: '0.0.0-test' }).waitFor()
    await page
      .getByRole('definition')
      .filter({ hasText: /^PostgreSQL \d+\.\d+, external$/ })
      .waitFor()
    await page.getByText('docs/operations.md').waitFor()
    await page.getByText('Model endpoint').waitFor()
    await page.getByText('Copy as text').click()
    await page.getByRole('region', { name: 'Copy as text' }).getByText('Apache-2.0').waitFor()
    await expectAccessible(page)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('can be copied without a clipboard API, and say so where the browser refuses to copy', async () => {
    const { page, context, consoleErrors, close } = await ui.open('/about')
    await context.addInitScript(`if (location.hash !== '#with-clipboard')
      Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })`)
    await page.reload()
    await page.getByText('Copy as text').click()
    const text = await page.getByRole('region', { name: 'Copy as text' }).textContent()
    const copy = page.getByRole('button', { name: /^(Copy|Copied)$/ })
    await copy.click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    await context.grantPermissions(['clipboard-read'])
    const other = await context.newPage()
    await other.goto(`${ui.url}/about#with-clipboard`)
    expect(await other.evaluate('navigator.clipboard.readText()')).toBe(text)
    await other.close()
    await page.evaluate('document.execCommand = () => false')
    await copy.click()
    await page.getByText('The browser does not let the page copy.', { exact: false }).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('work in Russian, in the dark, on a narrow screen', async () => {
    const { page, consoleErrors, close } = await ui.open('/about:blank', narrow)
    await inTheme(page, 'dark')
    for (const [path, heading] of [
      ['/actors?kind=conversation', 'Акторы'],
      ['/about', 'О сервисе'],
    ] as const) {
      await page.goto(`${ui.url}${path}`)
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
      await page.getByRole('main').getByRole('heading', { level: 2 }).first().waitFor()
      await expectAccessible(page)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), path).toBe(true)
    }
    expect(consoleErrors).toEqual([])
    await close()
  })
})
