/** What SERVICE_MCP_SERVERS may contain; a bad entry is refused and affects no other. */
import { describe, expect, test } from 'vitest'
import { parseServerDescriptions } from '../../../tools/mcp/server-description.ts'
import { closeServers, openServers } from './support/open-servers.ts'

const files = { command: 'files-server', args: ['--folder', '/srv'], env: { MODE: 'quiet' }, cwd: '/srv' }
const far = { url: 'https://mcp.example.com/mcp', headers: { authorization: 'Bearer abc' } }
const bothServers = [
  { kind: 'stdio', name: 'files', label: 'files', ...files },
  { kind: 'http', name: 'far', label: 'far', ...far },
]

describe('the setting', () => {
  test.each([
    ['with the convention’s mcpServers', { mcpServers: { files, far } }],
    ['as a map alone', { files, far }],
    [
      'as a list',
      [
        { name: 'files', ...files },
        { name: 'far', ...far },
      ],
    ],
  ])('%s', (_, given) => {
    expect(parseServerDescriptions(given, 32)).toMatchObject({ servers: bothServers, refused: [] })
  })

  test('that is empty describes no servers', () => {
    for (const given of [{}, [], { mcpServers: {} }])
      expect(parseServerDescriptions(given, 32)).toEqual({ servers: [], refused: [] })
  })

  test('may have a server that is called mcpServers', () => {
    expect(parseServerDescriptions({ mcpServers: files }, 32).servers).toMatchObject([
      { name: 'mcpServers', kind: 'stdio' },
    ])
  })

  test('may switch a server off', () => {
    expect(parseServerDescriptions({ files: { ...files, disabled: true } }, 32)).toEqual({ servers: [], refused: [] })
  })
})

test.each([
  ['neither command nor url', {}],
  ['both', { command: 'x', url: 'http://127.0.0.1' }],
  ['no object', 'secret-value'],
  ['another protocol', { url: 'ftp://secret-value.example.com' }],
  ['the older transport', { type: 'sse', url: 'http://secret-value.example.com' }],
  ['an empty command', { command: '' }],
  ['arguments that are no texts', { command: 'secret-value', args: [1] }],
  ['a variable that is no text', { command: 'x', env: { TOKEN: { 'secret-value': 1 } } }],
  ['a header that HTTP does not allow', { url: 'http://127.0.0.1', headers: { a: 'secret-value\r\nb: c' } }],
  ['a NUL', { command: 'secret-value\0' }],
])('an entry with %s is refused without its values, and the others stay', (_, bad) => {
  const { servers, refused } = parseServerDescriptions({ bad, files }, 32)
  expect(servers.map(({ name }) => name)).toEqual(['files'])
  expect(refused).toEqual([{ name: 'bad', why: expect.any(String) }])
  expect(JSON.stringify(refused)).not.toContain('secret-value')
})

test('names that are missing, too long or taken are refused, and so are more servers than allowed', () => {
  const named = (name: string) => ({ name, ...files })
  const { servers, refused } = parseServerDescriptions(
    [files, named('n'.repeat(200)), named('one'), named('one'), named('two'), named('three')],
    2,
  )
  expect(servers.map(({ name }) => name)).toEqual(['one', 'two'])
  expect(refused.map(({ name }) => name.slice(0, 5))).toEqual(['#1', 'nnnnn', 'one', 'three'])
})

test('a refused entry is logged by its name', async () => {
  const { lines } = openServers({ wrong: { command: 'x', args: 'secret-value' } })
  expect(lines).toMatchObject([{ mcpServer: 'wrong', msg: 'an entry of SERVICE_MCP_SERVERS is left out' }])
  expect(JSON.stringify(lines)).not.toContain('secret-value')
  await closeServers()
})
