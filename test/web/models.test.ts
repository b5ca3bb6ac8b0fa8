/** Model endpoints in a real browser: added with their models from the endpoint, tested, ordered, changed, removed, and on a turn. */
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completionOf, failure, json, type ModelEndpoint, modelEndpoint } from '../support/model-endpoint.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

const answered = /Failed to load resource: the server responded with a status of 40[0139]/

describe.skipIf(chromiumPath === undefined)('model endpoints', () => {
  let ui: UiUnderTest
  let spare: ModelEndpoint
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_MODERATION: 'off', SERVICE_LLM_MODEL: 'own' })
    spare = await modelEndpoint()
    spare.always((call) =>
      call.request.method === 'GET'
        ? json({ data: [{ id: 'small' }, { id: 'large' }] })(call)
        : json(completionOf('from the spare'))(call),
    )
  })
  afterAll(async () => {
    await spare?.close()
    await ui?.stop()
  })

  /** What fails its test stays in the form. */
  async function refuseDead(dialog: Locator): Promise<void> {
    await dialog.getByLabel('Address').fill('http://127.0.0.1:9/v1')
    await dialog.getByRole('button', { name: 'Test and save' }).click()
    await dialog.getByRole('alert').getByText('It fails at: Connection.').waitFor()
    await dialog.getByRole('button', { name: 'Save anyway' }).waitFor()
    const { body } = await ui.owner.get('/v1/admin/models/endpoints')
    expect(JSON.stringify(body)).not.toContain(':9/v1')
    await dialog.getByLabel('Address').fill(spare.url)
  }

  it('are added with the list of their models, tested before, ordered, changed and removed', async () => {
    const { page, consoleErrors, close } = await ui.open('/models', {}, [answered])
    const dialog = page.getByRole('dialog')
    await page
      .getByRole('row', { name: /default/ })
      .getByText('own', { exact: true })
      .waitFor()
    for (const name of ['spare', 'other']) {
      await page.getByRole('button', { name: 'New endpoint' }).click()
      await dialog.getByLabel('Name').fill(name)
      await dialog.getByLabel('Address').fill(spare.url)
      await dialog.getByRole('textbox', { name: 'Key' }).fill('sk-typed-by-hand')
      await dialog.getByRole('button', { name: 'Ask it for its models' }).click()
      await dialog.getByRole('button', { name: 'Take all' }).click()
      if (name === 'spare') await refuseDead(dialog)
      await dialog.getByRole('button', { name: 'Test', exact: true }).click()
      await dialog.getByText('from the spare', { exact: false }).waitFor()
      if (name === 'spare') await expectAccessible(page)
      await dialog.getByRole('button', { name: 'Test and save' }).click()
      await page
        .getByRole('row', { name: new RegExp(`^${name}`) })
        .getByText('small and 1 more')
        .waitFor()
    }
    expect(spare.requests.at(-1)?.headers.authorization).toBe('Bearer sk-typed-by-hand')
    await page.getByRole('button', { name: 'Ask other earlier' }).click()
    await page.getByRole('button', { name: 'Ask other earlier' }).and(page.locator(':disabled')).waitFor()

    const row = page.getByRole('row', { name: /^other/ })
    await row.getByText('small and 1 more').click()
    await dialog.getByLabel('It is asked').uncheck()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await row.getByText('Switched off').waitFor()
    await row.getByRole('button', { name: 'Actions of other' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await row.waitFor({ state: 'detached' })
    await expectAccessible(page)

    // The endpoint of the settings is out: the turn says who was asked.
    await ui.owner.post('/v1/admin/settings', { set: { SERVICE_LLM_FALLBACKS: 'spare/small' } })
    ui.service.endpoint.always(failure(503))
    const asked = await ui.service.post('/v1/chat/completions', {
      model: 'own',
      messages: [{ role: 'user', content: 'hi' }],
    })
    expect(await asked.json()).toMatchObject({ choices: [{ message: { content: 'from the spare' } }] })
    const turns = await ui.owner.get('/v1/admin/turns?limit=1')
    const [turn] = turns.body['items'] as { id: string }[]
    await page.goto(`${ui.url}/turns/${turn?.id}`)
    const endpoints = page.getByRole('table', { name: 'Model endpoints asked' })
    await endpoints
      .getByRole('row')
      .filter({ hasText: /default.*own.*503/ })
      .getByTitle('endpoint_overloaded')
      .waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('are shown in Russian, in the dark, on a narrow screen', async () => {
    const view = { locale: 'ru-RU', colorScheme: 'dark', viewport: { width: 390, height: 844 } } as const
    const { page, consoleErrors, close } = await ui.open('/models', view, [answered])
    await page.getByRole('heading', { name: 'Модели' }).waitFor()
    await page.getByText('spare', { exact: true }).waitFor()
    await expectAccessible(page)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
