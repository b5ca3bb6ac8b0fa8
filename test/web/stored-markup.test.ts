/** Text from outside is shown as text everywhere: its markup does not run, and nothing that it references is fetched. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstWorkspaceId, uuidOf } from '../../store/id.ts'
import { chromiumPath } from './support/chromium.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

describe.skipIf(chromiumPath === undefined)('markup in stored text', () => {
  let ui: UiUnderTest
  let canary: Server
  let fetched: string[]
  let payloads: string[]
  const id = '01900000-0000-7000-8000-0000000000aa'
  const turn = '01900000-0000-7000-8000-0000000000bb'
  const channel = '01900000-0000-7000-8000-0000000000cc'

  beforeAll(async () => {
    fetched = []
    canary = createServer((request, response) => {
      fetched.push(request.url ?? '')
      response.end()
    })
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(canary.address() as AddressInfo).port}`
    payloads = [
      `<script>alert(1);fetch('${url}/script')</script>`,
      `<img src="${url}/img" onerror="alert(1)">`,
      `<svg onload="alert(1)"><image href="${url}/svg"></image></svg>`,
      `![picture](${url}/markdown) [go](javascript:alert(1))`,
      `"><iframe src="${url}/frame"></iframe>`,
      `<a href="javascript:alert(1)" onmouseover="alert(1)">x</a>{{constructor.constructor('alert(1)')()}}`,
    ]
    ui = await uiUnderTest()
    const { system } = ui.service.db
    const workspace = uuidOf(firstWorkspaceId)
    const [title = '', folder = '', tag = '', sender = '', name = ''] = payloads
    await system`
      insert into channels (id, workspace_id, name, adapter, config)
      values (${channel}::uuid, ${workspace}::uuid, ${name}, 'generic', '{}')`
    await system`
      insert into conversations (id, workspace_id, title, last_seq, folder, tags, channel_id, external_id)
      values (${id}::uuid, ${workspace}::uuid, ${title}, ${payloads.length * 2}, ${folder}, ${[tag]}::text[], ${channel}::uuid, ${sender})`
    for (const [at, payload] of payloads.entries())
      for (const [half, role] of ['user', 'assistant'].entries()) {
        const body = JSON.stringify({
          role,
          content: half ? [{ type: 'text', text: payload }, { type: payload }] : payload,
          name: payload,
        })
        await system`
          insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
          values (${id}::uuid, ${at * 2 + half + 1}, gen_random_uuid(), ${workspace}::uuid, ${turn}::uuid, ${role}, ${body}::text::jsonb)`
      }
    await system`
      insert into turns (id, workspace_id, conversation_id, request_id, epoch, status, model, agent, is_stream, started_at, error_code, error_message)
      values (${turn}::uuid, ${workspace}::uuid, ${id}::uuid, 'r', 1, 'failed', ${title}, ${folder}, true, now(), ${tag}, ${sender})`
    await system`
      insert into turn_steps (turn_id, path, n, workspace_id, kind, status, name, digest, request, result, started_at, duration_ms)
      values (${turn}::uuid, ${name}, 0, ${workspace}::uuid, 'tool', 'failed', ${title}, gen_random_uuid(),
        ${JSON.stringify({ given: folder })}::text::json, ${JSON.stringify(sender)}::text::json, now(), 5)`
  })
  afterAll(async () => {
    await ui?.stop()
    await new Promise((resolve) => canary?.close(resolve))
  })

  async function shown(page: Page, ...texts: (string | undefined)[]): Promise<void> {
    for (const text of texts)
      await page
        .getByText(text ?? '', { exact: false })
        .first()
        .waitFor()
    expect(
      await page
        .locator('main script, main iframe, main image, main img, [onerror], [onload], [href^="javascript"]')
        .count(),
    ).toBe(0)
  }

  it('is shown literally on every page that shows it', async () => {
    const { page, consoleErrors, close } = await ui.open('/conversations')
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    const [title, folder, tag, sender, name, last] = payloads
    await shown(page, title, folder, tag, sender, name)
    await page.goto(`${ui.url}/conversations/conv_${id.replaceAll('-', '')}`)
    await page.getByRole('heading', { level: 1, name: title ?? '' }).waitFor()
    await shown(page, title, folder, tag, sender, name, last)
    await page.goto(`${ui.url}/turns`)
    await shown(page, title, folder, tag)
    await page.goto(`${ui.url}/turns/turn_${turn.replaceAll('-', '')}`)
    await page.getByRole('list', { name: 'Steps' }).getByRole('button').first().click()
    await shown(page, title, folder, tag, sender)
    expect(dialogs).toEqual([])
    expect(fetched).toEqual([])
    expect(consoleErrors).toEqual([])
    await close()
  })
})
