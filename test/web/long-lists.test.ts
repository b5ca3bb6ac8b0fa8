/** A list that was scrolled far down, in a real browser: visible rows are kept up to date, and only those are reloaded. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstUuidAt, firstWorkspaceId, uuidOf } from '../../store/id.ts'
import { chromiumPath } from './support/chromium.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

const turns = 500
const pageRows = 50
/** Of the style sheet. */
const rowPx = 34

describe.skipIf(chromiumPath === undefined)('a long list', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_MODERATION: 'off' })
    await ui.service.db.system`
      insert into turns (id, workspace_id, request_id, epoch, status, model, is_stream, duration_ms, started_at)
      select (${firstUuidAt(Date.now() - 3_600_000).slice(0, 12)} || '0000' || lpad(to_hex(n), 16, '0'))::uuid,
        ${uuidOf(firstWorkspaceId)}, 'r', 1, 'completed', 'model-' || n, false, 1000, now() - interval '1 hour'
      from generate_series(1, ${turns}::integer) as n`
  })
  afterAll(() => ui?.stop())

  const list = `document.querySelector('section[aria-label="Turns"]')`

  /** Scrolls to the row of a turn, newest first; pages load on the way. */
  async function scrollTo(page: Page, turn: number): Promise<void> {
    const row = page.getByRole('row', { name: `model-${turn} ` })
    await expect
      .poll(async () => {
        await page.evaluate(`${list}.scrollTo(0, ${(turns - turn - 4) * rowPx})`)
        return await row.count()
      })
      .toBe(1)
  }

  it('updates rows far down by reloading only the first page and the visible ones', async () => {
    const { page, consoleErrors, close } = await ui.open('/turns')
    await page.getByText(`model-${turns}`, { exact: true }).waitFor()
    await scrollTo(page, 160)
    const requestedCursors: (string | null)[] = []
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (url.pathname === '/v1/admin/turns') requestedCursors.push(url.searchParams.get('cursor'))
    })
    const top = await page.evaluate<number>(`${list}.scrollTop`)
    const body = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }
    await (await ui.service.post('/v1/chat/completions', body)).text()
    await ui.service.db.system`update turns set status = 'failed' where model in ('model-160', 'model-300')`
    const row = page.getByRole('row', { name: /model-160/ })
    await row.getByText('Failed', { exact: true }).waitFor()
    // A page that was still loading when the rows changed may show it before the first reload.
    await expect.poll(() => requestedCursors).toContain(null)
    // Of at least eight pages: the first, and those that one screen can touch.
    expect(new Set(requestedCursors).size, requestedCursors.join(' ')).toBeLessThanOrEqual(4)
    // The new row is at the top of the list, and the visible rows have not moved on the screen.
    // It may arrive one reload after the changed status: no event announces it, so the list polls every five seconds.
    await expect.poll(() => page.evaluate<number>(`${list}.scrollTop`)).toBe(top + rowPx)

    await scrollTo(page, 300)
    await page
      .getByRole('row', { name: /model-300/ })
      .getByText('Failed', { exact: true })
      .waitFor()
    expect(await page.getByRole('row', { name: /model-300/ }).count()).toBe(1)
    await page.evaluate(`${list}.scrollTo(0, 0)`)
    expect(await page.locator('[aria-rowindex="2"]').textContent()).not.toContain('model-')
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('shows why further rows failed to load, and continues after Retry', async () => {
    const { page, close } = await ui.open('/turns')
    await page.getByText(`model-${turns}`, { exact: true }).waitFor()
    const isFurther = (url: URL) => url.pathname === '/v1/admin/turns' && url.searchParams.has('cursor')
    await page.route(isFurther, (route) => route.abort())
    await page.evaluate(`${list}.scrollTo(0, ${pageRows * rowPx})`)
    const alert = page.getByRole('alert')
    await alert.getByText('does not answer', { exact: false }).waitFor()
    await page.unroute(isFurther)
    await alert.getByRole('button', { name: 'Retry' }).click()
    await page.getByText(`model-${turns - pageRows}`, { exact: true }).waitFor()
    await alert.waitFor({ state: 'detached' })
    await close()
  })
})
