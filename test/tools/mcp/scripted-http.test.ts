/** Servers by HTTP that misbehave: each costs its own tools, within its bounds. */
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { freePort } from '../../../bench/process/free-port.ts'
import type { McpLimits } from '../../../tools/mcp/limits.ts'
import { type Answer, answerJson, closeHttpServers, httpServer, sessionHeader } from './support/http-server.ts'
import { closeServers, contextOf, openServers, prepared } from './support/open-servers.ts'

afterEach(async () => {
  await closeServers()
  await closeHttpServers()
})

const token = 'token-that-nobody-may-see'

function open(url: string, limits: Partial<McpLimits> = {}, environment: Record<string, string> = {}) {
  const far = { url, headers: { authorization: `Bearer ${token}` } }
  return openServers({ mcpServers: { far } }, { limits: { retryMinMs: 60_000, ...limits }, environment })
}

const onCall =
  (answer: (response: ServerResponse, id: unknown) => void): Answer =>
  ({ message }, response) => {
    if (message.method !== 'tools/call') return false
    answer(response, message.id)
    return true
  }

const failure = (server: { states(): { lastError: string | null }[] }) =>
  expect.poll(() => server.states()[0]?.lastError, { interval: 5 })

function beginEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...sessionHeader })
}

/** As fast as the socket takes it, until it is closed. */
function flood(response: ServerResponse, piece: string): void {
  if (response.destroyed) return
  while (response.write(piece));
  response.once('drain', () => flood(response, piece))
}

describe('a session', () => {
  test('carries the configured headers and is ended with DELETE', async () => {
    const server = await httpServer()
    const servers = open(server.url)
    expect(await servers.call('far__go')).toBe('fine')
    await servers.close()
    const last = server.asked.at(-1)
    expect(last).toMatchObject({ method: 'DELETE', headers: sessionHeader })
    expect(server.asked.every(({ headers }) => headers.authorization === `Bearer ${token}`)).toBe(true)
  })

  test('whose DELETE is never answered holds nobody up', async () => {
    const server = await httpServer(({ method }) => method === 'DELETE')
    const servers = open(server.url, { closeGraceMs: 200 })
    await servers.connected('far')
    await servers.close()
    expect(server.asked.at(-1)?.method).toBe('DELETE')
  })

  // 404 is the specification's word, 400 the reference server's.
  test.each([404, 400])('that the server has forgotten is opened again (status %i)', async (status) => {
    let hasForgotten = true
    const server = await httpServer(({ message }, response) => {
      if (message.method !== 'tools/call' || !hasForgotten) return false
      hasForgotten = false
      response.writeHead(status).end('no such session')
      return true
    })
    const servers = open(server.url, { retryMinMs: 20 })
    await expect(servers.call('far__go')).rejects.toMatchObject({ code: 'mcp_unavailable' })
    await failure(servers).toContain('does not know its session')
    expect(await servers.call('far__go')).toBe('fine')
    expect(server.asked.filter(({ message }) => message.method === 'initialize')).toHaveLength(2)
  })

  test('takes user and password out of the address', async () => {
    const server = await httpServer()
    const servers = openServers({ far: { url: server.url.replace('//', '//ada:pass%20word@') } })
    await servers.connected('far')
    const basic = `Basic ${Buffer.from('ada:pass word').toString('base64')}`
    expect(server.asked[0]?.headers.authorization).toBe(basic)
  })
})

