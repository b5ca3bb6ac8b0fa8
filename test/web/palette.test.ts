/** The palette in a real browser, by keys alone: pages, things, ids pasted whole, settings, actions, and what was opened before. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TurnId, uuidOf } from '../../store/id.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { type Seeded, seed, seededEnvironment } from './support/seeded.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

describe.skipIf(chromiumPath === undefined)('the palette', () => {
  let ui: UiUnderTest
  let seeded: Seeded
  beforeAll(async () => {
    ui = await uiUnderTest(seededEnvironment)
    seeded = await seed(ui)
  })
  afterAll(() => ui?.stop())

  async function type(page: Page, query: string): Promise<void> {
    await page.keyboard.press('Control+k')
    await page.locator('[role=combobox]:focus').waitFor()
    await page.keyboard.insertText(query)
  }

  /** Types this into the palette and opens the thing in the group, by Enter. */
  async function jump(page: Page, query: string, { group, title }: { group: string; title: string | RegExp }) {
    await type(page, query)
    const option = page.getByRole('group', { name: group, exact: true }).getByRole('option', { name: title }).first()
    await option.waitFor()
    for (let presses = 0; presses < 40 && (await option.getAttribute('aria-selected')) !== 'true'; presses++)
      await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Palette' }).waitFor({ state: 'detached' })
  }

  it('leads to everything by its name or its id, does things, and gives the focus back', async () => {
    const { page, consoleErrors, close } = await ui.open('/')
    await page.getByRole('heading', { name: 'Health' }).waitFor()
    const range = page.getByRole('radiogroup', { name: 'Time range' }).getByRole('radio', { name: '1 h' })
    await range.focus()
    await type(page, '')
    await page.getByRole('option', { name: /wants to call http_request/ }).waitFor()
    await page.keyboard.insertText('>no such thing as this')
    await page.getByText('Nothing is called “no such thing as this”.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await range.and(page.locator(':focus')).waitFor({ state: 'attached' })

    const turnId = seeded.turn.split('/').at(-1) ?? ''
    const rows = await ui.service.db.system<{ request_id: string }>`
      select request_id from turns where id = ${uuidOf(turnId as TurnId)}`
    const requestId = rows.at(0)?.request_id ?? ''
    const deliveries = (await ui.owner.get('/v1/admin/deliveries')).body['items'] as { id: string }[]
    const deliveryId = deliveries.at(0)?.id ?? ''
    const { items: waiting } = (await ui.owner.get('/v1/admin/inbox')).body as { items: { id: string }[] }
    const jumps = [
      {
        ...{ query: '', group: 'Waiting for you', title: /wants to call http_request/ },
        address: `/approvals?item=${waiting.at(0)?.id}`,
      },
      { query: 'deliv', group: 'Go to', title: 'Deliveries', address: '/deliveries' },
      { query: 'supp', group: 'Agents', title: 'support', address: seeded.agent },
      { query: 'shop', group: 'Channels', title: 'shop', address: '/channels/shop' },
      { query: 'scripted', group: 'Models', title: 'scripted-1', address: '/models' },
      { query: 'web shop', group: 'API keys', title: 'web shop', address: '/keys' },
      { query: 'order 1042', group: 'Conversations', title: /1042/, address: seeded.conversation },
      { query: 'time zone', group: 'Settings', title: 'Time zone', address: '/settings?q=SERVICE_TIMEZONE' },
      { query: turnId, group: 'By id', title: /^Turn/, address: seeded.turn },
      { query: seeded.conversation.split('/').at(-1) ?? '', group: 'By id', title: /./, address: seeded.conversation },
      { query: deliveryId, group: 'By id', title: 'Delivery', address: `/deliveries?delivery=${deliveryId}` },
      { query: requestId, group: 'By id', title: 'Turn of this request', address: seeded.turn },
      { query: `#${requestId}`, group: 'By id', title: 'Search the log', address: `/log?q=${requestId}` },
      { query: '', group: 'Recent', title: 'Delivery', address: `/deliveries?delivery=${deliveryId}` },
      { query: 'ada', group: 'Operators', title: 'Ada', address: '/operators?operator=oper_' },
    ]
    for (const { query, group, title, address } of jumps) {
      await jump(page, query, { group, title })
      await expect.poll(() => page.url(), { message: `${group}: ${query}` }).toContain(`${ui.url}${address}`)
    }

    // It opened the operator beside the list.
    const pane = page.getByRole('complementary', { name: 'Operator' })
    await pane.getByRole('heading', { name: 'Ada' }).waitFor()
    await page.keyboard.press('Escape')
    await pane.waitFor({ state: 'detached' })

    await jump(page, '>dark', { group: 'Do', title: /light and dark/ })
    await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
    await type(page, 'shop')
    await page.getByRole('group', { name: 'Channels' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await jump(page, '>рус', { group: 'Do', title: 'Перейти на русский' })
    await jump(page, 'журнал аудита', { group: 'Перейти', title: 'Журнал аудита' })
    await page.getByRole('heading', { name: 'Журнал аудита' }).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })
})
