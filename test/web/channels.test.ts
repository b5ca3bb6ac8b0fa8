/** Channels in a real browser: created by the form of their kind, tested, paused, with bindings, and with their delivery errors. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { status, type WebhookReceiver, webhookReceiver } from '../actors/channel/support/webhook-receiver.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { inTheme, type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

const refusedLine = /Failed to load resource: the server responded with a status of 40[04]/

describe.skipIf(chromiumPath === undefined)('channels', () => {
  let ui: UiUnderTest
  let receiver: WebhookReceiver
  beforeAll(async () => {
    receiver = await webhookReceiver()
    ui = await uiUnderTest({ SERVICE_INBOUND_REQUIRE_BINDING: 'false' })
  })
  afterAll(async () => {
    await ui?.stop()
    await receiver?.close()
  })

  it('are created with a secret that is shown once, tested, paused, and offer a command that posts a message', async () => {
    const { page, consoleErrors, close } = await ui.open('/channels')
    await page.getByRole('link', { name: 'generic', exact: true }).waitFor()
    await page.getByRole('link', { name: 'New channel' }).click()
    await page.getByLabel('Name').fill('shop')
    await page.getByLabel('Address for answers').fill(receiver.url)
    await page.getByRole('button', { name: 'Generate' }).click()
    const secret = (await page.getByRole('region', { name: 'Signing secret' }).textContent()) ?? ''
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'shop' }).waitFor()
    expect(await page.content()).not.toContain(secret)
    expect(await page.getByLabel('Signing secret').first().inputValue()).toBe('')

    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText('Everything answers').waitFor()
    receiver.script(status(401))
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText('the receiver answered 401').waitFor()
    expect(receiver.received.every(({ headers }) => headers['webhook-signature'] !== undefined)).toBe(true)

    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Connected', { exact: true }).waitFor()

    await page.getByLabel('Deliveries per second').press('Control+a')
    await page.getByLabel('Deliveries per second').pressSequentially('0.5')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect((await ui.owner.get('/v1/admin/channels/shop')).body).toMatchObject({
      policy: { rate_per_s: 0.5, turns_max: 64 },
      secrets: ['signing_secret'],
      config: { url: receiver.url },
    })

    await page.getByRole('textbox', { name: 'Sender', exact: true }).fill('anna')
    await page.getByRole('button', { name: 'Bind' }).click()
    await page.getByRole('button', { name: 'Remove anna' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Nobody is bound yet.', { exact: false }).waitFor()

    const command = (await page.getByRole('region', { name: 'Command' }).textContent()) ?? ''
    expect(command).toContain(`${ui.service.url}/v1/inbound/shop`)
    receiver.always(status(410))
    expect((await ui.service.post('/v1/inbound/shop', { external_id: 'anna', text: 'hello' })).status).toBe(202)
    await page.getByText('the receiver answered 410').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('for mail and chat applications have different forms; a refusal names the field, and the input stays', async () => {
    const { page, consoleErrors, close } = await ui.open('/channels/_new', {}, [refusedLine])
    await page.getByLabel('Kind').selectOption('email')
    await page.getByLabel('Name').fill('mail')
    await page.getByLabel('SMTP server').fill('127.0.0.1')
    await page.getByLabel('Sender address').fill('agent@example.com')
    await page.getByLabel('IMAP server').fill('127.0.0.1')
    await page.getByLabel('IMAP user').fill('not a \u0007 user')
    await page.getByLabel('IMAP password').first().fill('password-of-mail')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('must not hold control characters', { exact: false }).waitFor()
    await page.getByLabel('IMAP user').fill('agent@example.com')
    await page.getByRole('switch', { name: 'Read a mailbox' }).press('Space')
    expect(await page.getByLabel('IMAP user').count()).toBe(0)
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'mail' }).waitFor()
    const { config } = (await ui.owner.get('/v1/admin/channels/mail')).body as { config: Record<string, unknown> }
    expect(config).toMatchObject({ smtp: { host: '127.0.0.1', port: 587, from: 'agent@example.com', secure: false } })
    expect(config).not.toHaveProperty('imap')

    await page.goto(`${ui.url}/channels/_new`)
    await page.getByLabel('Kind').selectOption('chatapp')
    await page.getByLabel('How messages arrive').selectOption('webhook')
    await page.getByLabel('Public address').waitFor()
    await page.getByLabel('Webhook secret').first().waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('say in the list and on their page why they are not connected, with a way on; filters stand in the address', async () => {
    const { page, consoleErrors, close } = await ui.open('/channels')
    const list = page.getByRole('table', { name: 'Channels' })
    const mail = list.getByRole('row').filter({ hasText: 'mail' })
    await mail.getByText('Disconnected, retrying').waitFor({ timeout: 15_000 })
    await mail.getByText('127.0.0.1', { exact: false }).first().waitFor()
    await page.getByRole('searchbox', { name: 'Search' }).fill('MAI')
    await expect.poll(() => list.getByRole('link').count()).toBe(1)
    await page.reload()
    await mail.waitFor()
    expect(new URL(page.url()).search).toBe('?q=MAI')
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('checkbox', { name: 'Off', exact: true }).click()
    await page.keyboard.press('Escape')
    await page.getByText('No channel fits these filters').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Clear 2 filters' }).click()
    await list.getByRole('link', { name: 'mail', exact: true }).click()
    await page.getByText('Not connected since', { exact: false }).waitFor()
    await page.getByText('It is tried again by itself', { exact: false }).waitFor()
    await page.getByRole('textbox', { name: 'Sender', exact: true }).fill('typed@example.com')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    expect(await page.getByRole('textbox', { name: 'Sender', exact: true }).inputValue()).toBe('typed@example.com')
    await page.getByRole('textbox', { name: 'Sender', exact: true }).fill('')
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Disconnected, retrying').waitFor({ timeout: 15_000 })
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('lead to the allowed addresses where the service does not connect by its own rules', async () => {
    const config = { smtp: { host: '10.0.0.1', port: 587, from: 'agent@example.com' } }
    const body = { name: 'inner', adapter: 'email', config }
    const made = await ui.owner.post('/v1/admin/channels', body)
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const { page, consoleErrors, close } = await ui.open('/channels/inner')
    await page.getByText('10.0.0.1 is refused', { exact: false }).waitFor()
    await page.getByText('An owner may allow this address.', { exact: false }).waitFor()
    await page.getByRole('link', { name: 'Allowed addresses' }).click()
    await page.getByText('Internal hosts for channels').first().waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('work in Russian, in the dark and on a narrow screen', async () => {
    const viewport = { width: 390, height: 844 }
    const { page, consoleErrors, close } = await ui.open('/', { locale: 'ru-RU', viewport })
    await inTheme(page, 'dark')
    await page.goto(`${ui.url}/channels`)
    await page.getByRole('link', { name: 'shop', exact: true }).click()
    await page.getByText('Кто может писать').waitFor()
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('are deleted after a confirmation; the built-in one is not', async () => {
    const { page, consoleErrors, close } = await ui.open('/channels/generic')
    await page.getByRole('heading', { name: 'generic' }).waitFor()
    await page.getByText('Recent delivery errors').waitFor()
    expect(await page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0)
    await page.goto(`${ui.url}/channels/mail`)
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('This cannot be undone.', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor()
    expect(await page.getByRole('link', { name: 'mail', exact: true }).count()).toBe(0)
    expect((await ui.owner.get('/v1/admin/channels/mail')).status).toBe(404)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
