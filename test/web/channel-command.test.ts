/** The command of a channel's page, as it is copied and run by `sh`: it is answered in the channel each time. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { commandFor, secretCommand } from '../../web/pages/channel/command.ts'
import { expectAccessible } from './support/axe.ts'
import { chromiumPath } from './support/chromium.ts'
import { type UiUnderTest, uiUnderTest } from './support/signed-in.ts'

const secret = 'the-inbound-secret-of-this-test-is-long'

interface Ran {
  code: number
  output: string
  errors: string
}

const inShell = (command: string, environment: Record<string, string> = {}): Promise<Ran> =>
  new Promise((resolve) => {
    const env = { PATH: process.env['PATH'] ?? '', ...environment }
    execFile('sh', ['-c', command], { env, timeout: 20_000 }, (error, output, errors) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, output, errors }),
    )
  })

describe.skipIf(chromiumPath === undefined)('the command of a channel', () => {
  let ui: UiUnderTest
  beforeAll(async () => {
    ui = await uiUnderTest({ SERVICE_INBOUND_SECRET: secret, SERVICE_MODERATION: 'off' })
    expect((await ui.owner.post('/v1/admin/channels', { name: 'shop', adapter: 'generic' })).status).toBe(201)
  })
  afterAll(() => ui?.stop())

  async function answers(): Promise<number> {
    const [row] = await ui.service.db.system<{ n: number }>`
      select count(*)::integer as n from messages join conversations on conversations.id = conversation_id
      where external_id = 'anna' and role = 'assistant'`
    return row?.n ?? 0
  }

  it('says what it needs, and is answered each time it is run', async () => {
    const { page, consoleErrors, close } = await ui.open('/channels/shop')
    await page.getByText('This message would be ignored', { exact: false }).waitFor()
    await page.getByText('No message yet.', { exact: false }).waitFor()
    const copied = async () => (await page.getByRole('region', { name: 'Command' }).textContent()) ?? ''
    await expectAccessible(page)

    const without = await inShell(await copied())
    expect(without.code).not.toBe(0)
    expect(without.errors).toContain('SERVICE_INBOUND_SECRET: is not set')
    const environment = { SERVICE_INBOUND_SECRET: secret }
    expect(JSON.parse((await inShell(await copied(), environment)).output)).toEqual({ disposition: 'ignored' })
    await page.getByText('1 message of a sender who is not bound was ignored', { exact: false }).waitFor()

    await page.getByRole('button', { name: 'Bind anna' }).click()
    await page.getByText('This message would be ignored', { exact: false }).waitFor({ state: 'detached' })
    const ids = new Set<string>()
    for (const count of [1, 2]) {
      const { output } = await inShell(await copied(), environment)
      const posted = JSON.parse(output) as { disposition: string; message_id: string }
      expect(posted.disposition).toBe('accepted')
      ids.add(posted.message_id)
      await expect.poll(answers, { timeout: 10_000 }).toBe(count)
    }
    expect(ids.size).toBe(2)
    await page.getByRole('status').filter({ hasText: 'Answer:' }).waitFor()
    await page.getByRole('link', { name: 'Open the conversation' }).waitFor()
    expect(consoleErrors).toEqual([])
    await close()
  })

  it('gives the secret to curl by its input, and names it in no argument', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'command-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'curl'), `#!/bin/sh\nprintf '%s\\n' "$@"\ncat >&2\n`, { mode: 0o755 })
    const posted = {
      base: ui.service.url,
      channel: 'shop',
      sender: 'anna',
      text: 'hello',
      needsSecret: true,
      noSecret: 'no',
    }
    const PATH = `${folder}:${process.env['PATH']}`
    const { output, errors } = await inShell(commandFor(posted), { PATH, SERVICE_INBOUND_SECRET: secret })
    expect(output).toContain('@-')
    expect(output).not.toContain(secret)
    expect(errors).toBe(`x-service-inbound-secret: ${secret}\n`)
  })

  it('leaves the quotes, dollars and backslashes of a sender as they are', async () => {
    const sender = `o'hara "x" $HOME \\ $(id)`
    expect((await ui.owner.post('/v1/admin/channels/shop/bindings', { external_id: sender })).status).toBe(200)
    const base = ui.service.url
    const command = commandFor({
      ...{ base, channel: 'shop', sender, text: "it's" },
      needsSecret: true,
      noSecret: 'no',
    })
    const { output } = await inShell(command, { SERVICE_INBOUND_SECRET: secret })
    expect(JSON.parse(output)).toMatchObject({ disposition: 'accepted' })
    const [row] = await ui.service.db.system<{ external_id: string }>`
      select external_id from conversations where external_id like ${"o'hara%"}`
    expect(row?.external_id).toBe(sender)
  })

  it('gets the secret from what is typed, without a terminal too', async () => {
    const said = await inShell(`printf '%s\\n' 'a  b\\c' | { ${secretCommand}; printenv SERVICE_INBOUND_SECRET; }`)
    expect(said.output).toBe('a  b\\c\n')
  })
})
