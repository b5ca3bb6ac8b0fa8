/** The inbox in a real browser: live, with what is needed to decide, decided by hand and by keys, and kept in the history. */
import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstWorkspaceId, newTurnId, uuidOf } from '../../store/id.ts'
import { visibleJson, visibleText } from '../../web/pages/approvals/visible-json.ts'
import { type Effects, effectsServer } from '../actors/approvals/support/supervised.ts'
import { answer, calls } from '../actors/turn/support/agents.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { menuOf } from './support/navigation.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

/** Chromium's console line for a refused request. */
const answered = /Failed to load resource: the server responded with a status of 40[19]/

it('invisible characters in arguments are shown as escapes, and the value stays the same', () => {
  const value = { url: 'https://example.com/\u202etxt.exe', note: 'a\u200bb \u{e0041} \u0000', n: [1, null] }
  const shown = visibleJson(value)
  expect(shown).toContain('\\u202etxt.exe')
  expect(shown).toContain('a\\u200bb \\udb40\\udc41 \\u0000')
  expect(JSON.parse(shown)).toEqual(value)
  expect(visibleText('a\u202eb\u0000\n\tc')).toBe('a\\u202eb\\u0000\n\tc')
})

/** A browser that shows notifications, and a window that nobody looks at once it is told so. */
const notifications = `
  window.notified = []
  window.Notification = class {
    static permission = 'default'
    static async requestPermission() { return (Notification.permission = 'granted') }
    constructor(title, { tag }) { window.notified.push(title); this.tag = tag }
    close() {}
  }
  document.hasFocus = () => window.isAway !== true`

