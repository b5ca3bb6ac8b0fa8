/** The first run in a real browser: first operator, model, chat, channel, up to the first message. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GatewayUnderTest } from '../support/gateway.ts'
import { completionOf, failure, hang, json, type ScriptedAnswer, streamOf } from '../support/model-endpoint.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath, leaveChromium, sharedChromium, watchedPage } from './support/chromium.ts'
import { uiService } from './support/ui-service.ts'

/** The list of models is always there, in whatever order it and the trial are asked. */
const only =
  (answer: ScriptedAnswer): ScriptedAnswer =>
  (call) =>
    (call.request.method === 'GET' ? json({ data: [{ id: 'scripted-1' }, { id: 'scripted-2' }] }) : answer)(call)

/** Chromium's console line for a refused request. */
const answered = /Failed to load resource: the server responded with a status of 40[139]/

describe.skipIf(chromiumPath === undefined)('the first run', () => {
  let service: GatewayUnderTest
  let browser: Browser
  const password = 'correct horse battery'

  beforeAll(async () => {
    service = await uiService({ SERVICE_LLM_GATEWAY_URL: '', SERVICE_MODERATION: 'off' })
    browser = await sharedChromium()
  })
  afterAll(async () => {
    if (browser) await leaveChromium(browser)
    await service?.stop()
  })

  async function becomeOwner(page: Page): Promise<void> {
    await page.goto(`http://127.0.0.1:${service.gateway.uiPort}/`)
    await page.getByRole('heading', { name: 'Create the first operator' }).waitFor()
    expect(
      await page.evaluate<string>('document.activeElement.name || document.activeElement.labels[0].textContent'),
    ).toContain('Setup code')
    await page.getByLabel('Setup code').fill('WRONG-CODE')
    await page.getByLabel('Login').fill('ada')
    await page.getByLabel('Your name').fill('Ada')
    await page.getByLabel('Password', { exact: false }).first().fill(password)
    await page.getByRole('button', { name: 'Become the owner' }).click()
    await page.getByText('Wrong setup code.').waitFor()
    await page.getByLabel('Setup code').fill(service.gateway.setupCode ?? '')
    await page.getByRole('button', { name: 'Become the owner' }).click()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
  }

  /** Stopping a trial aborts the request to the endpoint too. */
  async function giveUpTrials(page: Page): Promise<void> {
    const { endpoint } = service
    const step = page.getByRole('region', { name: 'Model endpoint' })
    const givenUp = async (giveUp: () => Promise<void>) => {
      const before = endpoint.abortedCalls
      endpoint.script(hang)
      await step.getByRole('button', { name: 'Test', exact: true }).click()
      await endpoint.until(() => endpoint.openCalls === 1)
      await giveUp()
      // Long before a trial times out.
      await expect.poll(() => endpoint.abortedCalls).toBe(before + 1)
    }
    await step.getByLabel('Address').fill(endpoint.url)
    await givenUp(() => step.getByRole('button', { name: 'Stop' }).click())
    await givenUp(() => step.getByLabel('Model', { exact: true }).fill('another'))
    page.once('dialog', (question) => void question.accept())
    await givenUp(() => page.getByRole('button', { name: /^First chat/ }).click())
    await page.getByRole('button', { name: /^Model endpoint/ }).click()
    expect(await page.getByRole('alert').count()).toBe(0)
  }

  async function storedAddress(): Promise<string | undefined> {
    const rows = await service.db.system<{ value: string }>`
      select value from settings where key = 'SERVICE_LLM_GATEWAY_URL'`
    return rows.at(0)?.value
  }

  /** What fails its test is saved only by the second button; saved settings apply at once. */
  async function connectModel(page: Page): Promise<void> {
    const { endpoint } = service
    const step = page.getByRole('region', { name: 'Model endpoint' })
    const save = () => step.getByRole('button', { name: 'Test and save' }).click()
    await step.getByLabel('Address').fill('ftp://127.0.0.1/v1')
    await step.getByLabel('Address').press('Enter')
    await step.getByRole('alert').getByText('It fails at: Address.').waitFor()
    expect(await step.getByRole('button', { name: 'Save anyway' }).count()).toBe(0)
    await step.getByLabel('Address').fill('http://127.0.0.1:9/v1')
    await step.getByLabel('Address').press('Enter')
    await step.getByRole('alert').getByText('It fails at: Connection.').waitFor()
    await step.getByText('turns fail until the endpoint answers').waitFor()
    expect(await storedAddress()).toBeUndefined()
    await step.getByRole('button', { name: 'Save anyway' }).click()
    await step.getByText('Saved. It applies from the next turn on, without a restart.').waitFor()
    expect(await storedAddress()).toBe('http://127.0.0.1:9/v1')

    await step.getByLabel('Address').fill(endpoint.url)
    await step.getByLabel('Key', { exact: true }).fill('sk-wrong')
    await step.getByLabel('Model', { exact: true }).fill('nothing-like-it')
    endpoint.always(only(failure(401, 'no such key')))
    await save()
    await step.getByText('It fails at: Key.').waitFor()
    await step.getByLabel('Key', { exact: true }).fill('sk-right')
    endpoint.always(only(failure(404, 'no such model')))
    await save()
    await step.getByText('It fails at: Answer.').waitFor()
    await expectAccessible(page)
    endpoint.always(only(json(completionOf('Yes.'))))
    await step.getByText('The endpoint lists 2 models').waitFor()
    await step.getByLabel('Model', { exact: true }).fill('scrip')
    await page.getByRole('option', { name: 'scripted-1' }).click()
    await step.getByRole('button', { name: 'Test', exact: true }).click()
    await step.getByText('The model answers.').waitFor()
    await save()
    await step.getByText('Saved. It applies from the next turn on, without a restart.').waitFor()
    expect(await step.getByLabel('Key', { exact: true }).inputValue()).toBe('')
  }

  async function chatOnce(page: Page): Promise<void> {
    const step = page.getByRole('region', { name: 'First chat' })
    service.endpoint.script(streamOf(['I am ', 'your agent.']))
    await step.getByLabel('Message').fill('Hello, who are you?')
    await step.getByRole('button', { name: 'Send' }).click()
    await step.getByText('I am your agent.').waitFor()
    await step.getByText('The first answer has arrived.').waitFor()
    await page.getByRole('button', { name: /^First chat.*done/ }).waitFor()
    expect(service.endpoint.requests.at(-1)?.headers.authorization).toBe('Bearer sk-right')
    expect(service.endpoint.requests.at(-1)?.body.model).toBe('scripted-1')
  }

  /** Posts what the shown command posts. */
  async function firstMessage(page: Page): Promise<void> {
    const step = page.getByRole('region', { name: 'First channel' })
    await step.getByRole('button', { name: 'Create channel' }).click()
    const command = (await step.getByRole('region', { name: 'The command' }).textContent()) ?? ''
    await step.getByText('Waiting for the first message…').waitFor()
    const [, url = ''] = /curl -sS (\S+)/.exec(command) ?? []
    const [, body = ''] = /-d '(.*)'/.exec(command) ?? []
    expect(url).toBe(`${service.url}/v1/inbound/app`)
    service.endpoint.script(streamOf(['Good morning ', 'to you.']))
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(url, { method: 'POST', headers, body })
    expect(await response.json()).toMatchObject({ disposition: 'accepted' })
    await step.getByText('The first message has arrived.').waitFor()
    await step.getByText('Good morning!').last().waitFor()
    await step.getByText(/Answer:/).waitFor()
    await step.getByText('That was all. The service answers in a channel.').waitFor()
    await expectAccessible(page)
  }

  it('leads from the setup code over a model and a chat to the first message of a channel', async () => {
    const { page, consoleErrors, close } = await watchedPage(browser, {}, [answered])
    await becomeOwner(page)
    await giveUpTrials(page)
    await connectModel(page)
    await page.getByRole('button', { name: 'Next' }).click()
    await chatOnce(page)

    // Left, and resumed at the same step.
    await page.getByRole('link', { name: 'To the overview' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.goto(`http://127.0.0.1:${service.gateway.uiPort}/first-steps`)
    await firstMessage(page)
    await page.getByRole('button', { name: 'To the overview' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('signs the owner in again, and nobody without the password; in Russian, in the dark, on a narrow screen', async () => {
    const options = { locale: 'ru-RU', colorScheme: 'dark', viewport: { width: 390, height: 844 } } as const
    const { page, consoleErrors, close } = await watchedPage(browser, options, [answered])
    await page.goto(`http://127.0.0.1:${service.gateway.uiPort}/`)
    await page.getByRole('button', { name: 'Войти' }).click()
    const login = page.getByLabel('Логин')
    const message = () =>
      login.evaluate((field) => (field as unknown as { validationMessage: string }).validationMessage)
    await expect.poll(message).toBe('Заполните это поле.')
    await login.fill('ada')
    await page.getByLabel('Пароль').first().fill('wrong wrong wrong')
    await page.getByRole('button', { name: 'Войти' }).click()
    await page.getByText('Неверный логин или пароль.').waitFor()
    await page.getByLabel('Пароль').first().fill(password)
    await page.getByRole('button', { name: 'Войти' }).click()
    await page.getByRole('heading', { name: 'Обзор' }).waitFor()
    for (const step of ['model', 'chat', 'channel']) {
      await page.goto(`http://127.0.0.1:${service.gateway.uiPort}/first-steps?step=${step}`)
      await page.getByRole('heading', { name: 'Первые шаги' }).waitFor()
      await page.getByRole('navigation', { name: 'Шаги' }).getByText('готово').nth(2).waitFor()
      await expectAccessible(page)
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      expect(width, step).toBeLessThanOrEqual(390)
    }
    expect(consoleErrors).toEqual([])
    await close()
  })
})
