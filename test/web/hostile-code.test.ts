/** Code that keeps its grammar busy for seconds holds up neither the page nor the code beside it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstWorkspaceId, uuidOf } from '../../store/id.ts'
import { chromiumPath } from './support/chromium.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

describe.skipIf(chromiumPath === undefined)('code that takes long to colour', () => {
  let ui: UiUnderTest
  const id = '01900000-0000-7000-8000-0000000000ab'
  const turn = '01900000-0000-7000-8000-0000000000bc'
  /** Some seven seconds of work for the grammar. */
  const slow = `[a section]\n${'0x'.repeat(9_990)}`

  beforeAll(async () => {
    ui = await uiUnderTest()
    const { system } = ui.service.db
    const workspace = uuidOf(firstWorkspaceId)
    const content = `Slow:\n\n\`\`\`ini\n${slow}\n\`\`\`\n\nQuick:\n\n\`\`\`js\nconst quick = 1\n\`\`\`\n`
    await system`
      insert into conversations (id, workspace_id, title, last_seq) values (${id}::uuid, ${workspace}::uuid, 'code', 1)`
    await system`
      insert into messages (conversation_id, seq, id, workspace_id, turn_id, role, body)
      values (${id}::uuid, 1, gen_random_uuid(), ${workspace}::uuid, ${turn}::uuid, 'assistant',
        ${JSON.stringify({ role: 'assistant', content })}::text::jsonb)`
  })
  afterAll(() => ui?.stop())

  it('stays in one colour, and what is quick is coloured', async () => {
    const { page, consoleErrors, close } = await ui.open(`/conversations/conv_${id.replaceAll('-', '')}`)
    await page.getByRole('button', { name: /^Show all/ }).click()
    const code = page.locator('main pre code')
    await code.nth(1).locator('[data-kind=word]').waitFor()
    expect(await code.nth(1).textContent()).toBe('const quick = 1')
    expect(await code.nth(0).textContent()).toBe(slow)
    expect(await code.nth(0).locator('[data-kind]').count()).toBe(0)
    expect(consoleErrors).toEqual([])
    await close()
  })
})
