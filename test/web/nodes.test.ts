/** The page Nodes in a real browser. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { inTheme, type UiUnderTest, uiUnderTest } from './support/signed-in.ts'
import { nodesUnderTest } from './support/ui-service.ts'

const narrow = { locale: 'ru-RU', viewport: { width: 390, height: 844 } }

describe.skipIf(chromiumPath === undefined)('nodes', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_MODERATION: 'off' })
  })
  afterAll(() => ui?.stop())

  it('shows each with what it has to do, and drains one after a confirmation', async () => {
    const { page, consoleErrors, close } = await ui.open('/nodes')
    const table = page.getByRole('table', { name: 'Nodes' })
    const here = nodesUnderTest > 1 ? /^\d+ \(answers here\)$/ : `${ui.service.gateway.node} (answers here)`
    await table.getByText(here).waitFor()
    await table
      .getByText(`${256 / nodesUnderTest} of 256`)
      .first()
      .waitFor()
    await table
      .getByText(/^\d+ MiB$/)
      .first()
      .waitFor()
    await expectAccessible(page)
    await table.getByRole('button', { name: 'Drain' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('It is not started again by itself').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await table.getByText('Running').first().waitFor()
    await table.getByRole('button', { name: 'Drain' }).first().click()
    await dialog.getByRole('button', { name: 'Drain' }).click()
    await table.getByText('Draining').waitFor()
    expect(await table.getByRole('button', { name: 'Drain' }).count()).toBe(nodesUnderTest - 1)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('fits a narrow screen, in Russian and in the dark', async () => {
    const { page, consoleErrors, close } = await ui.open('/about:blank', narrow)
    await inTheme(page, 'dark')
    await page.goto(`${ui.url}/nodes`)
    await page.getByRole('table', { name: 'Узлы' }).getByText('отвечает здесь').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await expectAccessible(page)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