describe('an answer', () => {
  test('past the size of a message ends the connection, however small it was on the wire', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, ' '))
    const server = await httpServer(
      onCall((response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb)
      }),
    )
    const servers = open(server.url, { messageBytesMax: 1_000_000 })
    await expect(servers.call('far__go')).rejects.toMatchObject({ code: 'mcp_unavailable' })
    await failure(servers).toContain('more than 1000000 bytes')
  })

  test.each(['application/json', 'text/event-stream'])('of very many fields is not parsed (%s)', async (type) => {
    const fields = Array.from({ length: 300_000 }, (_, at) => `"f${at}":1`).join(',')
    const server = await httpServer(({ message }, response) => {
      if (message.method !== 'tools/call') return false
      const text = `{"jsonrpc":"2.0","id":${message.id},"result":{"content":[],"structuredContent":{${fields}}}}`
      response.writeHead(200, { 'content-type': type })
      // The comment's quote would turn the strings of the line after it inside out.
      response.end(type === 'application/json' ? text : `: "\ndata: ${text}\n\n`)
      return true
    })
    const servers = open(server.url, { retryMinMs: 60_000 })
    await expect(servers.call('far__go')).rejects.toMatchObject({ code: 'mcp_unavailable' })
    await failure(servers).toContain('an object of more than 20000 fields')
  })

  test('past its bounds fails the call at once, however long the server takes to say goodbye', async () => {
    const failed = Promise.withResolvers<void>()
    const server = await httpServer(({ method, message }, response) => {
      if (method === 'DELETE') failed.promise.then(() => response.end())
      if (message.method === 'tools/call') {
        beginEvents(response)
        response.write(`data: ${'x'.repeat(2_000)}\n\n`)
      }
      return method === 'DELETE' || message.method === 'tools/call'
    })
    const servers = open(server.url, { messageBytesMax: 1_000, closeGraceMs: 20_000 })
    await expect(servers.call('far__go')).rejects.toMatchObject({ code: 'mcp_unavailable' })
    failed.resolve()
  }, 10_000)

  test('that is one endless event ends the connection', async () => {
    const server = await httpServer(
      onCall((response) => {
        beginEvents(response)
        flood(response, `data: ${'x'.repeat(10_000)}\n`)
      }),
    )
    const servers = open(server.url, { messageBytesMax: 1_000_000 })
    await expect(servers.call('far__go')).rejects.toMatchObject({ code: 'mcp_unavailable' })
    await failure(servers).toContain('more than 1000000 bytes')
  })

  test('that is a flood of notices ends the connection', async () => {
    const server = await httpServer(
      onCall((response) => {
        beginEvents(response)
        flood(response, 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n')
      }),
    )
    const servers = open(server.url)
    await expect(servers.call('far__go')).rejects.toMatchObject({ code: 'mcp_unavailable' })
    await failure(servers).toContain('1000 messages')
  })

  test('that is a list of messages ends the connection before one of them is read', async () => {
    const notice = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
    const server = await httpServer(
      onCall((response, id) => {
        const answer = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'hidden' }] } })
        response
          .writeHead(200, { 'content-type': 'Application/JSON; charset=utf-8' })
          .end(`\ufeff \n[${notice},${answer}]`)
      }),
    )
    const servers = open(server.url)
    await expect(servers.call('far__go')).rejects.toMatchObject({ code: 'mcp_unavailable' })
    await failure(servers).toContain('list of messages')
  })

  test('that breaks off fails the call at once', async () => {
    const server = await httpServer(
      onCall((response) => {
        beginEvents(response)
        response.write(': wait\n\n', () => response.destroy())
      }),
    )
    await expect(open(server.url).call('far__go')).rejects.toMatchObject({ code: 'mcp_unavailable' })
  })

  test('that is an HTML page fails the call', async () => {
    const server = await httpServer(
      onCall((response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hello')),
    )
    const servers = open(server.url)
    await expect(servers.call('far__go')).rejects.toMatchObject({
      code: 'mcp_unavailable',
      message: expect.stringContaining('neither JSON nor a stream of events'),
    })
    expect(servers.states()[0]?.status).toBe('connected')
  })

  test('that never comes ends with the time of the call', async () => {
    const server = await httpServer(onCall(() => undefined))
    const servers = open(server.url, { callMs: 100 })
    await expect(servers.call('far__go')).rejects.toMatchObject({ code: 'mcp_timeout' })
    await expect.poll(() => server.asked.map(({ message }) => message.method)).toContain('notifications/cancelled')
  })

  test('of a cancelled call is abandoned, and not requested again', async () => {
    const hungUp = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    let isFirst = true
    const server = await httpServer(({ message }, response) => {
      // The answer to our ping: the event has been read.
      if (message.method === undefined && message.id === 77) begun.resolve()
      if (message.method !== 'tools/call' || !isFirst) return false
      isFirst = false
      beginEvents(response)
      response.on('close', () => hungUp.resolve())
      // An event with an id: the protocol would have us resume here, after a millisecond.
      response.write('retry: 1\nid: 1\ndata: {"jsonrpc":"2.0","id":77,"method":"ping"}\n\n')
      return true
    })
    const servers = open(server.url, { streamIntervalMs: 1 })
    const turn = new AbortController()
    const call = prepared(await servers.tool('far__go'), {}).run(contextOf(turn.signal))
    await begun.promise
    turn.abort()
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    await hungUp.promise
    for (let time = 0; time < 10; time++) expect(await servers.call('far__go')).toBe('fine')
    expect(server.asked.filter(({ method, headers }) => method === 'GET' && headers['last-event-id'])).toEqual([])
  })
})

