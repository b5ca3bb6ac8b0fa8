/** Agents in a real browser: created, changed, changed by two people at once, compared, restored and deleted. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { menuOf } from './support/navigation.ts'
import { inTheme, type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

const refusedLine = /Failed to load resource: the server responded with a status of 40[49]/

describe.skipIf(chromiumPath === undefined)('agents', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest()
  })
  afterAll(() => ui?.stop())

  it('are created and changed; of two people who save, the second sees both versions and loses nothing', async () => {
    const { page, consoleErrors, close } = await ui.open('/agents', {}, [refusedLine])
    await page.getByText('No agents yet').waitFor()
    await page.getByRole('link', { name: 'New agent' }).first().click()
    await page.getByLabel('Name').fill('support')
    await page.getByLabel('Instructions').fill('Answer questions about orders.\nBe brief.')
    await page.getByLabel('Temperature').pressSequentially('0.7')
    await page.getByRole('combobox', { name: 'Sub-agents' }).fill('billing')
    await page.keyboard.press('Enter')
    await page.getByText('No such agent now: billing.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'support' }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const stored = await ui.owner.get(`/v1/admin/agents/${id}`)
    expect(stored.body).toMatchObject({
      name: 'support',
      definition: {
        temperature: 0.7,
        sub_agents: ['billing'],
        instructions: 'Answer questions about orders.\nBe brief.',
      },
    })
    expect(stored.body['definition']).not.toHaveProperty('tools')

    const theirs = { instructions: 'Answer questions about orders.\nBe kind.' }
    await ui.owner.post('/v1/admin/agents/update', { agent_id: id, version: 1, definition: theirs })
    await page.getByLabel('Instructions').fill('Answer questions about orders.\nBe brief and exact.')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Somebody else saved version 2').waitFor()
    await page.getByText('Be kind.', { exact: true }).waitFor()
    expect(await page.getByLabel('Instructions').inputValue()).toContain('Be brief and exact.')
    await page.getByRole('button', { name: 'Overwrite with mine' }).click()
    await page.getByText('version 3', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Compare: 3' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Be kind.', { exact: true }).waitFor()
    await dialog.getByText('Be brief and exact.', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Restore: 1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
    await page.getByText('version 4', { exact: true }).waitFor()
    const warned = page.getByRole('status').filter({ hasText: 'Saved with warnings:' })
    await warned.getByText('billing', { exact: false }).waitFor()
    expect(await page.getByLabel('Instructions').inputValue()).toContain('Be brief.')
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('guard unsaved input, and can be restored after a deletion', async () => {
    const created = await ui.owner.post('/v1/admin/agents', { name: 'shop', definition: { persona: 'Friendly.' } })
    const { page, consoleErrors, close } = await ui.open(`/agents/${created.body['id']}`)
    await page.getByLabel('Persona').fill('Stern.')
    page.once('dialog', (dialog) => void dialog.dismiss())
    await page.getByRole('link', { name: 'Channels' }).click()
    expect(await page.getByLabel('Persona').inputValue()).toBe('Stern.')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Agents' }).waitFor()
    await page.getByRole('button', { name: 'Deleted agents' }).click()
    await page.getByRole('button', { name: 'Restore shop' }).click()
    await page.getByRole('heading', { name: 'shop' }).waitFor()
    expect(await page.getByLabel('Persona').inputValue()).toBe('Friendly.')
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('and the playground show the same models, whichever was opened first', async () => {
    const { page, consoleErrors, close } = await ui.open('/playground')
    const menu = menuOf(page)
    const inPlayground = async () => {
      await page.getByRole('combobox', { name: 'Agent or model' }).click()
      await page.getByRole('listbox').getByRole('option', { name: 'support' }).waitFor()
      await page.keyboard.press('Escape')
    }
    await inPlayground()
    await menu.getByRole('link', { name: 'Agents' }).click()
    await page.getByRole('link', { name: 'New agent' }).first().click()
    await page.getByRole('combobox', { name: 'Model', exact: true }).fill('any')
    await page.reload()
    await page.getByRole('combobox', { name: 'Model', exact: true }).waitFor()
    await menu.getByRole('link', { name: 'Playground' }).click()
    await inPlayground()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('work in Russian, in the dark and on a narrow screen; an unknown id shows an error', async () => {
    const viewport = { width: 390, height: 844 }
    const { page, consoleErrors, close } = await ui.open('/', { locale: 'ru-RU', viewport }, [refusedLine])
    await inTheme(page, 'dark')
    await page.goto(`${ui.url}/agents`)
    await page.getByRole('link', { name: 'shop' }).click()
    await page.getByLabel('Инструкции').waitFor()
    await page.getByText('Версии', { exact: true }).waitFor()
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.goto(`${ui.url}/agents/agent_${'0'.repeat(32)}`)
    await page.getByRole('alert').getByText('not_found').waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })
})
