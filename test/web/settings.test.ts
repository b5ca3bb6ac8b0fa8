/** The settings page in a real browser: settings are found, changed together, refused and saved, with conflicts shown. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { groups, settingKeys, settingOf } from '../../config/catalogue.ts'
import { commandName } from '../../runtime/command-name.ts'
import { groupsRu } from '../../web/pages/settings/groups-ru.ts'
import { names } from '../../web/pages/settings/names.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { endSessionsAt } from './support/end-sessions.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

/** Chromium's console line for a refused request. */
const answered = /Failed to load resource: the server responded with a status of 40[0139]/

it('has a name for every setting, and Russian words for every setting and every group', () => {
  expect(settingKeys.filter((key) => !(key in names))).toEqual([])
  expect(Object.keys(names).filter((key) => !settingKeys.includes(key as (typeof settingKeys)[number]))).toEqual([])
  expect(settingKeys.filter((key) => !/[а-яё]/i.test(settingOf(key).help.ru))).toEqual([])
  expect(Object.keys(groups).filter((group) => !(group in groupsRu))).toEqual([])
})

describe.skipIf(chromiumPath === undefined)('the settings page', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_MODERATION: 'off' })
  })
  afterAll(() => ui?.stop())

  it('changes several together after a review, and shows what needs a restart', async () => {
    const { page, consoleErrors, close } = await ui.open('/settings')
    const temperature = page.getByRole('region', { name: 'SERVICE_LLM_TEMPERATURE' })
    await temperature.getByRole('textbox').fill('0.4')
    await page.getByRole('region', { name: 'SERVICE_LLM_RETRIES' }).getByRole('textbox').fill('5')
    await page.getByText('2 changes', { exact: true }).waitFor()
    // Looking for another setting loses nothing, and is not asked about.
    await page.getByRole('searchbox').fill('SERVICE_AUDIT_RETENTION_DAYS')
    await page.getByRole('region', { name: 'SERVICE_AUDIT_RETENTION_DAYS' }).waitFor()
    await page.getByRole('searchbox').fill('')
    await temperature.waitFor()
    await page.getByText('2 changes', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Review' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`${commandName()} settings set SERVICE_LLM_RETRIES 5`).waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved. 1 of the changes applies after a restart.').waitFor()
    await page.getByText('1 change waits for a restart of the service.').waitFor()
    expect(await temperature.getByRole('textbox').inputValue()).toBe('0.4')
    const { body } = await ui.owner.get('/v1/admin/settings')
    const items = body['items'] as { key: string; value: string; pending_restart: boolean }[]
    expect(items.find(({ key }) => key === 'SERVICE_LLM_RETRIES')).toMatchObject({ value: '5', pending_restart: true })
    expect(items.find(({ key }) => key === 'SERVICE_LLM_TEMPERATURE')).toMatchObject({
      value: '0.4',
      pending_restart: false,
    })
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('marks refused settings, saves nothing, and keeps the input', async () => {
    const { page, consoleErrors, close } = await ui.open('/settings?q=SERVICE_LLM_TOP_P', {}, [answered])
    const field = page.getByRole('region', { name: 'SERVICE_LLM_TOP_P' }).getByRole('textbox')
    await field.fill('7')
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Nothing was saved. Correct the marked fields.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    expect(await field.inputValue()).toBe('7')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('marks the settings of features that this version does not have', async () => {
    const { page, close } = await ui.open('/settings?q=SERVICE_LDAP')
    const unused = page.getByRole('region', { name: 'SERVICE_LDAP_ENABLED' })
    await unused.getByText('This version does not have the feature that this setting belongs to.').waitFor()
    await page.goto(page.url().replace('SERVICE_LDAP', 'SERVICE_LLM_TOP_P'))
    const used = page.getByRole('region', { name: 'SERVICE_LLM_TOP_P' })
    await used.waitFor()
    expect(await used.getByText('no effect yet').count()).toBe(0)
    await close()
  })

  it('shows both values when somebody else stored another one, and overwrites nothing unseen', async () => {
    const key = 'SERVICE_SUBSCRIPTION_MAX_OUTPUT_TOKENS'
    await ui.owner.post('/v1/admin/settings', { set: { [key]: '100' } })
    const { page, consoleErrors, close } = await ui.open(`/settings?q=${key}`)
    const row = page.getByRole('region', { name: key })
    const field = row.getByRole('textbox')
    await field.fill('200')
    await ui.owner.post('/v1/admin/settings', { set: { [key]: '300' } })
    await row.getByText('Somebody else has changed this meanwhile').waitFor()
    expect(await row.getByText('Current value: 300').count()).toBe(1)
    // Further typing keeps the value that was stored when the edit began.
    await field.fill('250')
    await row.getByText('Your value: 250').waitFor()
    await page.getByRole('button', { name: 'Review' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Use mine' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    await field.fill('400')
    await ui.owner.post('/v1/admin/settings', { set: { [key]: '500' } })
    await row.getByRole('button', { name: 'Keep the current value' }).click()
    expect(await field.inputValue()).toBe('500')
    expect(await page.getByRole('button', { name: 'Discard' }).count()).toBe(0)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('shows a change made between review and saving, with both values', async () => {
    const key = 'SERVICE_LLM_CALL_TIMEOUT_S'
    const { page, consoleErrors, close } = await ui.open(`/settings?q=${key}`, {}, [answered])
    const row = page.getByRole('region', { name: key })
    await row.getByRole('textbox').fill('90')
    await page.getByRole('button', { name: 'Review' }).click()
    const dialog = page.getByRole('dialog')
    // The page cannot know: even the feed is slower than the click.
    const quiet = await page.route('**/v1/admin/settings', async (route) => {
      if (route.request().method() === 'POST') await ui.owner.post('/v1/admin/settings', { set: { [key]: '70' } })
      await route.continue()
    })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Current value: 70').waitFor()
    await dialog.getByText('Your value: 90').waitFor()
    await quiet?.dispose()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('of the first steps are not overwritten unseen either', async () => {
    // The endpoint of the test lists no models.
    const unlisted = /status of 502 .*\/v1\/admin\/models\/offered/
    const { page, consoleErrors, close } = await ui.open('/first-steps?step=model', {}, [answered, unlisted])
    const step = page.getByRole('region', { name: 'Model endpoint' })
    await step.getByLabel('Model', { exact: true }).fill('mine')
    const reloaded = page.waitForResponse((response) => response.url().endsWith('/v1/admin/settings') && response.ok())
    await ui.owner.post('/v1/admin/settings', { set: { SERVICE_LLM_MODEL: 'theirs' } })
    await reloaded
    await step.getByRole('button', { name: 'Test and save' }).click()
    await step.getByText('somebody else has saved Model = theirs in the meantime', { exact: false }).waitFor()
    await step.getByRole('button', { name: 'Test and save' }).click()
    await step.getByText('Saved. It applies from the next turn on', { exact: false }).waitFor()
    expect(await step.getByLabel('Model', { exact: true }).inputValue()).toBe('mine')
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('lets an admin change what the role allows, and names who may change the rest', async () => {
    const password = 'a long enough password'
    await ui.owner.post('/v1/admin/operators', { login: 'admin', role: 'admin', password })
    const { body } = await ui.owner.get('/v1/admin/settings')
    const items = body['items'] as { key: string; owner_only: boolean }[]
    expect(items.find(({ key }) => key === 'SERVICE_LLM_TEMPERATURE')?.owner_only).toBe(false)
    expect(items.find(({ key }) => key === 'SERVICE_LLM_GATEWAY_URL')?.owner_only).toBe(true)
    await ui.owner.signIn('admin', password)
    const { page, consoleErrors, close } = await ui.open('/settings')
    const theirs = page.getByRole('region', { name: 'SERVICE_LLM_TEMPERATURE' })
    const owners = page.getByRole('region', { name: 'SERVICE_LLM_GATEWAY_URL' })
    await owners.getByText('Only an owner can change this.').waitFor()
    expect(await owners.getByRole('textbox').isDisabled()).toBe(true)
    expect(await theirs.getByRole('textbox').isDisabled()).toBe(false)
    expect(await theirs.getByText('Only an owner can change this.').count()).toBe(0)
    expect(consoleErrors).toEqual([])
    await close()
    await ui.owner.signIn('ada', 'correct horse battery')
  })

  it('never shows a secret, even right after it was typed', async () => {
    const { page, consoleErrors, close } = await ui.open('/settings?q=SERVICE_LLM_API_KEY')
    const row = page.getByRole('region', { name: 'SERVICE_LLM_API_KEY' })
    await row.getByText('not set', { exact: true }).waitFor()
    await row.locator('input').fill('sk-very-secret')
    await page.getByRole('button', { name: 'Review' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('(secret, new value)').waitFor()
    expect(await dialog.textContent()).not.toContain('sk-very-secret')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('set', { exact: true }).waitFor()
    expect(await row.locator('input').inputValue()).toBe('')
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('keeps the input when the session ends, and saves it after signing in again', async () => {
    const { page, consoleErrors, close } = await ui.open('/settings?q=SERVICE_TIMEZONE', {}, [answered])
    await page.getByRole('region', { name: 'SERVICE_TIMEZONE' }).getByRole('textbox').fill('Europe/Berlin')
    await page.getByRole('button', { name: 'Review' }).click()
    await endSessionsAt('saving', ui, page)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    const login = page.getByRole('dialog', { name: 'Sign in' })
    await login.locator('input[name=password]').fill('correct horse battery')
    await login.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Saved.').waitFor()
    const [stored] = await ui.service.db.system<{
      value: string
    }>`select value from settings where key = 'SERVICE_TIMEZONE'`
    expect(stored?.value).toBe('Europe/Berlin')
    expect(consoleErrors).toEqual([])
    await close()
    await ui.owner.signIn('ada', 'correct horse battery')
  })

  it('works in Russian, in the dark, on a narrow screen', async () => {
    const { page, consoleErrors, close } = await ui.open('/settings?q=голос', {
      locale: 'ru-RU',
      colorScheme: 'dark',
      viewport: { width: 390, height: 800 },
    })
    await page.getByRole('region', { name: 'SERVICE_VOICE_DUPLEX' }).getByText('Живой двусторонний голос.').waitFor()
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(390)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
