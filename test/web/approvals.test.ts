/** Approvals in a real browser: the list is live, arguments are shown exactly, and decisions are kept in the history. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { visibleJson } from '../../web/pages/approvals/visible-json.ts'
import { type Effects, effectsServer } from '../actors/approvals/support/supervised.ts'
import { answer, calls } from '../actors/turn/support/agents.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

/** Chromium's console line for a refused request. */
const answered = /Failed to load resource: the server responded with a status of 40[19]/

it('invisible characters in arguments are shown as escapes, and the value stays the same', () => {
  const value = { url: 'https://example.com/\u202etxt.exe', note: 'a\u200bb \u{e0041} \u0000', n: [1, null] }
  const shown = visibleJson(value)
  expect(shown).toContain('\\u202etxt.exe')
  expect(shown).toContain('a\\u200bb \\udb40\\udc41 \\u0000')
  expect(JSON.parse(shown)).toEqual(value)
})

describe.skipIf(chromiumPath === undefined)('the approvals', () => {
  let ui: UiUnderTest
  let effects: Effects
  beforeAll(async () => {
    effects = await effectsServer()
    ui = await uiUnderTest({
      SERVICE_APPROVAL_TOOLS: 'http_request',
      SERVICE_HTTP_ALLOWLIST: effects.host,
      SERVICE_INBOUND_REQUIRE_BINDING: 'false',
      SERVICE_MODERATION: 'off',
    })
    const created = await ui.service.post('/v1/admin/channels', { name: 'shop', adapter: 'generic' })
    expect(created.status).toBe(201)
  })
  afterAll(async () => {
    await ui?.stop()
    await effects?.close()
  })

  /** A message makes the agent call the tool, which needs approval. */
  async function ask(path: string, finalWords: string): Promise<void> {
    const call = { method: 'POST', url: `http://${effects.host}${path}`, body: '<img src=x onerror=alert(1)>' }
    ui.service.endpoint.script(calls({ name: 'http_request', arguments: call }), answer(finalWords))
    const response = await ui.service.post('/v1/inbound/shop', { external_id: `anna${path}`, text: 'Do it.' })
    expect(response.status).toBe(202)
  }

  it('appear without a reload, are approved, or refused with a reason, and stay in the history', async () => {
    const { page, consoleErrors, close } = await ui.open('/approvals')
    await page.getByText('No call waits for a decision.', { exact: false }).waitFor()
    await ask('/order', 'Ordered.')
    const card = page.getByRole('region', { name: 'default asks to call http_request' })
    await card.getByText(/Expires in (23\sh\s59\smin|1\sd)/).waitFor()
    await card.getByText('<img src=x onerror=alert(1)>', { exact: false }).waitFor()
    await expectAccessible(page)
    await card.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('No call waits for a decision.', { exact: false }).waitFor()
    await page.getByRole('table', { name: 'Decided' }).getByText('Approved', { exact: true }).waitFor()

    await ask('/pay', 'Not paid.')
    await card.getByRole('button', { name: 'Refuse' }).click()
    await page.getByLabel('Reason').fill('over the budget')
    await card.getByRole('button', { name: 'Refuse' }).click()
    const refused = page.getByRole('row').filter({ hasText: 'over the budget' })
    await refused.waitFor()
    await refused.click()
    await page.getByRole('dialog').getByText('/pay', { exact: false }).waitFor()
    await expectAccessible(page)
    await expect.poll(() => effects.made).toEqual(['/order'])
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('show at once what somebody else has decided', async () => {
    const { page, consoleErrors, close } = await ui.open('/approvals', {}, [answered])
    await ask('/late', 'Late.')
    const card = page.getByRole('region', { name: 'default asks to call http_request' })
    await card.waitFor()
    const pending = (await ui.owner.get('/v1/admin/approvals?status=pending')).body as { items: { id: string }[] }
    const body = { approval_id: pending.items[0]?.id, decision: 'refuse' }
    expect((await ui.service.post('/v1/admin/approvals/decide', body)).status).toBe(200)
    await page.getByText('was decided meanwhile: refused.', { exact: false }).waitFor()
    await card.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Dismiss' }).click()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('that arrive during the first load of the list are shown', async () => {
    const { page, consoleErrors, close } = await ui.open('/playground')
    const mayArrive = Promise.withResolvers<void>()
    const isAsked = Promise.withResolvers<void>()
    await page.route(/admin\/approvals\?status=pending/, async (route) => {
      const response = await route.fetch()
      isAsked.resolve()
      await mayArrive.promise
      await route.fulfill({ response })
    })
    await page.goto(`${ui.url}/approvals`)
    await isAsked.promise
    const isTold = page.evaluate(`new Promise((resolve) => {
      const base = document.querySelector('meta[name=api-base]').content
      const feed = new EventSource(base + '/v1/events/stream', { withCredentials: true })
      feed.addEventListener('ready', () => { document.body.dataset.isFollowed = 'yes' })
      feed.addEventListener('approval.requested', () => { feed.close(); resolve() })
    })`)
    await page.locator('body[data-is-followed]').waitFor()
    await ask('/meanwhile', 'Done.')
    await isTold
    mayArrive.resolve()
    await page
      .getByRole('region', { name: 'default asks to call http_request' })
      .getByText('/meanwhile')
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('No call waits for a decision.', { exact: false }).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('work in Russian, in the dark, on a narrow screen', async () => {
    const { page, consoleErrors, close } = await ui.open('/approvals', {
      locale: 'ru-RU',
      colorScheme: 'dark',
      viewport: { width: 390, height: 844 },
    })
    await ask('/russian', 'Готово.')
    await page.getByRole('button', { name: 'Согласовать' }).waitFor()
    await expectAccessible(page)
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(390)
    await page.getByRole('button', { name: 'Согласовать' }).click()
    await page.getByText('Ни один вызов не ждёт решения.', { exact: false }).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })
})
