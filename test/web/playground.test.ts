/** The playground in a real browser: streamed answers, an agent's progress, approvals, stopping, and a reload. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Effects, effectsServer } from '../actors/approvals/support/supervised.ts'
import { answer, calls, makeAgent } from '../actors/turn/support/agents.ts'
import { failure, hang, streamOf } from '../support/model-endpoint.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

/** Chromium's console line for a refused request. */
const answered = /Failed to load resource: the server responded with a status of (4\d\d|502)/

describe.skipIf(chromiumPath === undefined)('the playground', () => {
  let ui: UiUnderTest
  let effects: Effects
  beforeAll(async () => {
    effects = await effectsServer()
    ui = await uiUnderTest({
      SERVICE_APPROVAL_TOOLS: 'http_request',
      SERVICE_HTTP_ALLOWLIST: effects.host,
      SERVICE_LLM_MODEL: 'scripted-1',
      SERVICE_MODERATION: 'off',
    })
    await makeAgent(ui.service, 'buyer', { instructions: 'You buy things.' })
    const price = {
      model: 'scripted-1',
      currency: 'USD',
      from: '2020-01-01T00:00:00Z',
      units: { token_in: 2_000_000_000 },
    }
    expect((await ui.owner.post('/v1/admin/prices/import', { prices: [price] })).status).toBe(200)
  })
  afterAll(async () => {
    await ui?.stop()
    await effects?.close()
  })

  it('streams an answer, sends the chosen options, keeps the conversation over a reload, and clears it', async () => {
    const { page, consoleErrors, close } = await ui.open('/playground')
    const gate = Promise.withResolvers<void>()
    ui.service.endpoint.script(streamOf(['Good ', 'evening, ', 'Ada.'], { gate: gate.promise }))
    await page.getByRole('combobox', { name: 'Agent or model' }).fill('scripted-1')
    await page.getByRole('button', { name: 'Settings' }).click()
    await page.getByLabel('System prompt').fill('Be polite.')
    await page.getByLabel('Temperature').fill('3')
    await page.getByText('A number from 0 to 2.', { exact: true }).waitFor()
    await page.getByLabel('Temperature').fill('0.2')
    await page.getByLabel('Message').fill("Who's there?")
    await page.getByRole('button', { name: 'As curl' }).click()
    const command = (await page.getByRole('region', { name: 'The same with curl' }).textContent()) ?? ''
    expect(command).toContain(`-H "authorization: Bearer $SERVICE_KEY"`)
    expect(command).toContain(`"content": "Who'\\''s there?"`)
    await page.keyboard.press('Escape')
    await page.getByLabel('Message').press('Enter')
    const words = page.locator('[data-words]')
    await words.getByText('Good', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    gate.resolve()
    await words.getByText('Good evening, Ada.').waitFor()
    expect(ui.service.endpoint.requests.at(-1)?.body).toMatchObject({
      temperature: 0.2,
      messages: [
        { role: 'system', content: 'Be polite.' },
        { role: 'user', content: "Who's there?" },
      ],
    })
    await page.getByRole('button', { name: 'Regenerate' }).waitFor()
    await expectAccessible(page)

    await page.reload()
    await words.getByText('Good evening, Ada.').waitFor()
    ui.service.endpoint.script(answer('Once more, good evening.'))
    await page.getByRole('button', { name: 'Regenerate' }).click()
    await words.getByText('Once more, good evening.').waitFor()
    expect(await page.getByText('Good evening, Ada.').count()).toBe(0)
    await page.getByRole('button', { name: 'New conversation' }).click()
    await page.getByText('No messages yet.', { exact: false }).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('shows an agent’s calls while they run, has one approved in place and one refused, and the result', async () => {
    const { page, consoleErrors, close } = await ui.open('/playground')
    const order = (path: string) => ({
      name: 'http_request',
      arguments: { method: 'POST', url: `http://${effects.host}${path}`, body: 'pieces=2' },
    })
    ui.service.endpoint.script(calls(order('/order')), calls(order('/pay')), answer('Ordered, not paid.'))
    await page.getByRole('combobox', { name: 'Agent or model' }).fill('buyer')
    await page.getByLabel('Message').fill('Buy two.')
    await page.getByRole('button', { name: 'Send' }).click()
    const first = page.getByRole('region', { name: 'buyer asks to call http_request' })
    await first.getByRole('group', { name: 'Arguments' }).getByText('/order', { exact: false }).waitFor()
    await page.getByRole('list', { name: 'Steps' }).getByText('Waiting', { exact: true }).waitFor()
    await page.getByText('waiting for an operator to approve http_request').waitFor()
    expect(effects.made).toEqual([])
    const release = effects.hold()
    await first.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('list', { name: 'Steps' }).getByText('Running', { exact: true }).waitFor()
    release()
    await first.getByText('/pay', { exact: false }).waitFor()
    await first.getByRole('button', { name: 'Refuse' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.locator('button:focus', { hasText: 'Refuse' }).waitFor()
    await first.getByRole('button', { name: 'Refuse' }).click()
    await page.getByLabel('Reason').fill('over the budget')
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.locator('[data-words]').getByText('Ordered, not paid.').waitFor()
    expect(effects.made).toEqual(['/order'])
    const promptMessages = JSON.stringify(ui.service.endpoint.requests.at(-1)?.body.messages)
    expect(promptMessages).toContain('over the budget')
    await page.getByText(/5 steps/).click()
    await expectAccessible(page)

    const turns = (await ui.owner.get('/v1/admin/turns?limit=1')).body['items'] as { id: string }[]
    await page.goto(`${ui.url}/turns/${turns.at(0)?.id}`)
    const waits = page
      .getByRole('list', { name: 'Steps' })
      .getByRole('listitem')
      .filter({ hasText: 'Waited for a person' })
    await waits.first().getByText('http_request').waitFor()
    expect(await waits.count()).toBe(2)
    expect(await waits.locator('[data-colour=waiting]').count()).toBe(2)
    await page.getByText('Waits for a person').waitFor()
    await expectAccessible(page)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('compares two: each answers the same, in Markdown that runs nothing, with tokens, times and cost; kept over a reload', async () => {
    const { page, consoleErrors, close } = await ui.open('/playground')
    await page.getByRole('combobox', { name: 'Agent or model' }).fill('scripted-1')
    ui.service.endpoint.script(answer('Just one.'))
    await page.getByLabel('Message').fill('How many lamps?')
    await page.getByLabel('Message').press('Enter')
    await page.getByText('Just one.').waitFor()

    await page.getByRole('button', { name: 'Compare', exact: true }).click()
    const [first, second] = [
      page.getByRole('region', { name: 'Conversation', exact: true }),
      page.getByRole('region', { name: 'Second conversation' }),
    ]
    await page.getByRole('combobox', { name: 'Second agent or model' }).fill('buyer')
    await page.keyboard.press('Tab')
    ui.service.endpoint.script(answer('Rather two.'))
    await second.getByRole('button', { name: 'Answer this' }).click()
    await second.getByText('Rather two.').waitFor()
    expect(await first.getByText('Rather two.').count()).toBe(0)

    const markdown = '**Three** lamps <img src=x onerror=alert(1)> ![p](http://127.0.0.1:9/p) [go](javascript:alert(1))'
    ui.service.endpoint.script(answer(markdown), answer(markdown))
    await page.getByLabel('Message').fill('And for two rooms?')
    await page.getByLabel('Message').press('Enter')
    for (const side of [first, second]) {
      await side.locator('strong', { hasText: 'Three' }).waitFor()
      // 9 tokens in at 2,000 dollars a million.
      await side.getByText('$0.02', { exact: true }).waitFor()
      await side.getByText('9 / 3').waitFor()
    }
    expect(await page.locator('main img, main [onerror], main [href^=javascript]').count()).toBe(0)
    const models = ui.service.endpoint.requests.slice(-2).map(({ body }) => body.messages.length)
    expect(models.toSorted()).toEqual([3, 4])
    await expectAccessible(page)
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)

    await page.reload()
    await second.getByText('Rather two.').waitFor()
    await page.getByRole('button', { name: 'End the comparison' }).click()
    await second.waitFor({ state: 'detached' })
    await first.getByText('Just one.').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('says so where no endpoint has the model that was chosen, of an agent too, and names the one that answered', async () => {
    await makeAgent(ui.service, 'dreamer', { instructions: 'You dream.', model: 'gone-model' })
    // More than one page of agents have its name in theirs.
    for (let n = 0; n < 101; n++) await makeAgent(ui.service, `dreamer-${n}`, { instructions: 'You dream too.' })
    const { page, consoleErrors, close } = await ui.open('/playground')
    for (const [chosen, missing] of [
      ['typed-model', 'typed-model'],
      ['dreamer', 'gone-model'],
    ] as const) {
      ui.service.endpoint.script(answer(`Words of ${chosen}.`))
      await page.getByRole('combobox', { name: 'Agent or model' }).fill(chosen)
      await page.getByLabel('Message').fill('Who are you?')
      await page.getByLabel('Message').press('Enter')
      const region = page.getByRole('article', { name: `Answer of ${chosen}` })
      await region.getByText(`${chosen} · scripted-1`, { exact: true }).waitFor()
      const said = `No endpoint has the model “${missing}”. The service asked its own instead. It was scripted-1.`
      await region.getByText(said).waitFor()
      await region.getByRole('button', { name: 'Regenerate' }).waitFor()
    }
    ui.service.endpoint.script(answer('It is me.'))
    await page.getByRole('combobox', { name: 'Agent or model' }).fill('scripted-1')
    await page.getByLabel('Message').fill('And you?')
    await page.getByLabel('Message').press('Enter')
    const region = page.getByRole('article', { name: 'Answer of scripted-1' })
    await region.getByText(/\$0\.\d/).waitFor()
    expect(await region.getByText('No endpoint has').count()).toBe(0)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('stops an answer, and shows a failure with its request id', async () => {
    const { page, consoleErrors, close } = await ui.open('/playground', {}, [answered])
    const before = ui.service.endpoint.abortedCalls
    ui.service.endpoint.script(hang)
    await page.getByRole('combobox', { name: 'Agent or model' }).fill('scripted-1')
    await page.getByLabel('Message').fill('Think long.')
    await page.getByRole('button', { name: 'Send' }).click()
    await ui.service.endpoint.until(() => ui.service.endpoint.openCalls === 1)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped by you.').waitFor()
    await ui.service.endpoint.until(() => ui.service.endpoint.abortedCalls === before + 1)

    ui.service.endpoint.script(failure(500, 'out of memory'))
    await page.getByRole('button', { name: 'Regenerate' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('endpoint_error').waitFor()
    expect(await alert.textContent()).toContain('playground-')

    await page.route('**/v1/chat/completions', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: 'data: {oops\n\n' })
    })
    await page.getByRole('button', { name: 'Regenerate' }).click()
    await alert.getByText('unreadable_answer').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('works in Russian, in the dark, on a narrow screen, and the page can be used while a long answer arrives', async () => {
    const { page, consoleErrors, close } = await ui.open('/playground', {
      locale: 'ru-RU',
      colorScheme: 'dark',
      viewport: { width: 390, height: 844 },
    })
    const lines = Array.from({ length: 3_000 }, (_, at) => `${at}: some words that fill a line of the answer\n`)
    const gate = Promise.withResolvers<void>()
    const halves = [lines.slice(0, 1_500).join(''), ...lines.slice(1_500)]
    ui.service.endpoint.script(streamOf(halves, { gate: gate.promise }))
    await page.getByRole('combobox', { name: 'Агент или модель' }).fill('scripted-1')
    await page.getByLabel('Сообщение').fill('Расскажи много.')
    await page.getByRole('button', { name: 'Отправить' }).click()
    await page.getByText('1499: some words', { exact: false }).waitFor()
    await page.getByLabel('Сообщение').fill('И ещё.')
    gate.resolve()
    await page.getByText('2999: some words', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Ответить заново' }).waitFor()
    expect(await page.getByLabel('Сообщение').inputValue()).toBe('И ещё.')
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(390)
    await expectAccessible(page)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
