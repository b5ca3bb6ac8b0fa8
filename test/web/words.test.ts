/** Words of customers that run from right to left, or hold controls of direction, turn nothing beside them around. */
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstWorkspaceId, uuidOf } from '../../store/id.ts'
import { chromiumPath } from './support/chromium.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

const hebrew = '\u05d0\u05d1\u05d2'
/** Ends an isolate that it has not begun, and turns around what follows. */
const sender = `\u2069${hebrew}\u202e`
const id = '01900000-0000-7000-8000-0000000000ad'

describe.skipIf(chromiumPath === undefined)('words of customers', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest()
    expect((await ui.owner.post('/v1/admin/channels', { name: 'shop', adapter: 'generic' })).status).toBe(201)
    const { system } = ui.service.db
    const workspace = uuidOf(firstWorkspaceId)
    const [channel] = await system<{ id: string }>`select id from channels where name = 'shop'`
    await system`
      insert into conversations (id, workspace_id, title, last_seq, channel_id, external_id)
      values (${id}::uuid, ${workspace}::uuid, ${`order ${sender}`}, 1, ${channel?.id ?? ''}::uuid, ${sender})`
    const body = JSON.stringify({ role: 'user', content: 'where is it?' })
    await system`
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
      values (${id}::uuid, 1, gen_random_uuid(), ${workspace}::uuid, gen_random_uuid(), 'user', ${body}::text::jsonb)`
    for (const [external, name] of [
      [hebrew, `${sender} 123`],
      ['anna', 'Anna'],
    ])
      await system`
        insert into channel_bindings (workspace_id, channel_id, external_id, role, name, created_by)
        values (${workspace}::uuid, ${channel?.id ?? ''}::uuid, ${external ?? ''}, 'user', ${name ?? ''}, 'test')`
  })
  afterAll(() => ui?.stop())

  /** The isolated pieces of an element in the order of the text, with where they begin from the left. */
  async function pieces(within: Locator): Promise<{ left: number; text: string }[]> {
    await within.waitFor()
    const found = await within.locator('bdi').all()
    return await Promise.all(
      found.map(async (one) => ({ left: (await one.boundingBox())?.x ?? -1, text: (await one.textContent()) ?? '' })),
    )
  }

  function expectInOrder(found: readonly { left: number; text: string }[], texts: readonly string[]): void {
    expect(found.map(({ text }) => text)).toEqual(texts)
    const lefts = found.map(({ left }) => left)
    expect(lefts).toEqual(lefts.toSorted((one, other) => one - other))
  }

  it('stay in their place in the list of conversations, in the palette and in small tables', async () => {
    const { page, consoleErrors, close } = await ui.open('/conversations')
    expectInOrder(await pieces(page.getByRole('row').locator('[class*=line]:has(bdi)')), [hebrew, 'where is it?'])

    await page.keyboard.press('Control+k')
    await page.locator('[role=combobox]:focus').waitFor()
    await page.keyboard.insertText('order')
    const option = page.getByRole('option').filter({ hasText: hebrew })
    expectInOrder(await pieces(option), [`order ${hebrew}`, `${hebrew} · shop`])

    await page.goto(`${ui.url}/channels/shop`)
    const bound = page.getByRole('table', { name: 'Who may write' }).getByRole('row').filter({ hasText: '123' })
    expectInOrder((await pieces(bound)).slice(0, 2), [hebrew, `${hebrew} 123`])
    expect(consoleErrors).toEqual([])
    await close()
  })
})
