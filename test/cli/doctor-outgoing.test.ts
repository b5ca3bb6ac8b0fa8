/** What the doctor finds of addresses that the service may not connect to. */

import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { checkDatabase } from '../../cli/doctor/database.ts'
import { checkOutgoing } from '../../cli/doctor/outgoing.ts'
import { openSettings } from '../../config/settings.ts'
import { commandName } from '../../runtime/command-name.ts'
import { ensureChannel } from '../../store/channels.ts'
import { openDatabase } from '../../store/database.ts'
import { firstWorkspaceId, newChannelId } from '../../store/id.ts'
import { migrate } from '../../store/migrate.ts'
import { readMigrations } from '../../store/migration-files.ts'
import { ensureWorkspace } from '../../store/workspaces.ts'
import { botToken } from '../actors/channel/chatapp/support/bot-server.ts'
import { freshAddress } from '../support/database.ts'
import { urlOf } from '../support/gateway.ts'
import { operator } from './support/command.ts'

const settingsOf = (environment: Record<string, string>) => openSettings({ environment, stored: new Map() })

const names: Record<string, string[]> = {
  'inside.example.com': ['10.1.2.3'],
  'metadata.example.com': ['169.254.169.254'],
  'public.example.com': ['8.8.8.8'],
}
const asked: string[] = []
async function resolve(host: string): Promise<string[]> {
  asked.push(host)
  const addresses = names[host]
  if (!addresses) throw new Error('nobody knows it')
  return addresses
}

const channel = (name: string, adapter: string, config: Record<string, unknown>, isEnabled = true) => ({
  ...{ id: newChannelId(), workspaceId: firstWorkspaceId, name, adapter, secrets: null, isEnabled, isPaused: false },
  config: { ...config, policy: {} },
  createdAt: new Date(),
  updatedAt: new Date(),
})

const smtp = { host: 'inside.example.com', port: 587, from: 'agent@example.com' }
const channels = [
  channel('answers', 'generic', { url: 'http://127.0.0.1:9000/secret-path?secret=1' }),
  channel('bot', 'chatapp', { api_base: 'http://[::1]:8081' }),
  channel('feed', 'generic', {}),
  channel('mail', 'email', { smtp, imap: { host: 'public.example.com', user: 'agent@example.com' } }),
  channel('off', 'generic', { url: 'http://127.0.0.1:9001/' }, false),
  channel('outside', 'generic', { url: 'https://public.example.com/answers' }),
  channel('stranger', 'generic', { url: 'https://nobody.example.com/' }),
  channel('unreadable', 'generic', { url: 7 }),
]

test('channels at addresses that are refused are named, with the list that would allow them', async () => {
  const found = await checkOutgoing(settingsOf({ SERVICE_OUTGOING_ALLOWLIST: '10.9.0.0/16' }), channels, resolve)
  expect(found).toEqual([
    {
      check: 'channels',
      state: 'warning',
      found: 'answers (127.0.0.1:9000), bot ([::1]:8081), mail (inside.example.com:587) may not be connected to',
      advice: `If they are meant: ${commandName()} settings set SERVICE_OUTGOING_ALLOWLIST 10.9.0.0/16,127.0.0.1:9000,[::1]:8081,inside.example.com:587`,
    },
  ])
  const list = found[0]?.advice?.split(' ').at(-1) ?? ''
  const after = await checkOutgoing(settingsOf({ SERVICE_OUTGOING_ALLOWLIST: list }), channels, resolve)
  expect(after).toEqual([{ check: 'channels', state: 'ok', found: 'no address is refused' }])
})

test('what nothing allows is said so', async () => {
  const cloud = channel('cloud', 'generic', { url: 'http://metadata.example.com/latest' })
  const [finding, ...more] = await checkOutgoing(settingsOf({}), [cloud], resolve)
  expect(finding?.found).toBe('cloud (metadata.example.com:80) may not be connected to, whatever the settings say')
  expect(finding?.advice).not.toContain('SERVICE_OUTGOING_ALLOWLIST')
  expect(more).toEqual([])
})

test('MCP servers may be internal, and not where nothing may be; under the air gap public ones need the list', async () => {
  const servers = {
    local: { url: 'http://127.0.0.1:3000/mcp' },
    public: { url: 'https://user:password@public.example.com/mcp' },
    cloud: { url: 'http://169.254.169.254/mcp' },
    program: { command: 'npx' },
  }
  const environment = { SERVICE_MCP_SERVERS: JSON.stringify({ mcpServers: servers }) }
  const open = await checkOutgoing(settingsOf(environment), [], resolve)
  expect(open.map(({ state, found }) => [state, found])).toEqual([
    ['failed', 'cloud (169.254.169.254:80) may not be connected to, whatever the settings say'],
  ])
  const airgapped = await checkOutgoing(settingsOf({ ...environment, SERVICE_AIRGAPPED: '1' }), [], resolve)
  expect(airgapped[0]).toMatchObject({
    found: 'public (public.example.com:443) may not be connected to',
    advice: `If they are meant: ${commandName()} settings set SERVICE_OUTGOING_ALLOWLIST public.example.com:443`,
  })
  expect(JSON.stringify([open, airgapped])).not.toContain('password')
})

test('each address is looked at once, and a long list is cut', async () => {
  asked.length = 0
  const many = Array.from({ length: 30 }, (_, at) => channel(`c${at}`, 'email', { smtp }))
  const [finding] = await checkOutgoing(settingsOf({}), many, resolve)
  expect(finding?.found).toMatch(/^c0 .*, c19 \(inside\.example\.com:587\) and 10 more may not/)
  expect(finding?.advice).toMatch(/LIST inside\.example\.com:587$/)
  expect(asked.length).toBeLessThanOrEqual(2)
})

test('entries of the list that cannot be read are named', async () => {
  const found = await checkOutgoing(
    settingsOf({ SERVICE_OUTGOING_ALLOWLIST: '10.0.0.0/99,a.example.com' }),
    [],
    resolve,
  )
  expect(found[0]?.found).toBe('SERVICE_OUTGOING_ALLOWLIST: "10.0.0.0/99" cannot be read and allows nothing')
})

test('channels are looked at before an upgrade too: the schema is still of the older version', async () => {
  const { address, drop } = await freshAddress({ isEmpty: true })
  onTestFinished(() => drop())
  const landed = await readMigrations()
  await migrate(address, pino({ level: 'silent' }), { migrations: landed.slice(0, -1) })
  const db = openDatabase(address)
  await ensureWorkspace(db, firstWorkspaceId, 'default')
  await ensureChannel(db, { workspaceId: firstWorkspaceId, name: 'shop', adapter: 'generic' })
  await db.close()
  const { finding, stored, channels: read } = await checkDatabase({ SERVICE_DATABASE_URL: urlOf(address) })
  expect(finding).toMatchObject({ state: 'warning', found: expect.stringContaining('of an older version') })
  expect(stored).not.toBeNull()
  expect(read.map(({ name }) => name)).toEqual(['shop'])
})

test('the command reads the channels of the database', async () => {
  const { service, start, url } = await operator()
  await start()
  const made = await fetch(`${url}/v1/admin/channels`, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-test-key-of-the-first-start', 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ name: 'chat', adapter: 'chatapp', secrets: { bot_token: botToken } },
      config: { api_base: 'http://127.0.0.1:1' },
    }),
  })
  expect(made.status).toBe(201)
  const { text } = await service('doctor')
  expect(text).toMatch(
    /warning\s+channels: chat \(127\.0\.0\.1:1\) may not be connected to\n\s+If they are meant: node \S*service\.js settings /,
  )
})
