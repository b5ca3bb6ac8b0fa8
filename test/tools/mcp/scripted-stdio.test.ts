/** Processes that misbehave: each costs its own tools, within its bounds, and leaves nothing behind. */
import { afterEach, describe, expect, test } from 'vitest'
import type { McpLimits } from '../../../tools/mcp/limits.ts'
import { watchLoop } from '../../support/loop-gap.ts'
import { isAlive } from '../../support/spawned.ts'
import { closeServers, contextOf, openServers, prepared, scriptFile } from './support/open-servers.ts'

afterEach(closeServers)

const token = 'token-that-nobody-may-see'

function open(script: string, limits: Partial<McpLimits> = {}) {
  const env = { API_TOKEN: token, DATA_FOLDER: '/srv/data-folder' }
  const scripted = { command: process.execPath, args: [scriptFile('scripted.ts'), script], env }
  return openServers({ [script]: scripted }, { limits })
}

const failure = (server: { states(): { lastError: string | null }[] }) =>
  expect.poll(() => server.states()[0]?.lastError, { interval: 5 })

describe('a process that ends', () => {
  test('during a call fails the call, takes its tools away, and is started again', async () => {
    const servers = open('dies')
    const go = await servers.tool('dies__go')
    await expect(prepared(go, {}).run(contextOf())).rejects.toMatchObject({
      name: 'ToolFailed',
      code: 'mcp_unavailable',
    })
    await failure(servers).toContain('ended with code 3')
    await expect.poll(() => servers.states()[0]?.status, { interval: 5 }).toBe('connected')
    // The tool of the first connection works on the second.
    await expect(prepared(go, {}).run(contextOf())).rejects.toMatchObject({
      message: expect.stringContaining('went away'),
    })
  })

  test('leaves no child behind, and its last output is logged without secrets', async () => {
    const servers = open('dies', { retryMinMs: 60_000 })
    await expect(servers.call('dies__go')).rejects.toMatchObject({ code: 'mcp_unavailable' })
    await failure(servers).toContain('no luck with [redacted]')
    const orphan = Number(/left behind (\d+)/.exec(servers.states()[0]?.lastError ?? '')?.[1])
    await expect.poll(() => isAlive(orphan), { interval: 5 }).toBe(false)
    expect(JSON.stringify([servers.lines, servers.states()])).not.toContain(token)
  })

  test('refuses a call at once while it is away', async () => {
    const servers = open('dies', { retryMinMs: 3_600_000, retryMaxMs: 3_600_000 })
    const go = await servers.tool('dies__go')
    await expect(prepared(go, {}).run(contextOf())).rejects.toMatchObject({ code: 'mcp_unavailable' })
    await expect.poll(() => servers.tools()).toEqual([])
    await expect(prepared(go, {}).run(contextOf())).rejects.toMatchObject({
      message: expect.stringContaining('not connected now'),
    })
  })
})

test('a command that does not exist is reported, without the command', async () => {
  const servers = openServers({ gone: { command: '/nowhere/secret-program' } })
  await failure(servers).toContain('ENOENT')
  expect(JSON.stringify([servers.lines, servers.states()])).not.toContain('secret-program')
})

describe('the output of a process', () => {
  test('may begin with a banner', async () => {
    expect(await open('banner').call('banner__go')).toBe('fine')
  })

  test('must be messages, not a log', async () => {
    await failure(open('chatter')).toContain('not a stream of MCP messages')
  })

  test('past the size of a message ends it', async () => {
    const servers = open('giant', { messageBytesMax: 100_000, retryMinMs: 60_000 })
    await expect(servers.call('giant__go')).rejects.toMatchObject({ code: 'mcp_unavailable' })
    await failure(servers).toContain('more than 100000 bytes')
  })

  test('without end ends it, and the service stays awake meanwhile', async () => {
    const servers = open('flood-messages', { retryMinMs: 60_000 })
    await servers.tool('flood-messages__go')
    const loop = watchLoop()
    await expect(servers.call('flood-messages__go')).rejects.toMatchObject({ code: 'mcp_unavailable' })
    await failure(servers).toContain('1000 messages')
    loop.expectFree()
  })

  test('on standard error holds up nothing and is not kept', async () => {
    const servers = open('flood-errors')
    expect(await servers.call('flood-errors__go')).toBe('fine')
    const before = process.memoryUsage().rss
    for (let time = 0; time < 50; time++) await servers.call('flood-errors__go')
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
  })

  test('may hold what was configured, but no secret of it', async () => {
    expect(await open('echoes').call('echoes__go')).toBe('[redacted] in /srv/data-folder')
  })

  test('in answers of a wrong shape fails the call only', async () => {
    const servers = open('bad-answers')
    await expect(servers.call('bad-answers__shape')).rejects.toMatchObject({ code: 'mcp_bad_answer' })
    await expect(servers.call('bad-answers__refused')).rejects.toMatchObject({
      code: 'mcp_refused',
      message: expect.stringMatching(/not with \[redacted\]$/),
    })
    expect(await servers.call('bad-answers__deep')).toContain('nested too deep')
    expect(servers.states()[0]).toMatchObject({ status: 'connected', lastError: null })
  })
})