describe('a redirect', () => {
  test('to another origin is not followed', async () => {
    const elsewhere = await httpServer()
    const server = await httpServer((_, response) => {
      response.writeHead(307, { location: elsewhere.url }).end()
      return true
    })
    const servers = open(server.url)
    await failure(servers).toContain('status 307')
    expect(elsewhere.asked).toEqual([])
  })

  test('within the origin is', async () => {
    let isMoved = true
    const server = await httpServer((_, response) => {
      if (!isMoved) return false
      isMoved = false
      response.writeHead(307, { location: '/elsewhere' }).end()
      return true
    })
    expect(await open(server.url).call('far__go')).toBe('fine')
  })
})

test('refused credentials are reported, without their values', async () => {
  const server = await httpServer(({ headers }, response) => {
    response.writeHead(401).end(`you sent ${headers.authorization}`)
    return true
  })
  const servers = open(server.url)
  await failure(servers).toContain('status 401: the credentials in its headers are missing or refused')
  expect(JSON.stringify([servers.lines, servers.states()])).not.toContain(token)
})

test('a secret that comes back in a result is taken out of it', async () => {
  const server = await httpServer(({ message, headers }, response) => {
    if (message.method !== 'tools/call') return false
    return answerJson(response, message.id, { content: [{ type: 'text', text: `got ${headers.authorization}` }] })
  })
  expect(await open(server.url).call('far__go')).toBe('got [redacted]')
})

test('a stream of notifications that closes at once is reopened only after a pause', async () => {
  const server = await httpServer(({ method }, response) => {
    if (method !== 'GET') return false
    beginEvents(response)
    response.end('retry: 0\nid: 1\ndata: \n\n')
    return true
  })
  const servers = open(server.url, { streamIntervalMs: 60_000 })
  for (let time = 0; time < 20; time++) await servers.call('far__go')
  expect(server.asked.filter(({ method }) => method === 'GET').length).toBeLessThanOrEqual(1)
})

test('a list of tools is read up to its bound, whatever it contains', async () => {
  const tools = [...Array.from({ length: 999 }, () => 1), 'go', 'gone'].map((name) =>
    typeof name === 'string' ? { name, inputSchema: { type: 'object' } } : name,
  )
  const server = await httpServer(({ message }, response) => {
    return message.method === 'tools/list' && answerJson(response, message.id, { tools })
  })
  const servers = open(server.url)
  await servers.connected('far')
  expect(servers.tools().map(({ name }) => name)).toEqual(['far__go'])
  expect(servers.lines.map(({ why }) => why)).toContainEqual(expect.stringContaining('more than 1000 entries'))
})

test('the connection to a server that does not answer is retried', async () => {
  const server = { url: `http://127.0.0.1:${await freePort()}/mcp` }
  const servers = open(server.url, { retryMinMs: 1, retryMaxMs: 10 })
  await failure(servers).toBe('127.0.0.1 cannot be reached.')
  expect(JSON.stringify(servers.lines)).toContain('ECONNREFUSED')
  await expect.poll(() => servers.lines.length, { interval: 5 }).toBeGreaterThan(3)
})

describe('an airgapped service', () => {
  const airgapped = { SERVICE_AIRGAPPED: '1' }

  test('reaches servers at internal addresses, by number and by name', async () => {
    const server = await httpServer()
    expect(await open(server.url, {}, airgapped).call('far__go')).toBe('fine')
    expect(await open(server.url.replace('127.0.0.1', 'localhost'), {}, airgapped).call('far__go')).toBe('fine')
  })

  test('connects to a public one only if it is on the list, and looks for the rest at the connect', async () => {
    // Addresses of documentation: nobody is there, should this ever fail.
    for (const url of ['http://192.0.2.1/mcp', 'http://[2001:db8::1]/mcp', 'http://[::ffff:192.0.2.1]/mcp'])
      await failure(open(url, {}, airgapped)).toContain('SERVICE_OUTGOING_ALLOWLIST')
  })
})

test('no server is where nothing may be called, whatever allows it and however its name is resolved', async () => {
  const environment = { SERVICE_OUTGOING_ALLOWLIST: '169.254.0.0/16,tickets.example.com' }
  for (const url of ['http://169.254.169.254/mcp', 'http://[fe80::1]/mcp', 'http://metadata.google.internal/mcp'])
    await failure(open(url, {}, environment)).toContain('may be called from here')
  const answers = ['127.0.0.1', '169.254.169.254']
  const servers = openServers(
    { far: { url: `http://tickets.example.com:${await freePort()}/mcp` } },
    {
      limits: { retryMinMs: 1, retryMaxMs: 1 },
      environment,
      resolve: async () => [answers.shift() ?? '169.254.169.254'],
    },
  )
  // Judged again at the next connect: a name that has moved is not followed.
  await failure(servers).toBe(
    'tickets.example.com was not found, or its address is not one that may be called from here. The owner of the installation can allow it in SERVICE_OUTGOING_ALLOWLIST.',
  )
})
