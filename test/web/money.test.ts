/** What was used and what it cost, in a real browser: yesterday's cost by agent, prices, budgets, and what is kept. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiKeyId, firstWorkspaceId, type SubscriptionId, uuidOf } from '../../store/id.ts'
import { status, webhookReceiver } from '../actors/channel/support/webhook-receiver.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { go } from './support/navigation.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

/** Chromium's console line for a refused request. */
const answered = /Failed to load resource: the server responded with a status of (40[0139]|500)/

describe.skipIf(chromiumPath === undefined)('usage and money', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_MODERATION: 'off', SERVICE_LLM_MODEL: 'own', SERVICE_ALERT_INTERVAL_S: '3600' })
    await seedUsage()
  })
  afterAll(() => ui?.stop())

  /** Yesterday 40 turns of support, 4 of them failed, for $3.00, and 20 of billing for $1.50; the day before 40 for $2.00. */
  async function seedUsage(): Promise<void> {
    const workspace = uuidOf(firstWorkspaceId)
    // Entries that are older than the mark are taken as summed.
    await ui.service.db
      .system`update usage_mark set at = now() - interval '5 days', seen_at = now() - interval '5 days'`
    await ui.service.db.system`
      insert into usage_entries (at, workspace_id, origin, agent, endpoint, model, status, duration_ms, first_token_ms,
        token_in, token_cached, token_out, call, price_id, currency, micro_units)
      select date_trunc('day', now(), 'UTC') - days * interval '1 day' + interval '10 hours', ${workspace}::uuid, 'call', agent,
        'default', model, case when n <= failed then 'failed' else 'completed' end, 800, 200, 1000, 400, 100, 1, 1, 'USD', micro
      from (values
          ('support', 'large', 40, 4, 1, 75000), ('billing', 'small', 20, 0, 1, 75000), ('support', 'large', 40, 0, 2, 50000)
        ) as used (agent, model, turns, failed, days, micro), generate_series(1, turns) as n`
  }

  it('show yesterday’s cost by agent beside the day before, as a chart, a table and a file', async () => {
    const { page, consoleErrors, close } = await ui.open('/analytics', {}, [answered])
    await page.getByLabel('Time', { exact: true }).selectOption('yesterday')
    await page.getByLabel('Group by').selectOption('agent')
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) })
    await row('support').getByText('$3.00').waitFor()
    await row('support').getByText(/↑\s50/).waitFor()
    await row('billing').getByText('$1.50').waitFor()
    await row('Total').getByText('$4.50').waitFor()
    const figures = page.getByRole('region', { name: 'Figures' })
    await figures.getByText('before: $2.00').waitFor()

    // Errors with the turns behind them; the table says the same.
    await page.getByLabel('Show').selectOption('errors')
    await page.getByLabel('As a table: Errors over time').click()
    await page.getByRole('group', { name: 'Errors over time' }).getByText(/^6.7/).waitFor()
    await expectAccessible(page)

    await row('support').getByRole('button', { name: 'support' }).click()
    await row('billing').waitFor({ state: 'detached' })
    expect(new URL(page.url()).searchParams.get('value')).toBe('support')
    await page.reload()
    await row('support').getByText('$3.00').waitFor()

    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const file = await saving
    expect(file.suggestedFilename()).toMatch(/^usage-agent-.*\.csv$/)

    await page.getByRole('button', { name: 'Clear Agent' }).click()
    await page.getByLabel('Group by').selectOption('none')
    await page.getByLabel('Time', { exact: true }).selectOption('custom')
    await page.getByText('Choose a first and a last day').waitFor()

    // Dragging zooms in, a double click out, and a click leads to the turns of that hour.
    await page.getByLabel('Time', { exact: true }).selectOption('yesterday')
    const chart = page.getByRole('img', { name: 'Errors over time' })
    const over = chart.locator('.u-over')
    const figure = page.getByRole('region', { name: 'By hour' }).locator('figcaption')
    const box = await over.boundingBox()
    if (!box) throw new Error('the chart is drawn')
    const at = (share: number) => [box.x + box.width * share, box.y + box.height / 2] as const
    const timeAt = async (share: number) => {
      await page.mouse.move(...at(share))
      return await figure
        .getByText(/\d\d:\d\d/)
        .first()
        .textContent()
    }
    const whole = await timeAt(0.1)
    await page.mouse.move(...at(0.3))
    await page.mouse.down()
    await page.mouse.move(...at(0.7), { steps: 4 })
    await page.mouse.up()
    await expect.poll(() => timeAt(0.1)).not.toBe(whole)
    await page.mouse.dblclick(...at(0.5))
    await expect.poll(() => timeAt(0.1)).toBe(whole)
    await page.mouse.click(...at(0.44))
    await page.getByRole('button', { name: 'Clear Started' }).waitFor()
    const turnsAddress = new URL(page.url()).searchParams
    expect(turnsAddress.get('status')).toBe('failed')
    expect(Date.parse(turnsAddress.get('until') ?? '') - Date.parse(turnsAddress.get('since') ?? '')).toBe(3_600_000)
    await page.goBack()
    await figure.waitFor()

    // From the figures to the turns behind them.
    await page.getByLabel('Group by').selectOption('agent')
    await page.getByLabel('Time', { exact: true }).selectOption('yesterday')
    await row('support').getByRole('link', { name: '40' }).click()
    await page.getByRole('button', { name: 'Clear Started' }).waitFor()
    expect([...new URL(page.url()).searchParams.keys()].toSorted()).toEqual(['agent', 'since', 'until'])
    await page.goBack()
    await page.getByLabel('Group by').selectOption('none')

    // A refused answer says why, under which id, and how to go on.
    await page.route('**/v1/admin/analytics?*', (route) =>
      route.fulfill({
        status: 500,
        headers: {
          'x-request-id': 'req-of-the-test',
          'access-control-allow-origin': ui.url,
          'access-control-allow-credentials': 'true',
          'access-control-expose-headers': 'x-request-id',
        },
        json: { error: { message: 'broken', code: 'SVC-1', type: 'server_error', param: null } },
      }),
    )
    await page.getByLabel('Time', { exact: true }).selectOption('30d')
    await page.getByText('req-of-the-test').waitFor()
    await page.unroute('**/v1/admin/analytics?*')
    await page.getByRole('button', { name: 'Retry' }).click()
    await row('Everything').getByText('100', { exact: true }).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  /** Now: $3.00 of support, and 7 calls of a model without a price. */
  async function moreIsUsed(): Promise<void> {
    await ui.service.db.system`
      insert into usage_entries (at, workspace_id, origin, agent, endpoint, model, status, duration_ms, first_token_ms,
        token_in, token_cached, token_out, call, price_id, currency, micro_units)
      select now(), ${uuidOf(firstWorkspaceId)}::uuid, 'call', 'support', 'default', model, 'completed', 800, 200, 1000, 0, 100, 1,
        price, currency, micro
      from (values ('large', 1, 'USD', 3000000, 1), ('nova', null, '', 0, 7)) as used (model, price, currency, micro, calls),
        generate_series(1, calls)`
  }

  it('prices are set from a day on, by keyboard, kept in a history, exported and imported; models without one come first', async () => {
    await moreIsUsed()
    const { page, consoleErrors, close } = await ui.open('/prices', {}, [answered])
    const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}`) })
    await row('nova').getByText('No price').waitFor()
    await page.getByRole('region', { name: 'Prices' }).focus()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const pane = page.getByRole('complementary', { name: 'Prices of nova' })
    await pane.getByText('7 calls without a price').waitFor()
    await pane.getByRole('button', { name: 'New price' }).press('Enter')
    const dialog = page.getByRole('dialog')
    const save = dialog.getByRole('button', { name: 'Save price' })
    await save.click()
    await dialog.getByText('Enter at least one amount').waitFor()
    await dialog.getByLabel('A million tokens in').fill('2.5')
    await dialog.getByLabel('A million tokens out').fill('-1')
    await save.click()
    await dialog.locator('.mantine-NumberInput-root', { hasText: 'tokens out' }).getByText(/>=0/).waitFor()
    await dialog.getByLabel('A million tokens out').fill('10.075')
    await expectAccessible(page)
    await dialog.getByLabel('A million tokens out').press('Enter')
    await row('nova').getByText('$10.075').waitFor()
    await row('nova').getByText('No price').waitFor({ state: 'detached' })

    const later = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)
    for (const isRefused of [false, true]) {
      await pane.getByRole('button', { name: 'New price' }).click()
      await dialog.getByLabel('A million tokens in').fill('3')
      await dialog.getByLabel('From the day').fill(later)
      await save.click()
      if (isRefused) await dialog.getByText('Another price of this model and endpoint holds then').waitFor()
      else await pane.getByRole('button', { name: `Remove the price from ${later}` }).waitFor()
    }
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expectAccessible(page)

    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export JSON' }).click()
    const path = await (await saving).path()
    await pane.getByRole('button', { name: `Remove the price from ${later}` }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await expect.poll(async () => ((await ui.owner.get('/v1/admin/prices')).body['items'] as unknown[]).length).toBe(1)
    await page.getByRole('button', { name: 'Import' }).click()
    await dialog
      .getByLabel('File')
      .setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer: Buffer.from('[]') })
    await dialog.getByText('This file does not hold').waitFor()
    await dialog.getByLabel('File').setInputFiles(path)
    await dialog.getByText('2 prices in the file').waitFor()
    await dialog.getByLabel('Remove all other prices').check()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Import prices' }).click()
    await page.getByText('2 prices imported').waitFor()
    expect((await ui.owner.get('/v1/admin/prices')).body['items']).toMatchObject([
      { model: 'nova', currency: 'USD', units: { token_in: 2_500_000, token_out: 10_075_000 } },
      { model: 'nova', from: `${later}T00:00:00.000Z`, units: { token_in: 3_000_000 } },
    ])
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('keys and agents show their cost of 30 days, which leads to Analytics with the filter set', async () => {
    const made = await ui.owner.post('/v1/admin/apikeys', { name: 'shop', scopes: ['chat'] })
    const key = String(made.body['id'])
    await ui.owner.post('/v1/admin/agents', { name: 'support', definition: { instructions: 'You answer.' } })
    await ui.service.db.system`
      insert into usage_entries (workspace_id, origin, api_key_id, agent, model, status, duration_ms, token_in, token_out, call,
        price_id, currency, micro_units)
      values (${uuidOf(firstWorkspaceId)}::uuid, 'call', ${uuidOf(key as ApiKeyId)}::uuid, 'support', 'large', 'completed', 800, 100,
        10, 1, 1, 'USD', 250000)`
    const { page, consoleErrors, close } = await ui.open('/agents', {}, [answered])
    await page
      .getByRole('row', { name: /^support/ })
      .getByRole('link', { name: /^\$\d+\.25$/ })
      .waitFor()
    await go(page, '/keys')
    await page.getByRole('row', { name: /^shop/ }).getByRole('link', { name: '$0.25' }).click()
    await page.getByRole('region', { name: 'Figures' }).getByText('$0.25').waitFor()
    await page.getByText('API key shop').waitFor()
    expect(new URL(page.url()).searchParams.get('value')).toBe(key)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('budgets show how full they are, are refused at their field, changed and removed, and lead to what used them', async () => {
    const { page, consoleErrors, close } = await ui.open('/budgets', {}, [answered])
    await page.getByText('No budget yet').waitFor()
    await page.getByRole('button', { name: 'New budget' }).click()
    const dialog = page.getByRole('dialog')
    const save = dialog.getByRole('button', { name: 'Save' })
    await save.click()
    await dialog.getByText('Enter a soft limit, a hard limit, or both.').waitFor()
    await dialog.getByLabel('Soft limit').fill('2')
    await dialog.getByLabel('Hard limit').fill('1')
    await save.click()
    await dialog.getByText('The soft limit is above the hard limit.').waitFor()
    await dialog.getByLabel('Hard limit').fill('10000000000000')
    await save.click()
    // What the service refuses stands at the field too.
    await dialog.locator('.mantine-NumberInput-root', { hasText: 'Hard limit' }).getByText(/<=/).waitFor()
    await dialog.getByLabel('Hard limit').fill('40')
    await expectAccessible(page)
    await save.click()
    const row = page.getByRole('row', { name: /Workspace/ })
    await row.getByText('Soft limit reached').waitFor()
    await row.getByRole('meter').waitFor()
    await row.click()
    const pane = page.getByRole('complementary', { name: 'Budget of Workspace' })
    await pane.getByText('At the hard limit calls are refused').waitFor()
    await expectAccessible(page)

    await pane.getByRole('button', { name: 'Change' }).click()
    await dialog.getByLabel('Soft limit').fill('')
    await dialog.getByLabel('Hard limit').fill('1')
    await save.click()
    await row.getByText('Hard limit reached').waitFor()
    await pane.getByRole('link', { name: 'Show usage' }).click()
    await page.getByRole('row', { name: /^large/ }).waitFor()
    expect(new URL(page.url()).searchParams.get('span')).toBe('month')
    await page.goBack()
    await pane.getByRole('button', { name: 'Remove budget' }).click()
    await dialog.getByRole('button', { name: 'Remove budget' }).click()
    await page.getByText('No budget yet').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('a webhook is made with a secret that is shown once, tested, paused, sent again what failed, and deleted', async () => {
    const receiver = await webhookReceiver()
    const { page, consoleErrors, close } = await ui.open('/webhooks', {}, [answered])
    await page.getByText('No subscription yet').waitFor()
    await page.getByRole('button', { name: 'New subscription' }).press('Enter')
    const dialog = page.getByRole('dialog')
    const create = dialog.getByRole('button', { name: 'Create' })
    await dialog.getByLabel('By', { exact: true }).selectOption('mail')
    await dialog.getByText('No mail is sent yet').waitFor()
    await dialog.getByLabel('By', { exact: true }).selectOption('webhook')
    await dialog.getByLabel('Name').fill('hook')
    await dialog.getByLabel('Address').fill('ftp://127.0.0.1/')
    await create.click()
    await dialog.getByText('Choose at least one.').waitFor()
    await dialog.getByLabel('Alerts', { exact: true }).press('Space')
    await create.click()
    await dialog.getByText('target must begin with https:// or http://.').waitFor()
    await dialog.getByLabel('Address').fill(receiver.url)
    await dialog.getByLabel('Quiet hours').check()
    await dialog.getByLabel('Time zone').fill('Nowhere')
    await create.click()
    await dialog.getByText('must be a time zone such as Europe/Berlin').waitFor()
    await dialog.getByLabel('Time zone').fill('Europe/Berlin')
    await dialog.getByLabel('Time zone').blur()
    await expectAccessible(page)
    await dialog.getByLabel('Time zone').press('Enter')
    const shown = page.getByRole('region', { name: 'Signing secret' })
    const secret = await shown.textContent()
    expect(secret).toMatch(/^whsec_/)
    await dialog.getByRole('button', { name: 'Close' }).last().click()

    const pane = page.getByRole('complementary', { name: 'Subscription hook' })
    await pane.getByText('Europe/Berlin').waitFor()
    await pane.getByRole('button', { name: 'Change' }).click()
    await dialog.getByLabel('Quiet hours').uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await pane.getByText('Europe/Berlin').waitFor({ state: 'detached' })
    await pane.getByRole('button', { name: 'Change' }).click()
    await dialog.getByLabel('Address').fill('http://10.0.0.1/hook')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await pane.getByText('It is saved, but nothing is sent there').waitFor()
    await pane.getByText('10.0.0.1 is refused', { exact: false }).waitFor()
    await pane.getByRole('link', { name: 'Allowed addresses' }).waitFor()
    await expectAccessible(page)
    await pane.getByRole('button', { name: 'Change' }).click()
    await dialog.getByLabel('Address').fill(receiver.url)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await pane.getByText('It is saved, but nothing is sent there').waitFor({ state: 'detached' })
    await pane.getByRole('button', { name: 'Send a test' }).click()
    await pane.getByText('the receiver answered 2').waitFor()
    expect(receiver.received.map(({ raw }) => (JSON.parse(raw) as { type: string }).type)).toEqual([
      'subscription.test',
    ])

    receiver.always(status(410))
    expect((await ui.owner.post('/v1/admin/alerts/test', {})).body).toMatchObject({ subscriptions: 1 })
    await pane.getByRole('table', { name: 'Last deliveries' }).getByText('Undeliverable').waitFor()
    await expectAccessible(page)
    await pane.getByRole('button', { name: 'A test of the alerts' }).click()
    await dialog.getByRole('cell', { name: /^410/ }).waitFor()
    receiver.always(status(200))
    await dialog.getByRole('button', { name: 'Send again' }).click()
    await dialog.getByText('Undeliverable').waitFor({ state: 'detached' })
    await expectAccessible(page)
    await page.keyboard.press('Escape')

    const row = page.getByRole('row', { name: /hook/ })
    await pane.getByRole('button', { name: 'Pause' }).click()
    await row.getByText('Paused').waitFor()
    await pane.getByRole('button', { name: 'Resume' }).click()
    await row.getByText('Paused').waitFor({ state: 'detached' })
    await pane.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'New secret' }).click()
    await dialog.getByRole('button', { name: 'Make secret' }).click()
    await shown.waitFor()
    expect(await shown.textContent()).not.toBe(secret)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await pane.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No subscription yet').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
    await receiver.close()
  })

  it('alerts are listed with who was told, their rules changed, and a test sent', async () => {
    const posted = await ui.owner.post('/v1/admin/subscriptions', {
      name: 'on call',
      kind: 'webhook',
      target: 'http://127.0.0.1:9/hook',
      event_kinds: ['alert.*'],
    })
    expect(posted.status).toBe(201)
    const { page, consoleErrors, close } = await ui.open('/alerts', {}, [answered])
    await page.getByText('Nothing has fired').waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('A test is on its way to 1 subscription').waitFor()

    const rule = page.getByRole('row', { name: /^Many turns fail/ })
    await rule.getByRole('button', { name: 'from 5' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Threshold').fill('12.5')
    await dialog.getByLabel('For how long').fill('600')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await rule.getByRole('button', { name: /from 13.*for 10/ }).waitFor()
    await rule.getByRole('switch').click({ force: true })
    await expect
      .poll(async () => {
        const { body } = await ui.owner.get('/v1/admin/alerts/rules')
        return (body['items'] as { rule: string }[]).find((one) => one.rule === 'error_rate')
      })
      .toMatchObject({ threshold: 0.125, for_s: 600, is_enabled: false })

    await ui.service.db.system`
      insert into alerts (id, workspace_id, rule, subject, subject_name, state, value, threshold, began_at, fired_at)
      values (gen_random_uuid(), ${uuidOf(firstWorkspaceId)}::uuid, 'deliveries_failing', 'chan_7', 'shop', 'firing', 0.4, 0.2, now(), now())`
    await page.reload()
    await page
      .getByRole('row', { name: /Deliveries of a channel fail/ })
      .first()
      .getByText('shop')
      .click()
    await page.getByText('Nobody was told.').waitFor()
    // One notice that arrived does not hide one that did not.
    await ui.service.db.system`
      insert into subscription_deliveries (subscription_id, event_xid, event_id, id, workspace_id, event_kind, event_at, subject, status, expires_at)
      select ${uuidOf(posted.body['id'] as SubscriptionId)}::uuid, '1'::xid8, n, gen_random_uuid(), workspace_id, 'alert.fired', now(), id, status, now()
      from alerts, (values (1, 'delivered'), (2, 'undeliverable')) as notices (n, status) where subject = 'chan_7'`
    await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click()
    await page.reload()
    const told = page.getByRole('row', { name: /Deliveries of a channel fail/ }).first()
    await told.getByText('Undeliverable').waitFor()
    await told.getByText('1/2').waitFor()
    await told.click()
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Alerts 1' }).waitFor()
    await page.getByRole('complementary').getByRole('button', { name: 'Silence' }).press('Enter')
    await dialog.getByLabel('Why').fill('known')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Silence' }).click()
    const silence = page.getByRole('table', { name: 'Silences' }).getByRole('row', { name: /known/ })
    await silence.getByText('shop').waitFor()
    await expectAccessible(page)
    // What stands below the list does not press it together.
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 390, height: 844 })
    const fired = page.getByRole('table', { name: 'Alerts' }).getByRole('row', { name: /Deliveries of a channel/ })
    const [list, row] = [await page.getByRole('region', { name: 'Alerts' }).boundingBox(), await fired.boundingBox()]
    const bottomOf = (box: { y: number; height: number } | null) => (box ? box.y + box.height : Number.NaN)
    expect(bottomOf(row)).toBeLessThanOrEqual(bottomOf(list))
    await page.setViewportSize({ width: 1280, height: 720 })
    await silence.getByRole('button').click()
    await silence.waitFor({ state: 'detached' })
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('a cost that could not be read is said, not left out', async () => {
    const { page, consoleErrors, close } = await ui.open('/about', {}, [/status of 500/])
    await page.route('**/v1/admin/analytics?*', (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto(`${ui.url}/keys`)
    await page.getByRole('row').getByText('Not loaded').first().waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('what is kept for how long is changed in place, and a refusal is shown', async () => {
    const { page, consoleErrors, close } = await ui.open('/retention', {}, [answered])
    const row = page.getByRole('row', { name: /^Delivery attempts/ })
    await row.getByRole('button').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Days').fill('999999')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.locator('.mantine-NumberInput-error').waitFor()
    expect(await dialog.getByLabel('Days').getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page)
    await dialog.getByLabel('Days').fill('12')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByRole('button', { name: '12 days' }).waitFor()
    // A few rows are counted: an estimate of them would be none.
    const audited = page
      .getByRole('row', { name: /^Audit log/ })
      .getByRole('cell')
      .nth(3)
    expect(Number(await audited.textContent())).toBeGreaterThan(0)
    await expectAccessible(page)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