describe('a process that does not answer', () => {
  test('the handshake is retried', async () => {
    const servers = open('silent', { connectMs: 300 })
    await failure(servers).toBe('it did not answer in time')
    expect(servers.tools()).toEqual([])
  })

  test('a call ends in time, and the server is told that nobody waits', async () => {
    const servers = open('waits', { callMs: 100 })
    await expect(servers.call('waits__wait')).rejects.toMatchObject({ code: 'mcp_timeout' })
    expect(JSON.parse(await servers.call('waits__cancelled'))).toHaveLength(1)
  })

  test('a cancelled call is cancelled there too', async () => {
    const servers = open('waits')
    const turn = new AbortController()
    const wait = prepared(await servers.tool('waits__wait'), {}).run(contextOf(turn.signal))
    turn.abort(new Error('reason of ours'))
    await expect(wait).rejects.toMatchObject({ code: 'cancelled' })
    expect(JSON.parse(await servers.call('waits__cancelled'))).toHaveLength(1)
  })

  test('more calls than allowed are refused at once', async () => {
    const servers = open('waits', { callsMax: 2 })
    const turn = new AbortController()
    const wait = prepared(await servers.tool('waits__wait'), {})
    const held = [wait.run(contextOf(turn.signal)), wait.run(contextOf(turn.signal))]
    await expect(wait.run(contextOf())).rejects.toMatchObject({ code: 'mcp_busy' })
    turn.abort()
    expect((await Promise.allSettled(held)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await servers.call('waits__cancelled')).toContain(',')
  })

  test('and does not read is ended before its input fills the memory', async () => {
    const servers = open('loses', { unreadBytesMax: 300_000 })
    const go = await servers.tool('loses__go')
    const run = () => prepared(go, { filling: 'f'.repeat(200_000) }).run(contextOf())
    const calls = await Promise.allSettled(Array.from({ length: 8 }, run))
    expect(new Set(calls.map(({ status }) => status))).toEqual(new Set(['rejected']))
    await failure(servers).toContain('of its input unread')
  })
})

test('requests of a server for samples, answers and folders are refused as unknown', async () => {
  expect(await open('asks').call('asks__go')).toBe('-32601 -32601 -32601')
})

describe('a list of tools', () => {
  test('is cut at its bound, and the log says so', async () => {
    const servers = open('many')
    await servers.connected('many')
    expect(servers.tools()).toHaveLength(200)
    expect(servers.lines.map(({ why }) => why)).toContain('it has more than 200 tools')
  })

  test('leaves out tools that cannot be offered, and renames the others', async () => {
    const servers = open('odd')
    await servers.connected('odd')
    const names = servers.tools().map(({ name }) => name)
    expect(names).toEqual([
      expect.stringMatching(/^odd__n_me_with_spaces-[0-9a-f]{8}$/),
      expect.stringMatching(/^odd__n{50}-[0-9a-f]{8}$/),
      'odd__twice',
      'odd__reads',
      'odd__repeats',
    ])
    expect(Math.max(...names.map(({ length }) => length))).toBe(64)
    expect(await servers.call(names[0] ?? '')).toBe('called näme with spaces')
    expect(await servers.tool('odd__reads')).toMatchObject({ risk: 'read', idempotency: 'repeatable' })
    expect(await servers.tool('odd__repeats')).toMatchObject({ risk: 'write', idempotency: 'repeatable' })
    expect(await servers.tool('odd__twice')).toMatchObject({ risk: 'write', idempotency: 'once' })
  })

  test('is requested again when it has changed, once for many notifications', async () => {
    const servers = open('grows')
    await servers.tool('grows__grow')
    const before = servers.tools()
    await servers.call('grows__grow')
    await servers.tool('grows__grown')
    expect(servers.tools()).not.toBe(before)
    expect(servers.tools()).toBe(servers.tools())
    expect(await servers.call('grows__listings')).toBe('2')
  })
})

test('closing ends a process that ignores it, with its children, and everything under way', async () => {
  const servers = open('stubborn', { closeGraceMs: 100 })
  const pids = (await servers.call('stubborn__go')).split(' ').map(Number)
  expect(pids.map(isAlive)).toEqual([true, true])
  await servers.close()
  await expect.poll(() => pids.map(isAlive), { interval: 5 }).toEqual([false, false])
  expect(servers.states()[0]).toMatchObject({ status: 'closed', tools: [], connectedSince: null })
})
