/** The overview in a real browser: the setup checklist, the signals with their thresholds, and settings that need a restart. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstUuidAt, firstWorkspaceId, uuidOf } from '../../store/id.ts'
import { failure } from '../support/model-endpoint.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { inTheme, type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

describe.skipIf(chromiumPath === undefined)('the overview', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_MODERATION: 'off' })
  })
  afterAll(() => ui?.stop())

  async function turns(count: number, agoMinutes: number, status: string, durationMs: number): Promise<void> {
    const atMs = Date.now() - agoMinutes * 60_000
    for (let n = 0; n < count; n++) {
      const id = firstUuidAt(atMs).slice(0, 12) + randomUUID().replaceAll('-', '').slice(12)
      await ui.service.db.system`
        insert into turns (id, workspace_id, request_id, epoch, status, model, is_stream, duration_ms, started_at)
        values (${id}, ${uuidOf(firstWorkspaceId)}, 'r', 1, ${status}, 'm', false, ${durationMs}, ${new Date(atMs)})`
    }
  }

  it('of a fresh service lists what is still to be set up, with links, until it is done', async () => {
    const { page, consoleErrors, close } = await ui.open('/')
    await page.getByRole('heading', { name: 'Setup' }).waitFor()
    await page.getByText('Ready', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'generic' }).waitFor()
    await page.getByText('No data').first().waitFor()
    expect(await page.getByRole('listitem').filter({ hasText: 'Connect a model' }).getByLabel('done').count()).toBe(1)
    await page.getByRole('link', { name: 'Connect a channel' }).click()
    await page.getByRole('heading', { name: 'Channels' }).waitFor()
    await ui.owner.post('/v1/admin/channels', { name: 'shop', adapter: 'generic', config: {} })
    await ui.service.post('/v1/chat/completions', { model: 'x', messages: [{ role: 'user', content: 'hello' }] })
    await page.goto(`${ui.url}/`)
    await page.getByRole('link', { name: 'shop' }).waitFor()
    await page.getByText('Ready', { exact: true }).waitFor()
    await expect.poll(() => page.getByText('Setup', { exact: true }).count()).toBe(0)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('shows latency and failures of turns against their thresholds, as a plot and as a table', async () => {
    await turns(20, 180, 'completed', 100)
    await turns(20, 4, 'completed', 900)
    await turns(3, 4, 'failed', 50)
    const { page, consoleErrors, close } = await ui.open('/')
    const latency = page.locator('section', { has: page.getByRole('heading', { name: 'Latency' }) })
    await latency.getByText('Critical').waitFor()
    await latency.getByText(/^2× baseline \d+\sms$/).waitFor()
    await latency.locator('canvas').waitFor()
    const errors = page.locator('section', { has: page.getByRole('heading', { name: 'Error rate' }) })
    await errors.getByText('Critical').waitFor()
    await page.getByText('Critical.', { exact: true }).waitFor()
    await errors.getByText('1 %', { exact: true }).waitFor()
    await errors.getByText('5 %', { exact: true }).waitFor()
    await latency.getByText('As a table').click()
    await latency.getByRole('cell', { name: '900 ms' }).first().waitFor()
    await expectAccessible(page)
    const range = page.getByRole('radiogroup', { name: 'Time range' })
    await range.getByText('24 h').click()
    await latency.getByRole('cell', { name: '100 ms' }).first().waitFor()
    await page.reload()
    expect(await range.getByRole('radio', { name: '24 h' }).isChecked()).toBe(true)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('says which model endpoint refuses its key, until a call succeeds', async () => {
    const { page, consoleErrors, close } = await ui.open('/')
    const ask = () =>
      ui.service.post('/v1/chat/completions', { model: 'x', messages: [{ role: 'user', content: 'hello' }] })
    ui.service.endpoint.script(failure(401))
    expect((await ask()).status).toBe(502)
    const line = page.getByRole('link', { name: /The model endpoint default refuses its key/ })
    await line.waitFor()
    await expectAccessible(page)
    expect(await line.getAttribute('href')).toBe('/models')
    expect((await ask()).status).toBe(200)
    await line.waitFor({ state: 'detached' })
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('shows how many settings need a restart; in Russian, in the dark, on a narrow screen', async () => {
    const saved = await ui.owner.post('/v1/admin/settings', { set: { SERVICE_AUDIT_RETENTION_DAYS: '30' } })
    expect(saved.status).toBe(200)
    const viewport = { width: 390, height: 844 }
    const { page, consoleErrors, close } = await ui.open('/', { locale: 'ru-RU', viewport })
    await inTheme(page, 'dark')
    await page.reload()
    await page.getByText('1 изменённая настройка ждёт перезапуска сервиса.').waitFor()
    await page.getByRole('heading', { name: 'Задержка' }).waitFor()
    await page.locator('canvas').first().waitFor()
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.getByRole('link', { name: 'К настройкам' }).click()
    await page.getByRole('heading', { name: 'Настройки' }).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('shows the error with its request id when the figures fail to load, and retries', async () => {
    const { page, close } = await ui.open('/about:blank', {}, [/Failed to load resource/])
    const refused = { error: { message: 'no', type: 'api_error', code: 'SVC-1', param: null } }
    await page.route('**/v1/admin/signals', (route) =>
      route.fulfill({
        status: 500,
        headers: {
          'access-control-allow-origin': ui.url,
          'access-control-allow-credentials': 'true',
          'access-control-expose-headers': 'x-request-id',
          'x-request-id': 'req-of-the-test',
        },
        json: refused,
      }),
    )
    await page.goto(`${ui.url}/`)
    await page.getByRole('alert').getByText('req-of-the-test').waitFor()
    await page.unroute('**/v1/admin/signals')
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('heading', { name: 'Error rate' }).waitFor()
    await close()
  })
})
