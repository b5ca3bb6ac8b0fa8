/** What the HTTP parser lets through, and what we make of it. Raw sockets: the bytes are the subject. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { open } from '../../http/access.ts'
import { reply } from '../../http/answer.ts'
import { route } from '../../http/route.ts'
import { get, post, rawClient } from './support/raw-client.ts'
import { type TestGateway, testGateway } from './support/server.ts'

const face = { tag: 'test', summary: 'test', access: open, answers: {} } as const
const seen: string[] = []
let release: () => void = () => {}

const routes = [
  route({
    ...face,
    method: 'GET',
    path: '/ok',
    handle() {
      seen.push('ok')
      return { ok: true }
    },
  }),
  route({
    ...face,
    method: 'GET',
    path: '/second',
    handle() {
      seen.push('second')
      return { second: true }
    },
  }),
  route({
    ...face,
    method: 'GET',
    path: '/waits',
    handle() {
      seen.push('waits')
      return new Promise<object>((resolve) => {
        release = () => resolve({ waited: true })
      })
    },
  }),
  route({ ...face, method: 'GET', path: '/empty', handle: () => reply(204) }),
  route({
    ...face,
    method: 'GET',
    path: '/things/:id',
    params: z.object({ id: z.string() }),
    handle: (call) => call.params,
  }),
  route({
    ...face,
    method: 'DELETE',
    path: '/things/:id',
    params: z.object({ id: z.string() }),
    handle: (call) => call.params,
  }),
  route({ ...face, method: 'GET', path: '/search', query: z.object({ q: z.string() }), handle: (call) => call.query }),
  route({ ...face, method: 'GET', path: '/who', handle: (call) => ({ ip: call.clientIp }) }),
  route({
    ...face,
    method: 'GET',
    path: '/header',
    headers: ['x-long'],
    handle: (call) => ({ length: call.header('x-long').length }),
  }),
  route({
    ...face,
    method: 'POST',
    path: '/echo',
    body: z.object({ name: z.string() }),
    handle(call) {
      seen.push('echo')
      return { name: call.body.name }
    },
  }),
]

let test: TestGateway
beforeAll(async () => {
  test = await testGateway(routes, {
    policy: { isTrustedProxy: (ip) => ip.startsWith('127.') || ip.startsWith('10.') },
  })
})
afterAll(() => test.stop())
beforeEach(() => {
  seen.length = 0
})

const json = 'Content-Type: application/json\r\n'
const smuggled = get('/second')

describe('a request whose length can be read in two ways', () => {
  const body = '{"name":"a"}'
  const chunked = `c\r\n${body}\r\n0\r\n\r\n`
  const cases: Record<string, string> = {
    'two Content-Length lines': `${json}Content-Length: 12\r\nContent-Length: 3\r\n\r\n${body}`,
    'two equal Content-Length lines': `${json}Content-Length: 12\r\nContent-Length: 12\r\n\r\n${body}`,
    'Transfer-Encoding: xchunked': `${json}Transfer-Encoding: xchunked\r\n\r\n${chunked}`,
    'Transfer-Encoding: chunked, identity': `${json}Transfer-Encoding: chunked, identity\r\n\r\n${chunked}`,
    'Transfer-Encoding: identity': `${json}Transfer-Encoding: identity\r\n\r\n`,
    'two Transfer-Encoding lines': `${json}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n${chunked}`,
    'two Host lines': `${json}Host: elsewhere.example.com\r\nContent-Length: 12\r\n\r\n${body}`,
    'two equal Host lines': `${json}Host: example.com\r\nContent-Length: 12\r\n\r\n${body}`,
    'a Content-Length with a sign': `${json}Content-Length: +12\r\n\r\n${body}`,
  }
  for (const [name, rest] of Object.entries(cases)) {
    it(`(${name}) ends its connection unanswered, and what follows on it is not run`, async () => {
      const client = await rawClient(test.port, `POST /echo HTTP/1.1\r\nHost: example.com\r\n${rest}${smuggled}`)
      expect(await client.untilClosed()).not.toContain('200 OK')
      expect(seen).toEqual([])
      expect((await fetch(`${test.url}/ok`)).status).toBe(200)
    })
  }

  it('(Content-Length beside Transfer-Encoding) is never handled', async () => {
    const rest = `${json}Content-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}${smuggled}`
    const client = await rawClient(test.port, `POST /echo HTTP/1.1\r\nHost: example.com\r\n${rest}`)
    expect(await client.untilClosed()).not.toContain('200 OK')
    expect(seen).toEqual([])
  })
})

it('does not say what it is made with', async () => {
  for (const path of ['/ok', '/nowhere']) {
    const { headers } = await fetch(`${test.url}${path}`)
    expect([...headers.keys()].filter((name) => /uwebsockets|server|powered/i.test(name))).toEqual([])
  }
})

describe('a body in chunks', () => {
  const body = '{"name":"a"}'
  const head = `POST /echo HTTP/1.1\r\nHost: example.com\r\n${json}Transfer-Encoding: chunked\r\n\r\n`
  // All but the first are taken by the parser, or by others, as something else.
  const framings: Record<string, string> = {
    'well framed': `c\r\n${body}\r\n0\r\n\r\n`,
    'not ended by a line break': `c\r\n${body}XX0\r\n\r\n`,
    'with a blank behind its size': `c \r\n${body}\r\n0\r\n\r\n`,
    'with a line feed alone': `c\n${body}\n0\n\n`,
    'with an extension': `c;a="\r\n0"\r\n${body}\r\n0\r\n\r\n`,
    'with a size in hexadecimal notation': `0xc\r\n${body}\r\n0\r\n\r\n`,
    'with a sign before its size': `+c\r\n${body}\r\n0\r\n\r\n`,
    'with trailers': `c\r\n${body}\r\n0\r\nContent-Length: 12\r\n\r\n`,
    'without data': '0\r\n\r\n',
    'without an end': 'ffff\r\nabc',
  }
  for (const [name, chunks] of Object.entries(framings)) {
    it(`(${name}) is refused, and nothing that follows on its connection is run`, async () => {
      const client = await rawClient(test.port, head + chunks)
      client.send(smuggled)
      expect(await client.untilClosed()).not.toContain('200 OK')
      const pipelined = await rawClient(test.port, head + chunks + smuggled)
      expect(await pipelined.untilClosed()).not.toContain('200 OK')
      expect(seen).toEqual([])
    })
  }

  it('is answered with what to do', async () => {
    const client = await rawClient(test.port, head + framings['well framed'])
    const text = await client.untilClosed()
    expect(text).toMatch(/^HTTP\/1\.1 411 /)
    expect(text).toContain('"code":"length_required"')
    expect(test.gateway.running).toBe(0)
  })

  it('is refused by paths that do not exist and by those that read no body', async () => {
    for (const line of ['GET /ok', 'POST /nowhere', 'OPTIONS /echo']) {
      const request = `${line} HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`
      const client = await rawClient(test.port, request)
      expect(await client.untilClosed()).toMatch(/^HTTP\/1\.1 411 /)
    }
    expect(seen).toEqual([])
  })
})

describe('pipelining', () => {
  it('answers requests in order where each is answered at once', async () => {
    const client = await rawClient(test.port, get('/ok') + get('/second'))
    const text = await client.untilText('{"second":true}')
    expect(text.indexOf('{"ok":true}')).toBeLessThan(text.indexOf('{"second":true}'))
    client.destroy()
  })

  it('ends the connection when a second request comes before the first is answered; the first is told', async () => {
    const client = await rawClient(test.port, get('/waits'))
    await expect.poll(() => seen).toEqual(['waits'])
    const aborted = test.edge.counts.aborted
    client.send(get('/second'))
    await client.untilClosed()
    expect(seen).toEqual(['waits'])
    await expect.poll(() => test.edge.counts.aborted).toBe(aborted + 1)
    release()
    expect((await fetch(`${test.url}/ok`)).status).toBe(200)
  })
})

describe('HEAD', () => {
  it('has the headers and the length of GET, and no body', async () => {
    const client = await rawClient(test.port, get('/ok').replace('GET', 'HEAD') + get('/second'))
    const text = await client.untilText('{"second":true}')
    const first = text.slice(0, text.indexOf('HTTP/1.1', 1))
    expect(first).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(first).toContain('content-length: 11\r\n')
    expect(first).toContain('content-type: application/json')
    expect(first.endsWith('\r\n\r\n')).toBe(true)
    client.destroy()
  })

  it('of nothing is a 404 without a body', async () => {
    const client = await rawClient(test.port, get('/nowhere', 'Connection: close\r\n').replace('GET', 'HEAD'))
    const text = await client.untilClosed()
    expect(text).toMatch(/^HTTP\/1\.1 404 Not Found/)
    expect(text.endsWith('\r\n\r\n')).toBe(true)
  })
})

describe('methods and paths', () => {
  it('204 carries neither body nor length', async () => {
    const client = await rawClient(test.port, get('/empty', 'Connection: close\r\n'))
    const text = await client.untilClosed()
    expect(text).toMatch(/^HTTP\/1\.1 204 No Content/)
    expect(text.toLowerCase()).not.toContain('content-length')
  })

  it('an unknown path is a 404 with the envelope', async () => {
    const answer = await fetch(`${test.url}/nowhere`)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ error: { type: 'not_found_error', code: 'not_found' } })
  })

  it('a method that the path does not have is a 405 that names those it has', async () => {
    const answer = await fetch(`${test.url}/things/a`, { method: 'POST' })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, DELETE, HEAD, OPTIONS')
    expect(await answer.json()).toMatchObject({ error: { code: 'method_not_allowed' } })
  })

  it.each(['BREW', 'TRACE', 'CONNECT'])('a method that no path has is a 405 too: %s', async (method) => {
    const client = await rawClient(test.port, get('/ok').replace('GET', method))
    expect(await client.untilText('method_not_allowed')).toMatch(/^HTTP\/1\.1 405 /)
    client.destroy()
  })

  it('OPTIONS says what a path takes', async () => {
    const answer = await fetch(`${test.url}/things/a`, { method: 'OPTIONS' })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('allow')).toBe('GET, DELETE, HEAD, OPTIONS')
  })

  it('parameters are decoded, and one that is no UTF-8 names nothing', async () => {
    expect(await (await fetch(`${test.url}/things/a%20b%2Fc`)).json()).toEqual({ id: 'a b/c' })
    expect((await fetch(`${test.url}/things/%zz`)).status).toBe(404)
    expect((await fetch(`${test.url}/things/`)).status).toBe(404)
  })
})

describe('the query string', () => {
  it('is decoded', async () => {
    expect(await (await fetch(`${test.url}/search?q=%D1%91%D0%BB%D0%BA%D0%B0+1%2B1`)).json()).toEqual({ q: 'ёлка 1+1' })
  })
  it('with a broken escape is refused instead of turned to garbage', async () => {
    const client = await rawClient(test.port, get('/search?q=%zz'))
    expect(await client.untilText('percent sign')).toMatch(/^HTTP\/1\.1 400 /)
    client.destroy()
  })
  it('with a parameter said twice is refused', async () => {
    const answer = await fetch(`${test.url}/search?q=1&q=2`)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { param: 'q' } })
  })
  it('without a required parameter says which', async () => {
    const answer = await fetch(`${test.url}/search`)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error: { param: 'q', code: 'bad_request', type: 'invalid_request_error' },
    })
  })
})

describe('headers', () => {
  it('X-Forwarded-For in several lines is read as one list, from the right', async () => {
    const lines = 'X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-For: 198.51.100.7, 10.0.0.2\r\n'
    const client = await rawClient(test.port, get('/who', lines))
    expect(await client.untilText('}')).toContain('{"ip":"198.51.100.7"}')
    client.destroy()
  })

  it('the PROXY protocol, which the library takes from anybody, says nothing of who the client is', async () => {
    const signature = '\r\n\r\n\0\r\nQUIT\n'
    // Version 2, PROXY, TCP over IPv4: from 6.6.6.6:1 to 7.7.7.7:1.
    const preamble = `${signature}\x21\x11\0\x0c\x06\x06\x06\x06\x07\x07\x07\x07\0\x01\0\x01`
    const client = await rawClient(test.port, preamble + get('/who'))
    expect(await client.untilText('}')).toContain('{"ip":"127.0.0.1"}')
    client.destroy()
  })

  it('of 12 KB in all are taken, and past 16 KB refused by the parser', async () => {
    const client = await rawClient(test.port, get('/header', `X-Long: ${'a'.repeat(12_000)}\r\n`))
    expect(await client.untilText('}')).toContain('{"length":12000}')
    client.send(get('/header', `X-Long: ${'a'.repeat(17_000)}\r\n`))
    expect(await client.untilClosed()).toContain('HTTP/1.1 431 ')
  })

  it('a sane X-Request-Id comes back, on errors too', async () => {
    const answer = await fetch(`${test.url}/nowhere`, { headers: { 'x-request-id': 'abc-1.2_3' } })
    expect(answer.headers.get('x-request-id')).toBe('abc-1.2_3')
  })

  it('an X-Request-Id that is not sane is replaced', async () => {
    for (const bad of ['with space', 'a'.repeat(129), 'semi;colon']) {
      const answer = await fetch(`${test.url}/ok`, { headers: { 'x-request-id': bad } })
      expect(answer.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{16}[0-9a-z]{6,}$/)
    }
  })

  it('security headers are on every answer, errors included', async () => {
    for (const path of ['/ok', '/nowhere']) {
      const { headers } = await fetch(`${test.url}${path}`)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    }
  })
})

it('a keep-alive connection carries request after request', async () => {
  const client = await rawClient(test.port)
  for (let round = 0; round < 3; round++) {
    client.received = ''
    client.send(post('/echo', `{"name":"${round}"}`))
    await client.untilText(`{"name":"${round}"}`)
  }
  client.destroy()
})
