/** Tools that reach the installation's own are granted to workspaces; without a grant their agents do not have them. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidOf, type WorkspaceId } from '../../../store/id.ts'
import { type GatewayUnderTest, gatewayUnderTest, testKey } from '../../support/gateway.ts'
import { completionOf, json } from '../../support/model-endpoint.ts'
import { firstOwner, type Person, withKey } from './support/people.ts'

let service: GatewayUnderTest
let owner: Person
let root: string
/** Of another workspace. */
let other: { id: WorkspaceId; key: string }

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'granted-'))
  await writeFile(join(root, 'secret.txt'), 'of the first workspace')
  service = await gatewayUnderTest({ SERVICE_MODERATION: 'off', SERVICE_FS_ROOT: root })
  owner = await firstOwner(service)
  const made = await owner.browser.post('/v1/admin/workspaces', { name: 'other' })
  const id = made.body['id'] as WorkspaceId
  await owner.browser.post('/v1/admin/auth/workspace', { workspace_id: id })
  const key = await owner.browser.post('/v1/admin/apikeys', {
    name: 'k',
    scopes: ['chat', 'admin:read', 'admin:write'],
  })
  other = { id, key: String(key.body['key']) }
})
afterAll(async () => {
  await service?.stop()
  await rm(root, { recursive: true, force: true })
})

const grant = (...tools: string[]) =>
  withKey(service, testKey, '/v1/admin/tools/grants/set', { workspace_id: other.id, tools })

async function listed(key: string): Promise<string[]> {
  const { body } = await withKey(service, key, '/v1/admin/tools')
  return (body['items'] as { name: string }[]).map(({ name }) => name)
}

/** An agent's turn whose model calls a tool once. @returns the tools that the model was told of, and what the call gave */
async function turn(key: string, name: string, args: object): Promise<{ offered: string[]; result: string }> {
  service.endpoint.requests.length = 0
  const call = { id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(args) } }
  const calling = { role: 'assistant', content: null, tool_calls: [call] }
  service.endpoint.script(json(completionOf(calling)), json(completionOf('done')))
  const body = { model: 'default', messages: [{ role: 'user', content: 'go' }] }
  expect((await withKey(service, key, '/v1/chat/completions', body)).status).toBe(200)
  const [first, last] = [service.endpoint.requests[0]?.body, service.endpoint.requests.at(-1)?.body]
  const tools = (first?.['tools'] ?? []) as { function: { name: string } }[]
  const messages = (last?.['messages'] ?? []) as { role: string; content: string }[]
  const result = messages.findLast(({ role }) => role === 'tool')?.content ?? ''
  return { offered: tools.map(({ function: { name: each } }) => each), result }
}

const reaching = ['http_request', 'web_fetch', 'filesystem_read', 'filesystem_list', 'filesystem_write']
const harmless = ['time_now', 'calculator']

test('another workspace has no tool that reaches the installation, and no agent can call one', async () => {
  expect(await listed(testKey)).toEqual(expect.arrayContaining([...reaching, ...harmless]))
  const own = await listed(other.key)
  expect(own).toEqual(expect.arrayContaining(harmless))
  for (const name of reaching) expect(own).not.toContain(name)
  const { offered, result } = await turn(other.key, 'filesystem_read', { path: 'secret.txt' })
  expect(offered).toEqual(expect.arrayContaining(harmless))
  for (const name of reaching) expect(offered).not.toContain(name)
  expect(result).not.toContain('of the first workspace')
  expect((await turn(testKey, 'filesystem_read', { path: 'secret.txt' })).result).toContain('of the first workspace')
})

test('granted file tools see a folder of the workspace’s own, and the first workspace does not see that one', async () => {
  expect((await grant('filesystem_*')).status).toBe(200)
  expect(await listed(other.key)).toEqual(expect.arrayContaining(['filesystem_read', 'filesystem_write']))
  expect((await turn(other.key, 'filesystem_read', { path: 'secret.txt' })).result).not.toContain('of the first')
  for (const path of ['../secret.txt', '../../secret.txt', join(root, 'secret.txt')])
    expect((await turn(other.key, 'filesystem_read', { path })).result).not.toContain('of the first')
  await turn(other.key, 'filesystem_write', { path: 'mine.txt', content: 'of the other workspace', mode: 'create' })
  expect(await readFile(join(root, 'workspaces', uuidOf(other.id), 'mine.txt'), 'utf8')).toBe('of the other workspace')
  expect((await turn(testKey, 'filesystem_list', { path: '.', depth: 3 })).result).not.toContain('workspaces')
  for (const path of ['workspaces', `workspaces/${uuidOf(other.id)}`, `./workspaces/${uuidOf(other.id)}`])
    expect((await turn(testKey, 'filesystem_list', { path })).result).not.toContain('mine.txt')
  const path = `workspaces/${uuidOf(other.id)}/mine.txt`
  expect((await turn(testKey, 'filesystem_read', { path })).result).not.toContain('of the other workspace')
})

test('what is granted can be taken away, from the next turn on', async () => {
  await grant('filesystem_*')
  expect((await turn(other.key, 'filesystem_list', { path: '.' })).offered).toContain('filesystem_list')
  await grant()
  expect((await turn(other.key, 'filesystem_list', { path: '.' })).offered).not.toContain('filesystem_list')
})

test('only an owner of the default workspace grants, and what is wrong is refused', async () => {
  const body = { workspace_id: other.id, tools: ['*'] }
  expect((await withKey(service, other.key, '/v1/admin/tools/grants/set', body)).status).toBe(403)
  // Its owner too, while the session is in the other workspace.
  expect((await owner.browser.post('/v1/admin/tools/grants/set', body)).status).toBe(403)
  expect((await withKey(service, testKey, '/v1/admin/tools/grants/set', { ...body, tools: ['a b'] })).status).toBe(400)
  const unknown = { ...body, workspace_id: `ws_${'0'.repeat(31)}9` }
  expect((await withKey(service, testKey, '/v1/admin/tools/grants/set', unknown)).status).toBe(404)
  await grant('time_now')
  const { body: all } = await withKey(service, testKey, '/v1/admin/tools/grants')
  expect(all['items']).toContainEqual({ workspace_id: other.id, name: 'other', tools: ['time_now'] })
})
