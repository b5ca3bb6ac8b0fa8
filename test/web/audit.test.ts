/** The audit log in a real browser: filtered, scrolled to its end, exported, and verified. */
import { readdir, readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { actionText, actionWords, areaText } from '../../web/pages/audit/action-text.ts'
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

/** Actions as the code writes them; those in templates are named here. */
async function writtenActions(): Promise<string[]> {
  const root = new URL('../../', import.meta.url)
  const found = new Set(['delivery.cancel_many', 'delivery.retry_many'])
  for (const room of ['store', 'http', 'tools', 'cli', 'gateway'])
    for (const file of await readdir(new URL(room, root), { recursive: true })) {
      if (!file.endsWith('.ts')) continue
      const text = await readFile(new URL(`${room}/${file}`, root), 'utf8')
      for (const [line] of text.matchAll(/\baction: [^,\n]*/g))
        for (const [, action = ''] of line.matchAll(/'([a-z_]+\.[a-z_]+)'/g)) found.add(action)
    }
  return [...found].sort()
}

describe('the words of actions', () => {
  it('are there for every action that is written, and for what each is about', async () => {
    const actions = await writtenActions()
    expect(actions.length).toBeGreaterThan(70)
    expect(actions.filter((action) => !Object.hasOwn(actionText.en, action))).toEqual([])
    expect(actions.filter((action) => !Object.hasOwn(areaText.en, action.split('.')[0] ?? ''))).toEqual([])
    expect(actionWords((name) => actionText.en[name], 'of.another_version')).toBe('of.another_version')
  })
})

const pane = (page: Page) => page.getByRole('complementary', { name: 'Entry of the audit log' })

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
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByLabel('Kind').selectOption('Settings')
    await page.waitForURL(/action=setting./)
    await page.keyboard.press('Escape')
    await page.getByRole('row', { name: /Setting changed/ }).click()
    await page.waitForURL(/open=aud_/)
    await pane(page).getByRole('region', { name: /After/ }).getByText('0.3').waitFor()
    await expectAccessible(page)
    // The open entry stands in the address.
    await page.reload()
    await pane(page).getByRole('button', { name: 'Everything by ada' }).click()
    await page.waitForURL(/actor=ada/)
    await page.getByRole('row', { name: /Signed in/ }).waitFor()
    expect(await page.getByRole('row', { name: /test\.old/ }).count()).toBe(0)
    // By keys: to the next one, which opens beside the list, and closed.
    await page.getByRole('region', { name: 'Audit log', exact: true }).focus()
    const before = page.url()
    await page.keyboard.press('j')
    await expect.poll(() => page.url()).not.toBe(before)
    await page.keyboard.press('Escape')
    await pane(page).waitFor({ state: 'detached' })
    expect(page.url()).not.toContain('open=')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    const text = await readFile(await file.path(), 'utf8')
    expect(text).toContain('setting.set')
    expect(text).not.toContain('test.old')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByLabel('Actor', { exact: true }).fill('nobody of this name')
    await page.getByText('No entry fits these filters').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Clear the filter' }).click()
    await page
      .getByRole('row', { name: /test\.old/ })
      .first()
      .waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('opens its filters by F, also where the key comes before the code that heeds it', async () => {
    const { page, consoleErrors, close } = await ui.open('/')
    const held = Promise.withResolvers<void>()
    await page.route(/\/keys-[^/]*\.js$/, async (route) => {
      await held.promise
      await route.continue()
    })
    await page.goto(`${ui.url}/audit`)
    await page.getByRole('button', { name: 'Filter' }).waitFor()
    await page.keyboard.press('f')
    held.resolve()
    await page.getByRole('dialog').getByLabel('Target').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('names keys and what they changed, also what is deleted, and opens an entry by its address alone', async () => {
    const { body: key } = await ui.owner.post('/v1/admin/apikeys', { name: 'billing export', scopes: ['admin:write'] })
    const agent = await fetch(`http://127.0.0.1:${ui.service.gateway.port}/v1/admin/agents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'invoices', definition: {} }),
    })
    expect(agent.status).toBeLessThan(300)
    const { page, consoleErrors, close } = await ui.open('/audit?action=agent.')
    const row = page.getByRole('row', { name: /billing export.*Agent created.*invoices/ })
    await row.click()
    await pane(page).getByRole('link', { name: 'invoices' }).waitFor()
    const address = new URL(page.url())
    expect(await page.getByText(/(?:key|agent)_[0-9a-f]{32}/).count()).toBe(0)
    // Not in the list: no entry of it fits, and the pane has it all the same.
    await page.goto(`${ui.url}/audit?actor=nobody-of-this-name&open=${address.searchParams.get('open')}`)
    await page.getByText('No entry fits these filters').waitFor()
    await pane(page).getByText('billing export').first().waitFor()
    await page.goto(`${ui.url}/audit?open=aud_${'0'.repeat(32)}`)
    await pane(page)
      .getByText(/not in the log of this workspace/)
      .waitFor()
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
    await page.getByRole('row', { name: /Настройка изменена/ }).click()
    await page.getByRole('complementary', { name: 'Запись журнала аудита' }).getByText('Что изменилось').waitFor()
    await expectAccessible(page)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
