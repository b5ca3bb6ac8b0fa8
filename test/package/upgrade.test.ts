/** This version on the data of each release that was left behind: nothing of it is lost, and work goes on. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pino } from 'pino'
import { describe, expect, onTestFinished, test } from 'vitest'
import { releaseDump, releaseMasterKey, releases, unpackMigrations } from '../../scripts/release/release.ts'
import { loadTables } from '../../scripts/release/table-dump.ts'
import { dialogs } from '../../scripts/screenshots/dialogs.ts'
import { firstKey } from '../../scripts/screenshots/service.ts'
import { migrate } from '../../store/migrate.ts'
import { readMigrations } from '../../store/migration-files.ts'
import { freshAddress } from '../support/database.ts'
import { type GatewayUnderTest, gatewayUnderTest } from '../support/gateway.ts'

/** The database as the release left it, and this version started on it. */
async function upgradedFrom(version: string): Promise<GatewayUnderTest> {
  const { address, drop } = await freshAddress({ isEmpty: true })
  onTestFinished(drop)
  const folder = await mkdtemp(join(tmpdir(), 'release-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const migrations = await readMigrations(pathToFileURL(`${unpackMigrations(version, folder)}/`))
  await migrate(address, pino({ level: 'silent' }), { migrations })
  await loadTables(address, releaseDump(version))
  const service = await gatewayUnderTest(
    { SERVICE_MASTER_KEY: releaseMasterKey, SERVICE_INBOUND_REQUIRE_BINDING: 'false' },
    { address },
  )
  onTestFinished(() => service.stop())
  return service
}

type Listed = Record<string, Record<string, string>[]>

describe.each(releases())('from release %s', (version) => {
  test('what was there is there, and what comes is answered', async () => {
    const service = await upgradedFrom(version)
    const headers = { authorization: `Bearer ${firstKey}` }
    const json = async (path: string) => (await service.get(path, headers)).json()
    const list = async (path: string, name = 'items') => ((await json(path)) as Listed)[name] ?? []
    const messages = (conversation = '') => list(`/v1/admin/conversations/messages?id=${conversation}`, 'messages')

    const conversations = await list('/v1/admin/conversations?limit=100', 'conversations')
    const written = dialogs.filter(({ from }) => from)
    const senders = new Set(written.map(({ from }) => from?.sender))
    expect(new Set(conversations.map(({ external_id }) => external_id))).toEqual(senders)
    const read = JSON.stringify(await Promise.all(conversations.map(({ id }) => messages(id))))
    for (const { text } of written) expect(read).toContain(JSON.stringify(text).slice(1, -1))

    const agents = (await list('/v1/admin/agents')).map(({ name }) => name)
    expect(agents).toEqual(expect.arrayContaining(['support', 'billing', 'payments']))
    const turns = await list('/v1/admin/turns?limit=100')
    expect(turns.filter(({ status }) => status === 'completed').length).toBeGreaterThan(3)
    expect(await json('/v1/admin/audit/verify')).toMatchObject({ intact: true, complete: true })

    const anna = conversations.find(({ external_id }) => external_id === 'anna@example.com')?.['id']
    const before = await messages(anna)
    const post = { external_id: 'anna@example.com', text: 'And now?' }
    expect(await (await service.post('/v1/inbound/shop', post, headers)).json()).toMatchObject({
      conversation_id: anna,
    })
    await expect.poll(async () => (await messages(anna)).length).toBe(before.length + 2)
    expect((await messages(anna)).at(-1)).toMatchObject({ role: 'assistant' })
  })
})
