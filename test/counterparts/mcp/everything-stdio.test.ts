/** The protocol's own reference server, as a process of ours. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeServers, openServers, prepared, type ServersUnderTest } from '../../tools/mcp/support/open-servers.ts'
import { everythingFile } from './everything-file.ts'

let servers: ServersUnderTest

beforeAll(async () => {
  process.env['SERVICE_LLM_API_KEY'] = 'sk-of-the-service'
  const env = { API_TOKEN: 'token-of-the-server' }
  servers = openServers({
    mcpServers: { everything: { command: process.execPath, args: [everythingFile, 'stdio'], env } },
  })
  await servers.connected('everything')
})

afterAll(async () => {
  await closeServers()
  delete process.env['SERVICE_LLM_API_KEY']
})

const call = (name: string, given?: unknown) => servers.call(`everything__${name}`, given)

describe('its tools', () => {
  test('are offered with their schema, their hints and as written by strangers', async () => {
    const echo = await servers.tool('everything__echo')
    expect(echo).toMatchObject({
      description: 'Echoes back the input string',
      parameters: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
      risk: 'read',
      idempotency: 'repeatable',
      isUntrusted: true,
      timeoutMs: 60_000,
    })
    expect(echo.parameters).not.toHaveProperty('$schema')
    expect(await servers.tool('everything__toggle-simulated-logging')).toMatchObject({
      risk: 'write',
      idempotency: 'once',
    })
  })

  test('are not offered where only a background task can run them, and the log says so once', () => {
    expect(servers.tools().map(({ name }) => name)).not.toContain('everything__simulate-research-query')
    expect(servers.lines.filter(({ why }) => String(why).includes('background task'))).toHaveLength(1)
  })

  test('stand in the state of the server', () => {
    const [state] = servers.states()
    expect(state).toMatchObject({ name: 'everything', transport: 'stdio', status: 'connected', lastError: null })
    expect(state?.tools).toContain('everything__echo')
    expect(Date.now() - Number(state?.connectedSince)).toBeLessThan(60_000)
  })
})

describe('a call', () => {
  test('is answered with text', async () => {
    expect(await call('echo', { message: 'hello' })).toBe('Echo: hello')
    expect(await call('get-sum', { a: 1, b: 2 })).toBe('The sum of 1 and 2 is 3.')
  })

  test('is answered with structured content as JSON, once', async () => {
    expect(JSON.parse(await call('get-structured-content', { location: 'Chicago' }))).toEqual({
      temperature: 36,
      conditions: 'Light rain / drizzle',
      humidity: 82,
    })
  })

  test('names pictures and resources, and does not inline them', async () => {
    expect(await call('get-tiny-image')).toMatch(/^\[image: image\/png, \d+ bytes, not shown\]$/m)
    expect(await call('get-resource-links', { count: 1 })).toMatch(/^\[resource link: .*demo:\/\/.*not shown\]$/m)
    expect(await call('get-resource-reference')).toMatch(/^\[resource: demo:\/\/.*bytes, not shown\]$/m)
  })

  test('with arguments that do not fit fails in the words of the server', async () => {
    await expect(call('get-sum', { a: 'one' })).rejects.toMatchObject({
      name: 'ToolFailed',
      code: 'mcp_tool_error',
      message: expect.stringContaining('expected number'),
    })
  })

  test('with no object as arguments never reaches the server', async () => {
    const echo = await servers.tool('everything__echo')
    for (const given of ['text', ['list'], 1]) expect(echo.prepare(given)).toEqual({ problem: expect.any(String) })
    expect(echo.prepare({ message: 'x'.repeat(2_000_000) })).toEqual({ problem: expect.stringContaining('bytes') })
    expect(prepared(echo, undefined)).toBeDefined()
  })

  test('that takes long ends when it is cancelled, and the next one is answered', async () => {
    const turn = new AbortController()
    const long = servers.call('everything__trigger-long-running-operation', { duration: 600, steps: 2 }, turn.signal)
    turn.abort()
    await expect(long).rejects.toMatchObject({ code: 'cancelled' })
    expect(await call('echo', { message: 'still here' })).toBe('Echo: still here')
  })
})

test('the process sees its own environment and nothing of the service', async () => {
  const seen = JSON.parse((await call('get-env')).replaceAll('[redacted]', 'redacted'))
  expect(Object.keys(seen).sort()).toEqual(
    ['API_TOKEN', 'HOME', 'LANG', 'PATH'].filter((name) => name === 'API_TOKEN' || process.env[name] !== undefined),
  )
  expect(seen['API_TOKEN']).toBe('redacted')
})
