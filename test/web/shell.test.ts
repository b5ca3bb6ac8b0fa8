/** What is around every page: the count of what waits, the word and mark of what waits, the theme before the app is there. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answer, calls } from '../actors/turn/support/agents.ts'
import { until } from '../support/gateway.ts'
import { chromiumPath } from './support/chromium.ts'
import { go, menuOf } from './support/navigation.ts'
import { seed, seededEnvironment } from './support/seeded.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

const countedWithinMs = 2_000

describe.skipIf(chromiumPath === undefined)('around every page', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest(seededEnvironment)
    await seed(ui)
  })
  afterAll(() => ui?.stop())

  const pending = async (): Promise<{ id: string }[]> => {
    const { body } = await ui.owner.get('/v1/admin/approvals?status=pending')
    return body['items'] as { id: string }[]
  }

  /** One call that waits; the other has an unknown outcome. */
  const shown = (n: number) => [`Approvals${n}`, String(n), `(${n})`, `Approvals${n}`]

  it('what waits is counted in menu, bar, title and on a phone within two seconds, and leaves as fast', async () => {
    const wide = await ui.open('/about')
    const phone = await ui.open('/about', { viewport: { width: 390, height: 844 } })
    const counts = async () => [
      await menuOf(wide.page)
        .getByRole('link', { name: /^Approvals/ })
        .textContent(),
      await wide.page.getByRole('banner').locator('a[href="/approvals"]').textContent(),
      /^\(\d+\)/.exec(await wide.page.title())?.[0] ?? '',
      await phone.page
        .getByRole('navigation')
        .getByRole('link', { name: /^Approvals/ })
        .textContent(),
    ]
    const all = { timeout: 10_000, interval: 20 }
    await expect.poll(counts, all).toEqual(shown(2))

    const [waiting] = await pending()
    ui.service.endpoint.script(answer('Then not.'))
    await ui.owner.post('/v1/admin/approvals/decide', { approval_id: waiting?.id, decision: 'refuse', reason: 'No.' })
    let begin = performance.now()
    await expect.poll(counts, all).toEqual(shown(1))
    const leftMs = performance.now() - begin

    ui.service.endpoint.script(
      calls({ name: 'http_request', arguments: { method: 'POST', url: 'http://127.0.0.1:9/refunds', body: '{}' } }),
    )
    await ui.service.post('/v1/inbound/shop', { external_id: 'carl', text: 'Mine too.' })
    await until(async () => (await pending()).length === 1)
    begin = performance.now()
    await expect.poll(counts, all).toEqual(shown(2))
    const cameMs = performance.now() - begin
    console.info(`what waits: came in ${cameMs.toFixed(0)} ms, left in ${leftMs.toFixed(0)} ms`)
    expect(Math.max(cameMs, leftMs)).toBeLessThan(countedWithinMs)
    await wide.close()
    await phone.close()
  })

  it('a turn that waits has one word and one mark in turns, conversations and its conversation', async () => {
    const { page, close } = await ui.open('/turns')
    const wordOf = async (of: Page) => {
      const state = of.locator('main [data-state=waiting]').filter({ hasText: /./ }).last()
      await state.waitFor()
      return [await state.textContent(), await state.locator('svg').innerHTML()]
    }
    const inTurns = await wordOf(page)
    expect(inTurns[0]).toBe('Waiting')
    await go(page, '/conversations')
    expect(await wordOf(page)).toEqual(inTurns)
    const { body } = await ui.owner.get('/v1/admin/turns?status=waiting')
    const [turn] = body['items'] as { id: string; conversation_id: string }[]
    for (const path of [`/conversations/${turn?.conversation_id}`, `/turns/${turn?.id}`]) {
      await go(page, path)
      expect(await wordOf(page), path).toEqual(inTurns)
    }
    await close()
  })

  it('who prefers the dark sees no white page before the app is there', async () => {
    const { page, close } = await ui.open('/about:blank', { colorScheme: 'dark' }, [/./])
    await page.route('**/assets/*.js', (route) => route.abort())
    await page.goto(`${ui.url}/about`)
    await page.locator('.starting').waitFor()
    const ground = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    expect(ground).toBe('rgb(16, 17, 20)')
    await close()
  })
})
