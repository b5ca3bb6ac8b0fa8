/** The service is killed and restarted while operators work in a real browser: they see it, lose nothing, and see the current state afterwards. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../bench/process/free-port.ts'
import { ServiceProcess } from '../crash/under-kill.ts'
import { freshAddress } from '../support/database.ts'
import { testKey, urlOf } from '../support/gateway.ts'
import { type ModelEndpoint, modelEndpoint, streamOf } from '../support/model-endpoint.ts'
import { chromiumPath, leaveChromium, sharedChromium, watchedPage } from './support/chromium.ts'
import { ownerLogin, ownerPassword } from './support/signed-in.ts'

/** Chromium's console lines while the service is down. */
const away =
  /net::ERR_(CONNECTION_REFUSED|CONNECTION_RESET|INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|SOCKET_NOT_CONNECTED)|status of 401 .*auth\/session/

/** Tabs reconnect after seconds, some after half a minute. */
const backWithinMs = 40_000

describe.skipIf(chromiumPath === undefined)('a service that is killed during work', () => {
  let folder: string
  let database: Awaited<ReturnType<typeof freshAddress>>
  let endpoint: ModelEndpoint
  let service: ServiceProcess
  let chromium: Browser
  let uiUrl: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'service-restart-'))
    database = await freshAddress()
    endpoint = await modelEndpoint()
    const uiPort = await freePort()
    uiUrl = `http://127.0.0.1:${uiPort}`
    service = new ServiceProcess({
      folder,
      port: await freePort(),
      environment: {
        SERVICE_BOOTSTRAP_KEY: testKey,
        SERVICE_DATABASE_URL: urlOf(database.address),
        SERVICE_WEBUI_ADDR: `127.0.0.1:${uiPort}`,
        SERVICE_LLM_GATEWAY_URL: endpoint.url,
        SERVICE_LLM_MODEL: 'scripted-1',
        SERVICE_MODERATION: 'off',
      },
    })
    ;[chromium] = await Promise.all([sharedChromium(), service.start()])
  })
  afterAll(async () => {
    if (chromium) await leaveChromium(chromium)
    await service?.stop()
    await endpoint?.close()
    await database?.drop()
    await rm(folder, { recursive: true, force: true })
  })

  async function signUp(page: Page): Promise<void> {
    const code = /\n\s+([A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4})\n/
    const setupCode = async () => code.exec(await readFile(join(folder, 'service.log'), 'utf8'))?.[1] ?? ''
    await expect.poll(setupCode).not.toBe('')
    await page.goto(uiUrl)
    await page.getByLabel('Setup code').fill(await setupCode())
    await page.getByLabel('Login').fill(ownerLogin)
    await page.getByLabel('Password', { exact: false }).first().fill(ownerPassword)
    await page.getByRole('button', { name: 'Become the owner' }).click()
    await page.getByRole('heading', { name: 'First steps' }).waitFor()
  }

  async function stored(): Promise<string> {
    const answer = await fetch(`${service.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${testKey}`,
        'content-type': 'application/json',
        'x-service-conversation-id': 'new',
      },
      body: JSON.stringify({ model: 'scripted-1', messages: [{ role: 'user', content: 'good morning' }] }),
    })
    await answer.text()
    expect(answer.status).toBe(200)
    return answer.headers.get('x-service-conversation-id') ?? ''
  }

  it('is shown as unreachable, reconnects by itself, and loses nothing that was typed or stored', async () => {
    const { page: form, context, consoleErrors, close } = await watchedPage(chromium, {}, [away])
    await signUp(form)
    const conversation = await stored()
    const [log, talk, playground] = await Promise.all([
      openTab(context, '/log'),
      openTab(context, `/conversations/${conversation}`),
      openTab(context, '/playground'),
      form.goto(`${uiUrl}/agents/new`),
    ])
    const never = new Promise<void>(() => {})

    // An unsaved agent, a followed log, and a streaming answer in both kinds of conversation.
    await form.getByLabel('Name').fill('concierge')
    await form.getByLabel('Instructions').fill('You welcome guests.')
    await log.getByText('Following').waitFor()
    endpoint.script(streamOf(['half of an answer ', 'never said'], { gate: never }))
    await talk.getByLabel('Message', { exact: true }).fill('how late is breakfast?')
    await talk.keyboard.press('Enter')
    await talk.getByText('half of an answer', { exact: true }).waitFor()
    await talk.getByLabel('Message', { exact: true }).fill('and dinner')
    endpoint.script(streamOf(['begun and ', 'never ended'], { gate: never }))
    await playground.getByRole('combobox', { name: 'Agent or model' }).fill('scripted-1')
    await playground.getByLabel('Message').fill('one question')
    await playground.getByRole('button', { name: 'Send' }).click()
    await playground.getByText('begun and', { exact: true }).waitFor()
    await playground.getByLabel('Message').fill('another question')

    await service.kill()
    await log.getByText('Connection lost, reconnecting').waitFor()
    await talk.getByText('Connection lost, reconnecting', { exact: false }).waitFor()
    expect(await talk.getByText('writing…').count()).toBe(0)
    await playground.getByText('The connection was lost before the answer ended', { exact: false }).waitFor()
    await form.getByRole('button', { name: 'Create' }).click()
    await form.getByRole('alert').getByText('does not answer', { exact: false }).waitFor()
    expect(await form.getByLabel('Instructions').inputValue()).toBe('You welcome guests.')
    // Input that could not be sent stays in the form.
    await talk.getByLabel('Message', { exact: true }).press('Enter')
    await talk.getByRole('alert').getByText('does not answer', { exact: false }).waitFor()

    endpoint.script(streamOf(['Breakfast ', 'is until ten.']))
    await service.start()
    // Without any input from here on.
    await log.getByText(/^Node \d+ started at \d\d:\d\d:\d\d/).waitFor({ timeout: backWithinMs })
    await log.getByText('Following').waitFor({ timeout: backWithinMs })
    await talk.getByText('Breakfast is until ten.', { exact: true }).waitFor({ timeout: backWithinMs })
    await expect.poll(() => talk.getByText('Connection lost', { exact: false }).count()).toBe(0)
    await talk.getByText('completed').nth(1).waitFor()
    expect(await talk.getByRole('article').count()).toBe(4)
    expect(await talk.getByText('half of an answer').count()).toBe(0)

    endpoint.script(streamOf(['Dinner ', 'is from six.']))
    expect(await talk.getByLabel('Message', { exact: true }).inputValue()).toBe('and dinner')
    await talk.getByLabel('Message', { exact: true }).press('Enter')
    await talk.getByText('Dinner is from six.', { exact: true }).waitFor()
    expect(await playground.getByLabel('Message').inputValue()).toBe('another question')
    endpoint.script(streamOf(['said ', 'to its end']))
    await playground.getByRole('button', { name: 'Regenerate' }).click()
    await playground.getByText('said to its end').waitFor()
    await form.getByRole('button', { name: 'Create' }).click()
    await form.getByRole('heading', { level: 1, name: 'concierge' }).waitFor()
    expect(await form.getByLabel('Instructions').inputValue()).toBe('You welcome guests.')
    expect(consoleErrors).toEqual([])
    await close()
  })

  async function openTab(context: BrowserContext, path: string): Promise<Page> {
    const page = await context.newPage()
    await page.goto(`${uiUrl}${path}`)
    return page
  }
})