describe.skipIf(chromiumPath === undefined)('the inbox', () => {
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

  /** A message for each makes the agent call the tool, which needs approval. */
  async function ask(...paths: string[]): Promise<void> {
    const callOf = (path: string) => ({
      method: 'POST',
      url: `http://${effects.host}${path}`,
      body: '<img src=x onerror=alert(1)>',
    })
    const answers = paths.map((path) => answer(`Done: ${path}`))
    ui.service.endpoint.script(
      ...paths.map((path) => calls({ name: 'http_request', arguments: callOf(path) })),
      ...answers,
    )
    for (const path of paths) {
      const response = await ui.service.post('/v1/inbound/shop', { external_id: `anna${path}`, text: 'Do it.' })
      expect(response.status).toBe(202)
    }
  }

  const asking = (page: Page) => page.getByRole('region', { name: 'default asks to call http_request' })
  const nothing = (page: Page) => page.getByText('Nothing waits for a decision.')
  const inMenu = (page: Page) => menuOf(page).getByRole('link', { name: /^Approvals/ })

  it('shows what waits without a reload, with all that is needed to decide, and is told by a notification if asked', async () => {
    const { page, consoleErrors, close } = await ui.open('/about')
    await page.addInitScript(notifications)
    await page.goto(`${ui.url}/approvals`)
    await nothing(page).waitFor()
    expect(await page.evaluate('Notification.permission')).toBe('default')
    await page.getByRole('button', { name: 'Notify me' }).click()
    await page.getByRole('button', { name: 'Stop notifying me' }).waitFor()
    await page.evaluate('window.isAway = true')

    await ask('/order')
    const item = asking(page)
    await item.getByText(/Expires in (23\sh\s59\smin|1\sd)/).waitFor()
    await item.getByText('<img src=x onerror=alert(1)>').waitFor()
    for (const words of ['The call is made once', 'it is not repeated', 'Do it.', 'For anna/order · shop'])
      await item.getByText(words, { exact: false }).first().waitFor()
    await item.getByRole('button', { name: 'JSON' }).click()
    await item.getByRole('region', { name: 'Arguments' }).getByText('"method": "POST"', { exact: false }).waitFor()
    await expectAccessible(page)
    await expect.poll(() => inMenu(page).textContent()).toBe('Approvals1')
    expect(await page.title()).toMatch(/^\(1\) /)
    const notified = () => page.evaluate<string[]>('window.notified')
    await expect.poll(notified).toEqual(['You are told here when something waits', 'default asks to call http_request'])

    await item.getByRole('button', { name: 'Approve' }).click()
    await nothing(page).waitFor()
    await expect.poll(() => inMenu(page).textContent()).toBe('Approvals')
    await expect.poll(() => effects.made).toEqual(['/order'])

    await ask('/pay')
    await item.getByText('Approved').last().waitFor()
    await item.getByRole('button', { name: 'Refuse' }).click()
    await page.getByLabel('Reason').fill('over the budget')
    await item.getByRole('button', { name: 'Refuse' }).click()
    await nothing(page).waitFor()

    await page.getByRole('button', { name: 'Decided', exact: true }).click()
    await page.getByRole('table', { name: 'Decided' }).getByText('Approved', { exact: true }).waitFor()
    await page.getByRole('row').filter({ hasText: 'over the budget' }).click()
    const pane = page.getByRole('complementary', { name: 'http_request' })
    await pane.getByText('/pay', { exact: false }).waitFor()
    await page.reload()
    await pane.getByText('/pay', { exact: false }).waitFor()
    await expectAccessible(page)
    expect(effects.made).toEqual(['/order'])
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('says at once what somebody else has decided, and puts nothing else in its place', async () => {
    const { page, consoleErrors, close } = await ui.open('/approvals', {}, [answered])
    await ask('/late', '/next')
    await asking(page).waitFor()
    await expect.poll(() => inMenu(page).textContent()).toBe('Approvals2')
    const body = { approval_id: new URL(page.url()).searchParams.get('item'), decision: 'refuse' }
    expect((await ui.service.post('/v1/admin/approvals/decide', body)).status).toBe(200)
    await page.getByText('was decided meanwhile: Refused.', { exact: false }).waitFor()
    await page.getByText('This does not wait any more').waitFor()
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('region', { name: 'Waiting' }).getByRole('button').click()
    await asking(page).getByRole('button', { name: 'Approve' }).click()
    await nothing(page).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('shows what arrives during the first load of the list', async () => {
    const { page, consoleErrors, close } = await ui.open('/playground')
    const mayArrive = Promise.withResolvers<void>()
    const isAsked = Promise.withResolvers<void>()
    const holdFirst = async (route: Route) => {
      const response = await route.fetch()
      isAsked.resolve()
      await mayArrive.promise
      await route.fulfill({ response })
    }
    await page.route(/admin\/inbox\?/, holdFirst, { times: 1 })
    await page.goto(`${ui.url}/approvals`)
    await isAsked.promise
    const isTold = page.evaluate(`new Promise((resolve) => {
      const base = document.querySelector('meta[name=api-base]').content
      const feed = new EventSource(base + '/v1/events/stream', { withCredentials: true })
      feed.addEventListener('ready', () => { document.body.dataset.isFollowed = 'yes' })
      feed.addEventListener('approval.requested', () => { feed.close(); resolve() })
    })`)
    await page.locator('body[data-is-followed]').waitFor()
    await ask('/meanwhile')
    await isTold
    mayArrive.resolve()
    await asking(page).getByText(`${effects.host}/meanwhile`, { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Approve' }).click()
    await nothing(page).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('goes from a decided call to one with an unknown outcome; in Russian, in the dark, on a narrow screen', async () => {
    const turn = newTurnId()
    await ui.service.db.system`
      insert into turn_steps (turn_id, path, n, workspace_id, kind, status, name, digest, request, started_at)
      values (${uuidOf(turn)}::uuid, '', 3, ${uuidOf(firstWorkspaceId)}::uuid, 'tool', 'unknown', 'pay', gen_random_uuid(),
        '{"sum": 12}'::json, now())`
    const { page, consoleErrors, close } = await ui.open('/approvals', {
      locale: 'ru-RU',
      colorScheme: 'dark',
      viewport: { width: 390, height: 844 },
    })
    await ask('/russian')
    const list = page.getByRole('region', { name: 'Ждут' })
    await list.getByRole('heading', { name: 'Вызовы на согласование 1' }).waitFor()
    await list.getByRole('button', { name: /http_request/ }).click()
    await page.getByRole('button', { name: 'Согласовать' }).waitFor()
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(390)
    await page.getByRole('button', { name: 'Согласовать' }).click()
    await list.getByRole('button', { name: /pay/ }).click()
    await page.getByLabel('Что вы выяснили', { exact: false }).fill('банк ничего не знает')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Не подействовал' }).click()
    await page.getByText('Ничто не ждёт решения.').waitFor()
    expect((await ui.owner.get('/v1/admin/inbox/count')).body['total']).toBe(0)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
