/** What an operator sees of tools and MCP servers, and what nobody may see of them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayUnderTest, gatewayUnderTest, until } from '../../support/gateway.ts'
import { scriptFile } from '../../tools/mcp/support/open-servers.ts'

let running: GatewayUnderTest
const token = 'a-token-that-nobody-may-see'

interface Listed {
  items: { name: string; needs_approval: boolean }[]
  mcp_servers: { name: string; status: string; tools: string[]; last_error: string | null }[]
}

beforeAll(async () => {
  running = await gatewayUnderTest({
    SERVICE_APPROVAL_TOOLS: 'http_request,file*,no_such_tool',
    SERVICE_FS_ROOT: '/tmp',
    SERVICE_MCP_SERVERS: JSON.stringify({
      plain: { command: process.execPath, args: [scriptFile('scripted.ts'), 'grows'], env: { TOKEN: token } },
      away: { command: '/nowhere/at-all', args: [token], env: { TOKEN: token } },
    }),
  })
})
afterAll(() => running.stop())

async function list(): Promise<{ text: string; listed: Listed }> {
  const answer = await running.get('/v1/admin/tools')
  expect(answer.status).toBe(200)
  const text = await answer.text()
  return { text, listed: JSON.parse(text) as Listed }
}

test('every tool is told with what it may do, and whether an operator is asked first', async () => {
  const { listed } = await list()
  const find = (name: string) => listed.items.find((tool) => tool.name === name)
  expect(find('http_request')).toEqual({
    name: 'http_request',
    description: expect.stringContaining('HTTP request'),
    risk: 'write',
    idempotency: 'once',
    timeout_ms: 60_000,
    is_untrusted: true,
    needs_approval: true,
  })
  expect(find('filesystem_write')?.needs_approval).toBe(true)
  expect(find('time_now')).toMatchObject({ risk: 'read', idempotency: 'repeatable', needs_approval: false })
  // Off: nothing is set for it.
  expect(find('db_query')).toBeUndefined()
})

test('servers are told with their state and tools, and none of their secrets', async () => {
  const states = async () => (await list()).listed.mcp_servers
  await until(async () => (await states()).every(({ status }) => status === 'connected' || status === 'waiting'))
  const { text, listed } = await list()
  const [plain, away] = listed.mcp_servers
  expect(plain).toMatchObject({ name: 'plain', transport: 'stdio', status: 'connected', last_error: null })
  expect(listed.items.map(({ name }) => name)).toEqual(expect.arrayContaining(plain?.tools ?? []))
  expect(plain?.tools.length).toBeGreaterThan(0)
  expect(away).toMatchObject({ status: 'waiting', tools: [], connected_since: null })
  expect(away?.last_error).toContain('cannot be started')
  expect(text).not.toContain(token)
})

test('a key needs the scope for it', async () => {
  const made = await running.post('/v1/admin/apikeys', { name: 'chat only', scopes: ['chat'] })
  const { key } = (await made.json()) as { key: string }
  expect((await running.get('/v1/admin/tools', { authorization: `Bearer ${key}` })).status).toBe(403)
})
