/** Deliveries in a real browser: found, opened, retried and cancelled, one by one and in bulk. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { status, type WebhookReceiver, webhookReceiver } from '../actors/channel/support/webhook-receiver.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { inTheme, type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

describe.skipIf(chromiumPath === undefined)('deliveries', () => {
  let ui: UiUnderTest
  let receiver: WebhookReceiver
  beforeAll(async () => {
    receiver = await webhookReceiver()
    ui = await uiUnderTest({ SERVICE_INBOUND_REQUIRE_BINDING: 'false' })
    for (const name of ['shop', 'other'])
      await ui.owner.post('/v1/admin/channels', { name, adapter: 'generic', config: { url: receiver.url } })
  })
  afterAll(async () => {
    await ui?.stop()
    await receiver?.close()
  })

  async function sendFrom(channel: string, sender: string): Promise<string> {
    const answer = await ui.service.post(`/v1/inbound/${channel}`, { external_id: sender, text: 'hello' })
    expect(answer.status).toBe(202)
    return ((await answer.json()) as { conversation_id: string }).conversation_id
  }

  it('that are undeliverable are found by filters that survive Back, opened, and retried alone or in bulk', async () => {
    const { page, consoleErrors, close } = await ui.open('/deliveries')
    await page.getByText('No deliveries yet').waitFor()
    receiver.always(status(410))
    for (const sender of ['anna', 'bert', 'carl']) await sendFrom('shop', sender)
    await sendFrom('other', 'dora')
    const badges = page.getByRole('row').getByText('Undeliverable', { exact: true })
    await expect.poll(() => badges.count()).toBe(4)

    const choose = async (value: string) => {
      await page.getByRole('button', { name: 'Filter', exact: true }).click()
      await page.getByRole('checkbox', { name: value, exact: true }).click()
      await page.keyboard.press('Escape')
    }
    await choose('shop')
    await expect.poll(() => badges.count()).toBe(3)
    await badges.first().click()
    const dialog = page.getByRole('dialog')
    const pane = page.getByRole('complementary', { name: 'Delivery' })
    await pane.getByText('Refused (410)').waitFor()
    await pane.getByRole('region', { name: 'Why it failed' }).getByText('the receiver answered 410').waitFor()
    await page.getByRole('row').filter({ hasText: 'carl' }).waitFor()
    await expectAccessible(page)
    receiver.always(status(204))
    await pane.getByRole('button', { name: 'Retry now' }).click()
    await pane.getByText('Delivered (204)').waitFor()
    await page.keyboard.press('Escape')
    await pane.waitFor({ state: 'detached' })

    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Deliveries' }).waitFor()
    await page.getByRole('button', { name: 'Clear Channel' }).waitFor()

    await page.getByRole('button', { name: 'Retry all…' }).click()
    await dialog.getByText('2 deliveries will be retried.').waitFor()
    expect(receiver.received).toHaveLength(5)
    await dialog.getByRole('button', { name: 'Retry them' }).click()
    await dialog.getByText('2 deliveries changed.').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('row').getByText('Delivered', { exact: true }).count()).toBe(3)
    await choose('Undeliverable')
    await page.getByText('Nothing matches these filters.').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('pending ones are cancelled after a confirmation; in Russian, in the dark, on a narrow screen', async () => {
    receiver.always(status(503, { 'retry-after': '3600' }))
    const conversation = await sendFrom('other', 'emil')
    const viewport = { width: 390, height: 844 }
    const { page, consoleErrors, close } = await ui.open('/', { locale: 'ru-RU', viewport })
    await inTheme(page, 'dark')
    await page.goto(`${ui.url}/deliveries?conversation=${conversation}`)
    await page.getByRole('row').getByText('Повторяется', { exact: true }).waitFor()
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.getByRole('button', { name: 'Отменить все…' }).click()
    await page.getByText('Будет отменена 1 доставка.').waitFor()
    await page.getByRole('button', { name: 'Отменить их' }).click()
    await page.getByText('Изменена 1 доставка.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Закрыть' }).last().click()
    await page.getByRole('row').getByText('Отменено', { exact: true }).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('that wait behind a failing one of their conversation say so, in the list and beside it, and lead to it', async () => {
    receiver.always(status(503, { 'retry-after': '3600' }))
    const conversation = await sendFrom('shop', 'zoe')
    const { page, consoleErrors, close } = await ui.open(`/deliveries?conversation=${conversation}`)
    await page.getByRole('row').getByText('next').waitFor()
    await sendFrom('shop', 'zoe')
    await page.getByRole('row').getByText('waits for an earlier answer').click()
    const pane = page.getByRole('complementary', { name: 'Delivery' })
    await pane.getByText('No attempts yet.').waitFor()
    await pane.getByRole('link', { name: 'an earlier answer of the conversation' }).click()
    await pane.getByText('Failed, retried (503)').waitFor()
    expect(await pane.getByText('Waits for').count()).toBe(0)
    await expectAccessible(page)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
