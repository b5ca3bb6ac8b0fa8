/** The audit log in a real browser: filtered, scrolled to its end, exported, and verified. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fieldChanges } from '../../web/pages/audit/field-changes.ts'
import { ancient, tamperer } from '../store/support/audit.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

describe('the fields of a change', () => {
  it('are those that differ, as text; a side without the field is undefined', () => {
    expect(fieldChanges({ name: 'a', rate: 1, same: [1] }, { name: 'b', same: [1], tags: ['x'] })).toEqual([
      { field: 'name', before: 'a', after: 'b' },
      { field: 'rate', before: '1', after: undefined },
      { field: 'tags', before: undefined, after: '[\n  "x"\n]' },
    ])
    expect(fieldChanges(null, { name: 'b' })).toEqual([{ field: 'name', before: undefined, after: 'b' }])
    expect(fieldChanges('a', 'b')).toEqual([{ field: '', before: 'a', after: 'b' }])
  })
})

const settingsChange = { SERVICE_LLM_TEMPERATURE: '0.3' }

describe.skipIf(chromiumPath === undefined)('the page on the audit log', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_MODERATION: 'off' })
    await ancient(ui.service.db, 400, 300)
    const changed = await ui.owner.post('/v1/admin/settings', { set: settingsChange })
    if (changed.status !== 200) throw new Error(JSON.stringify(changed.body))
  })
  afterAll(() => ui?.stop())

  it('shows changes, keeps filters in the address, and exports the filtered entries', async () => {
    const { page, consoleErrors, close } = await ui.open('/audit')
    await page.getByLabel('Action', { exact: true }).fill('setting.')
    await page.waitForURL(/action=setting./)
    await page.getByRole('row', { name: /setting\.set/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('region', { name: /After/ }).getByText('0.3').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Everything by ada' }).click()
    await page.waitForURL(/actor=ada/)
    await page.getByRole('row', { name: /session\.begin/ }).waitFor()
    expect(await page.getByRole('row', { name: /test\.old/ }).count()).toBe(0)
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    const text = await readFile(await file.path(), 'utf8')
    expect(text).toContain('setting.set')
    expect(text).not.toContain('test.old')
    await page.getByLabel('Actor', { exact: true }).fill('nobody of this name')
    await page.getByText('Nothing matches these filters.').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('loads page by page as it is scrolled, with few rows in the document', async () => {
    const { page, consoleErrors, close } = await ui.open('/audit?action=test.old')
    await page
      .getByRole('row', { name: /test\.old/ })
      .first()
      .waitFor()
    const scrollToEnd = `document.querySelector('section[aria-label="Audit log"]').scrollTo(0, 1_000_000)`
    await expect
      .poll(async () => {
        await page.evaluate(scrollToEnd)
        return await page.getByRole('row').last().getAttribute('aria-rowindex')
      })
      .toBe('301')
    expect(await page.getByRole('row').count()).toBeLessThan(80)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('says that the log is intact, and where it was tampered with', async () => {
    const { page, consoleErrors, close } = await ui.open('/audit')
    await page.getByRole('button', { name: 'Verify the log' }).click()
    await page.getByText(/^Intact: 30\d entries verified\.$/).waitFor()
    await tamperer(ui.service.address)("update audit_log set actor = 'somebody else' where seq = 7")
    await page.getByRole('button', { name: 'Verify the log' }).click()
    await page.getByText(/^Not intact at entry 7: /).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('works in Russian, in the dark, on a narrow screen', async () => {
    const { page, consoleErrors, close } = await ui.open('/audit?action=setting.', {
      locale: 'ru-RU',
      colorScheme: 'dark',
      viewport: { width: 390, height: 800 },
    })
    await page.getByRole('row', { name: /setting\.set/ }).click()
    await page.getByRole('dialog').getByText('Что изменилось').waitFor()
    await expectAccessible(page)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
