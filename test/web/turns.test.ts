/** Turns in a real browser: found by facet and view, opened, shown step by step, and a call with an unknown outcome is resolved. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConversationId, firstWorkspaceId, idFrom, type TurnId, uuidOf } from '../../store/id.ts'
import { failure } from '../support/model-endpoint.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

describe.skipIf(chromiumPath === undefined)('turns', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_MODERATION: 'off' })
  })
  afterAll(() => ui?.stop())

  async function ask(text: string): Promise<void> {
    const body = { model: 'm', messages: [{ role: 'user', content: text }] }
    await (await ui.service.post('/v1/chat/completions', body)).text()
  }

  it('are listed live without moving what is read, by facet, order and view, and one shows its error', async () => {
    const { page, consoleErrors, close } = await ui.open('/about')
    // Turns of the chat endpoint cause no event: the list polls every five seconds, which the test does not wait for.
    await page.clock.install()
    await page.goto(`${ui.url}/turns`)
    await page.getByText('No turns yet').waitFor()
    await ask('hello')
    await page.clock.fastForward(5_000)
    const list = page.getByRole('table', { name: 'Turns' })
    await list.getByText('Completed', { exact: true }).waitFor()
    // It is there before it says something: screen readers hear only what changes in it.
    await expect.poll(() => page.getByRole('status').filter({ hasText: /^$/ }).count()).toBeGreaterThan(0)

    // Under the pointer nothing moves: the new turn waits until it is asked for.
    await list.getByText('Completed', { exact: true }).hover()
    ui.service.endpoint.script(failure(500, 'the model is unwell'))
    await ask('again')
    await page.clock.fastForward(5_000)
    const held = page.getByRole('button', { name: '1 new' })
    await held.waitFor()
    expect(await list.getByText('Failed', { exact: true }).count()).toBe(0)
    await held.click()
    await list.getByText('Failed', { exact: true }).waitFor()
    await expect.poll(() => held.count()).toBe(0)

    await page.clock.fastForward(15_000)
    const facets = page.getByRole('complementary', { name: 'Narrow the list' })
    await facets.getByRole('checkbox', { name: 'Failed', exact: true }).check()
    await expect.poll(() => list.getByText('Completed', { exact: true }).count()).toBe(0)
    await page.getByRole('columnheader').getByRole('button', { name: 'Latency' }).click()
    await list.getByRole('columnheader', { name: 'Latency', exact: true }).and(page.locator('[aria-sort]')).waitFor()
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByLabel('Name of the view').fill('slow failures')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'All turns' }).click()
    await list.getByText('Completed', { exact: true }).waitFor()
    await page.getByRole('button', { name: /Columns/ }).click()
    await page.getByRole('checkbox', { name: 'Error' }).check()
    await list.getByText('The model endpoint failed').waitFor()
    await page.keyboard.press('Escape')
    await page.reload()
    await list.getByText('The model endpoint failed').waitFor()
    await page.getByRole('button', { name: 'slow failures' }).click()
    await expect.poll(() => list.getByText('Completed', { exact: true }).count()).toBe(0)
    const { searchParams } = new URL(page.url())
    expect(Object.fromEntries(searchParams)).toEqual({ status: 'failed', order: 'duration' })
    await expectAccessible(page)

    // By keys alone: to the list, to its row, into it and back.
    await page.getByRole('region', { name: 'Turns' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Turn' }).waitFor()
    await page.getByRole('alert').getByText('The model endpoint failed').waitFor()
    await page.getByText('No steps are stored.', { exact: false }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Clear Status' }).waitFor()
    await page.getByRole('button', { name: 'Remove the view “slow failures”' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'slow failures', exact: true }).count()).toBe(0)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('keep the views that two tabs save', async () => {
    const { page, context, consoleErrors, close } = await ui.open('/turns?status=failed&order=duration')
    const other = await context.newPage()
    await other.goto(`${ui.url}/turns?status=cancelled&order=duration`)
    for (const [tab, name] of [
      [page, 'first tab'],
      [other, 'second tab'],
    ] as const) {
      await tab.getByRole('button', { name: 'Save view' }).click()
      await tab.getByLabel('Name of the view').fill(name)
      await tab.keyboard.press('Enter')
      await tab.getByRole('button', { name, exact: true }).waitFor()
    }
    await page.getByRole('button', { name: 'second tab', exact: true }).waitFor()
    await page.reload()
    for (const name of ['first tab', 'second tab']) await page.getByRole('button', { name, exact: true }).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('whose beginning cannot be shown are not called unstored where a conversation has it', async () => {
    const body = { model: 'm', messages: [{ role: 'user', content: 'a long story' }] }
    const answer = await ui.service.post('/v1/chat/completions', body, { 'x-service-conversation-id': 'new' })
    const conversation = answer.headers.get('x-service-conversation-id') as ConversationId
    await answer.text()
    await ui.service.db.system`delete from messages where conversation_id = ${uuidOf(conversation)}::uuid`
    const { page, consoleErrors, close } = await ui.open(`/turns?conversation_id=${conversation}`)
    const list = page.getByRole('table', { name: 'Turns' })
    await list.getByRole('link', { name: 'In the conversation' }).click()
    await page.getByText('The beginning cannot be shown here.').waitFor()
    expect(await page.getByText('not stored').count()).toBe(0)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('show their steps on a timeline, sub-agents below, and accept the outcome of an unknown call', async () => {
    await ask('with steps')
    const listed = await ui.owner.get('/v1/admin/turns?limit=1')
    const [{ id }] = listed.body['items'] as [{ id: TurnId }]
    await ui.service.db.system`
      insert into turn_steps (turn_id, path, n, workspace_id, kind, status, name, digest, request, result, prompt_tokens,
        completion_tokens, error_code, started_at, duration_ms)
      select ${uuidOf(id)}::uuid, path, n, ${uuidOf(firstWorkspaceId)}::uuid, kind, status, name, gen_random_uuid(), request::json,
        result::json, tokens, tokens, error, now() + after * interval '1 millisecond', ms
      from (values
        ('', 0, 'model', 'succeeded', 'big-model', null, null, 21, null, 0, 400),
        ('', 1, 'tool', 'unknown', 'pay', '{"sum": 12}', null, null, null, 400, 100),
        ('helper', 0, 'model', 'succeeded', 'small-model', null, null, 7, null, 500, 200),
        ('helper', 1, 'tool', 'failed', 'look_up', '{"what": "<img src=x onerror=alert(1)>"}', '"nothing there"', null, 'not_found', 700, 50),
        ('helper/deeper', 0, 'tool', 'succeeded', 'shout', '{}', '"A"', null, null, 710, 30)
      ) as made (path, n, kind, status, name, request, result, tokens, error, after, ms)`
    expect(idFrom('turn', uuidOf(id))).toBe(id)
    const { page, consoleErrors, close } = await ui.open(`/turns/${id}`)
    const steps = page.getByRole('list', { name: 'Steps' })
    await steps.getByText('big-model').waitFor()
    const rows = await steps.getByRole('listitem').allTextContents()
    const namesInOrder = [
      /^Main loop/,
      /^modelbig-model/,
      /^toolpay/,
      /^helper/,
      /^modelsmall-model/,
      /^toollook_up/,
      /^deeper/,
      /^toolshout/,
    ]
    expect(rows).toEqual(namesInOrder.map((name) => expect.stringMatching(name)))
    await steps.getByText('21 in, 21 out').waitFor()
    await steps.getByText('not_found').waitFor()
    await page.getByRole('button', { name: /look_up/ }).press('Enter')
    await page.getByText('onerror=alert(1)', { exact: false }).waitFor()
    await expectAccessible(page)
    await page.getByLabel('What you found', { exact: false }).fill('the bank knows nothing of it')
    await page.getByRole('button', { name: 'It did not' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'It did not' }).count()).toBe(0)
    const after = await ui.owner.get('/v1/admin/turns/unknown-effects')
    expect(after.body['items']).toEqual([])
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('work in Russian on a narrow dark screen, and show an error for an unknown id', async () => {
    const options = { locale: 'ru-RU', viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const
    const { page, consoleErrors, close } = await ui.open('/turns', options, [/status of 404/])
    await page
      .getByRole('table', { name: 'Ходы' })
      .getByRole('cell')
      .getByText('Ошибка', { exact: true })
      .first()
      .click()
    await page.getByRole('heading', { level: 1, name: 'Ход' }).waitFor()
    await page.getByText('Попытка').waitFor()
    await expectAccessible(page)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await page.goto(`${ui.url}/turns/turn_00000000000070008000000000000009`)
    await page.getByRole('alert').getByText('404').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })
})
