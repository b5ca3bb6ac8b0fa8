/** Redirects: each hop judged anew, methods and bodies by the fetch standard, credentials to their own host only. */
import { afterEach, describe, expect, it } from 'vitest'
import { credentials } from '../../../tools/net/credentials.ts'
import type { Method } from '../../../tools/net/redirect.ts'
import type { OutgoingRequest } from '../../../tools/net/requester.ts'
import { codeOf, get, type Outside, outside, toOutside } from './support/outside.ts'

let servers: Outside[] = []
afterEach(async () => {
  for (const server of servers) await server.close()
  servers = []
})

/** `/` redirects to `location`, everything else says what it was asked with. */
async function redirecting(status: number, location: string): Promise<Outside> {
  const server = await outside((request, response) => {
    if (request.url === '/') {
      response.writeHead(status, { location }).end('moved')
      return
    }
    const pieces: Buffer[] = []
    request.on('data', (piece) => pieces.push(piece))
    request.on('end', () =>
      response.end(
        JSON.stringify({ method: request.method, headers: request.headers, body: Buffer.concat(pieces).toString() }),
      ),
    )
  })
  servers.push(server)
  return server
}

interface Seen {
  method: string
  headers: Record<string, string>
  body: string
}

async function seenAfter(server: Outside, request: Partial<OutgoingRequest>, requester = toOutside()): Promise<Seen> {
  const { bytes } = await get(requester, `http://public.example.com:${server.port}/`, request)
  return JSON.parse(Buffer.from(bytes).toString())
}

describe('a redirect to an internal place', () => {
  const places = [
    ...['http://10.0.0.1/', 'http://0x0a000001/', 'http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://localhost/'],
    ...['//169.254.169.254/latest', 'http://2852039166/', 'http://metadata.google.internal/', '\\\\10.0.0.1\\'],
    ...['http://user:word@public.example.com/', 'file:///etc/passwd', 'ftp://public.example.com/', 'data:,x'],
    ...['http://public.example.com./', 'javascript:1', 'http://[fd00::1]/', 'http://0/'],
  ]
  for (const status of [301, 302, 303, 307, 308])
    it.each(places)(`with ${status} is refused: %s`, async (place) => {
      const server = await redirecting(status, place)
      const code = await codeOf(get(toOutside(), `http://public.example.com:${server.port}/`))
      expect(['refused_address', 'bad_url']).toContain(code)
      expect(server.connections).toBe(1)
    })

  it('is refused also where the host is on no list but the first one was', async () => {
    const server = await redirecting(302, 'http://other.example.com/')
    const requester = toOutside({ allow: ['public.example.com'] })
    expect(await codeOf(get(requester, `http://public.example.com:${server.port}/`))).toBe('refused_host')
  })
})

describe('a redirect', () => {
  const cases: [number, Method, string, string][] = [
    [301, 'GET', 'GET', ''],
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [302, 'PUT', 'PUT', 'words'],
    [307, 'POST', 'POST', 'words'],
    [308, 'DELETE', 'DELETE', 'words'],
  ]
  it.each(cases)('with %i turns %s into %s', async (status, method, method2, body) => {
    const server = await redirecting(status, '/seen')
    const given = method === 'GET' ? undefined : 'words'
    const seen = await seenAfter(server, { method, body: given, headers: { 'content-type': 'text/plain' } })
    expect(seen.method).toBe(method2)
    expect(seen.body).toBe(body)
    if (method === 'POST' && method2 === 'GET') expect(seen.headers).not.toHaveProperty('content-type')
  })

  it('is followed five times and no more', async () => {
    const server = await outside((request, response) => {
      const at = Number(request.url?.slice(1))
      if (at === 0) response.end('there')
      else response.writeHead(302, { location: `/${at - 1}` }).end()
    })
    servers.push(server)
    const { bytes } = await get(toOutside(), `http://public.example.com:${server.port}/5`)
    expect(Buffer.from(bytes).toString()).toBe('there')
    expect(await codeOf(get(toOutside(), `http://public.example.com:${server.port}/6`))).toBe('too_many_redirects')
  })

  it('to itself for ever ends', async () => {
    const server = await redirecting(308, '/')
    expect(await codeOf(get(toOutside(), `http://public.example.com:${server.port}/`))).toBe('too_many_redirects')
    expect(server.requests).toHaveLength(6)
  })

  it('without a place is the answer itself', async () => {
    const server = await outside((_request, response) => response.writeHead(302).end('nowhere'))
    servers.push(server)
    const { status, bytes } = await get(toOutside(), `http://public.example.com:${server.port}/`)
    expect([status, Buffer.from(bytes).toString()]).toEqual([302, 'nowhere'])
  })
})

describe('what a host is told of the one before', () => {
  const given = { headers: { 'x-key': 'callers', cookie: 'a=b', accept: 'text/plain' } }
  const auth = credentials({ 'public.example.com': { Authorization: 'Bearer operators-own' } })

  it('is everything where it is the same origin', async () => {
    const server = await redirecting(302, '/seen')
    const { headers } = await seenAfter(
      server,
      given,
      toOutside({ credentials: auth, judge: () => 'private', allow: ['public.example.com'] }),
    )
    expect(headers).toMatchObject({ 'x-key': 'callers', cookie: 'a=b', authorization: 'Bearer operators-own' })
  })

  it('is neither credentials nor keys where it is another origin', async () => {
    const target = await redirecting(200, '')
    const server = await redirecting(307, `http://other.example.com:${target.port}/seen`)
    const allow = ['public.example.com', 'other.example.com']
    const requester = toOutside({ credentials: auth, judge: () => 'private', allow })
    const { headers } = await seenAfter(server, given, requester)
    expect(headers['accept']).toBe('text/plain')
    for (const name of ['authorization', 'cookie', 'x-key']) expect(headers).not.toHaveProperty(name)
  })

  it('is no credential of its own either, so that no page makes us call with one', async () => {
    const target = await redirecting(200, '')
    const server = await redirecting(302, `http://public.example.com:${target.port}/seen`)
    const allow = ['public.example.com', 'other.example.com']
    const requester = toOutside({ credentials: auth, judge: () => 'private', allow })
    const { bytes } = await get(requester, `http://other.example.com:${server.port}/`)
    expect(JSON.parse(Buffer.from(bytes).toString()).headers).not.toHaveProperty('authorization')
  })
})
