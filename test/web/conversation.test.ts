/** Conversations in a real browser: found and organised, continued, answered live, copied, rated, and exported. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { streamOf } from '../support/model-endpoint.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { inTheme, ownerLogin, type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

/** Runs in the page. */
const showTab = (isVisible: boolean): string => `
  Object.defineProperty(document, 'hidden', { value: ${!isVisible}, configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))`

/** Its first words are the title of the page, too. */
const messagesOf = (page: Page, name = 'Messages') => page.getByRole('region', { name })

describe.skipIf(chromiumPath === undefined)('conversations', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_INBOUND_REQUIRE_BINDING: 'false', SERVICE_MODERATION: 'off' })
    await ui.owner.post('/v1/admin/channels', {
      name: 'shop',
      adapter: 'generic',
      config: { url: 'http://127.0.0.1:9/answers' },
    })
  })
  afterAll(() => ui?.stop())

  /** A conversation with these questions and scripted answers. */
  async function talk(...texts: string[]): Promise<string> {
    let id = ''
    for (const text of texts) {
      const answer = await ui.service.post(
        '/v1/chat/completions',
        { model: 'm', messages: [{ role: 'user', content: text }] },
        id === '' ? { 'x-service-conversation-id': 'new' } : { 'x-service-conversation-id': id },
      )
      expect(answer.status).toBe(200)
      id = answer.headers.get('x-service-conversation-id') ?? ''
      await answer.text()
    }
    return id
  }

  it('have an empty state, are told apart, found, opened beside the list, and organised after a count', async () => {
    const { page, consoleErrors, close } = await ui.open('/conversations')
    await page.getByText('No conversations yet').waitFor()
    const first = await talk('where is my parcel')
    await talk('thanks')
    await page.reload()
    const table = page.getByRole('table', { name: 'Conversations' })
    const rows = table.getByRole('checkbox', { name: 'Choose', exact: true })
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByText('2 conversations', { exact: true }).waitFor()
    // The first words are the title; below stands who spoke last, and what.
    await table.getByRole('link', { name: 'where is my parcel' }).waitFor()
    expect(await table.getByText('Assistant: word0 word1', { exact: false }).count()).toBe(2)
    await page.getByLabel('Search', { exact: true }).fill('parcel')
    await expect.poll(() => rows.count()).toBe(1)
    expect(new URL(page.url()).searchParams.get('text')).toBe('parcel')
    await page.goto(`${ui.url}/conversations?folder=nowhere`)
    await page.getByText('No conversation fits these filters').waitFor()
    await page.getByRole('button', { name: 'Clear the filter' }).click()

    await table.getByRole('checkbox', { name: 'Choose all loaded rows' }).check()
    await page.getByRole('toolbar', { name: '2 selected' }).getByRole('button', { name: 'Organize…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Folder', { exact: true }).selectOption('set')
    await dialog.getByLabel('Name of the folder').fill('done')
    await dialog.getByLabel('Add tags').fill('parcels')
    await dialog.getByLabel('Add tags').press('Enter')
    await dialog.getByRole('button', { name: 'Count' }).click()
    await dialog.getByText('2 conversations would change.').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Change them' }).click()
    await dialog.getByText('2 conversations changed.').waitFor()
    await page.keyboard.press('Escape')
    await table.getByText('parcels', { exact: true }).first().waitFor()

    await page.reload()
    const facets = page.getByRole('complementary', { name: 'Narrow the list' })
    await facets.getByRole('checkbox', { name: 'done' }).check()
    await page.getByRole('button', { name: 'Organize all found…' }).click()
    await dialog.getByLabel('Remove tags').fill('parcels')
    await dialog.getByLabel('Remove tags').press('Enter')
    await dialog.getByRole('button', { name: 'Count' }).click()
    await dialog.getByRole('button', { name: 'Change them' }).click()
    await dialog.getByText('2 conversations changed.').waitFor()
    const known = await ui.owner.get(`/v1/admin/conversations/${first}`)
    expect(known.body).toMatchObject({ folder: 'done', tags: [] })
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    // By keys: the newest opens beside the list, ↓ goes on to the next there, and Esc closes it.
    await page.getByRole('region', { name: 'Conversations' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const pane = page.getByRole('complementary', { name: 'Conversation' })
    await pane.getByRole('heading', { name: 'thanks' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await pane.getByRole('heading', { name: 'where is my parcel' }).waitFor()
    expect(new URL(page.url()).searchParams.get('open')).toBe(first)
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect.poll(() => pane.count()).toBe(0)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('are no longer changed once the dialog is closed, and the list shows the changes so far', async () => {
    await talk('one of many')
    const { page, consoleErrors, close } = await ui.open('/conversations')
    const list = page.getByRole('table', { name: 'Conversations' })
    await list.getByRole('checkbox', { name: 'Choose', exact: true }).first().check()
    await page.getByRole('button', { name: 'Organize…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Add tags').fill('many')
    await dialog.getByLabel('Add tags').press('Enter')
    await dialog.getByRole('button', { name: 'Count' }).click()
    const isClosed = Promise.withResolvers<void>()
    let portions = 0
    await page.route('**/v1/admin/conversations/organize-many', async (route) => {
      if (route.request().method() !== 'POST') return await route.fallback()
      if (++portions === 2) await isClosed.promise
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), has_more: true } })
    })
    await dialog.getByRole('button', { name: 'Change them' }).click()
    await dialog.getByText('1 changed so far…').waitFor()
    await expect.poll(() => portions).toBe(2)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    const readAnew = page.waitForResponse(/admin\/conversations\?/)
    isClosed.resolve()
    await readAnew
    expect(portions).toBe(2)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('show an answer as it streams, stop it, rate it, and show its figures', async () => {
    const id = await talk('hello')
    const { page, consoleErrors, close } = await ui.open(`/conversations/${id}`)
    await messagesOf(page).getByText('hello', { exact: true }).waitFor()
    await page.getByText('completed').first().waitFor()
    await page.getByText('9 in, 3 out').first().waitFor()

    const gate = Promise.withResolvers<void>()
    ui.service.endpoint.script(streamOf(['first words ', 'and the rest'], { gate: gate.promise }))
    await page.getByLabel('Message', { exact: true }).fill('tell me more')
    await page.keyboard.press('Enter')
    await page.getByText('writing…').waitFor()
    await page.getByText('first words', { exact: true }).waitFor()
    // The operator switches to another tab for a while.
    await page.evaluate(showTab(false))
    const goesOn = page.waitForRequest(/web\/stream.*cursor=[^&]/)
    await page.evaluate(showTab(true))
    await goesOn
    gate.resolve()
    await page.getByText('first words and the rest', { exact: true }).waitFor()
    await expect.poll(() => page.getByText('writing…').count()).toBe(0)
    expect(await page.getByText('first words and the rest', { exact: true }).count()).toBe(1)

    await page.getByRole('button', { name: 'Good answer' }).last().click()
    await page.getByLabel('Comment').fill('to the point')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('to the point').waitFor()

    const never = Promise.withResolvers<void>()
    ui.service.endpoint.script(streamOf(['half a ', 'sentence'], { gate: never.promise }))
    await page.getByLabel('Message', { exact: true }).fill('and now for long')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('half a', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Cancelled', { exact: true }).waitFor()
    const written = page.getByRole('article').filter({ hasText: 'and now for long' })
    await written.getByText(ownerLogin, { exact: true }).and(written.getByTitle('Operator')).waitFor()
    expect(await written.getByText('User', { exact: true }).count()).toBe(0)
    never.resolve()
    await expectAccessible(page)
    await page.goto(`${ui.url}/conversations`)
    await page.getByText('Operator: and now for long').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('are regenerated, reset, branched with another question, forked, and exported', async () => {
    const id = await talk('one', 'two')
    const { page, consoleErrors, close } = await ui.open(`/conversations/${id}`)
    page.on('dialog', (dialog) => void dialog.accept())
    await page.getByText('two', { exact: true }).waitFor()
    ui.service.endpoint.script(streamOf(['a better answer']))
    await page.getByRole('button', { name: 'Regenerate' }).click()
    await page.getByText('a better answer', { exact: true }).waitFor()
    await page.getByText('Replaced by another answer.').waitFor()

    await page.getByRole('button', { name: 'More' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Download as Markdown' }).click()
    expect((await downloading).suggestedFilename()).toBe(`conversation-${id}.md`)

    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Reset the context…' }).click()
    await page.getByText('The model does not see what is above.').waitFor()

    ui.service.endpoint.script(streamOf(['another way']))
    await page.getByRole('button', { name: 'Actions for message 3' }).click()
    await page.getByRole('menuitem', { name: 'Ask differently…' }).click()
    await page.getByRole('dialog').getByLabel('Message').fill('two, but kindly')
    await page.getByRole('button', { name: 'Ask in a copy' }).click()
    await page.getByText('another way', { exact: true }).waitFor()
    await page.getByText('two, but kindly').waitFor()
    const branched = new URL(page.url()).pathname
    expect(branched).not.toContain(id)

    await page.getByRole('button', { name: 'Actions for message 1' }).click()
    await page.getByRole('menuitem', { name: 'Fork up to here…' }).click()
    await page.getByLabel('Title of the copy').fill('only the beginning')
    await page.getByRole('button', { name: 'Fork', exact: true }).click()
    await page.getByRole('heading', { name: 'only the beginning' }).waitFor()
    await expect.poll(() => page.getByRole('article').count()).toBe(1)
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('keep a long history in place while older messages load, and what was typed when sending fails', async () => {
    const id = await talk('the beginning')
    await ui.service.db.system`
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
      select conversation_id, n, gen_random_uuid(), workspace_id, turn_id, case n % 2 when 1 then 'user' else 'assistant' end,
        jsonb_build_object('role', 'user', 'content', 'line ' || n || repeat(' and more', n % 40))
      from messages, generate_series(3, 320) as n where conversation_id = ${id.slice(5)}::uuid and seq = 1`
    await ui.service.db.system`update conversations set last_seq = 320 where id = ${id.slice(5)}::uuid`
    const { page, consoleErrors, close } = await ui.open(`/conversations/${id}`, {}, [/Failed to load resource/])
    await page.getByText('line 320', { exact: true }).waitFor()
    const region = messagesOf(page)
    expect(await page.getByRole('article').count()).toBeLessThan(40)
    await region.hover()
    let refusals = 0
    await page.route(/conversations\/messages.*before_seq/, (route) => {
      refusals++
      return route.abort()
    })
    const again = page.getByRole('button', { name: 'Retry' })
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, -2_000)
        return await again.isVisible()
      })
      .toBe(true)
    await page.mouse.wheel(0, -4_000)
    await page.getByText('does not answer.', { exact: false }).waitFor()
    expect(refusals).toBe(1)
    await page.unroute(/conversations\/messages.*before_seq/)
    await again.click()
    await expect
      .poll(async () => {
        await page.mouse.wheel(0, -4_000)
        return await region.getByText('the beginning', { exact: true }).isVisible()
      })
      .toBe(true)
    await page.getByText('Start of the conversation.').waitFor()
    await page.getByRole('button', { name: 'To the newest' }).click()
    await page.getByText('line 320', { exact: true }).waitFor()

    await page.route('**/v1/admin/conversations/post', (route) =>
      route.fulfill({
        status: 429,
        headers: {
          'x-request-id': 'req_seen',
          'access-control-allow-origin': ui.url,
          'access-control-allow-credentials': 'true',
          'access-control-expose-headers': '*',
        },
        json: {
          error: {
            message: 'As many turns wait already as may wait here.',
            code: 'backlog_full',
            type: 'x',
            param: null,
          },
        },
      }),
    )
    await page.getByLabel('Message', { exact: true }).fill('keep me')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('As many turns wait', { exact: false }).waitFor()
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('keep me')
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('work in Russian on a narrow dark screen, and show an error for an unknown id', async () => {
    const id = await talk('привет')
    const options = { locale: 'ru-RU', viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const
    const { page, consoleErrors, close } = await ui.open(`/conversations/${id}`, options, [/status of 404/])
    await inTheme(page, 'dark')
    await page.reload()
    await messagesOf(page, 'Сообщения').getByText('привет', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Ответить заново' }).waitFor()
    await expectAccessible(page)
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(390)
    await page.goto(`${ui.url}/conversations/conv_00000000000070008000000000000009`)
    await page.getByRole('alert').getByText('404').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })
})
