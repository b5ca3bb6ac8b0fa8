/** http_request: what it sends, what it tells, and what it keeps to itself. */
import type { IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpRequest } from '../../tools/http-request.ts'
import { codeOf, type Outside, outside } from './net/support/outside.ts'
import { type MadeTool, made } from './net/support/tool-calls.ts'

let server: Outside
let http: MadeTool
let url: string
const token = 'Bearer operators-own-token'

beforeAll(async () => {
  server = await outside(async (request, response) => {
    const body = await bodyOf(request)
    if (request.url === '/image') response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([1, 0, 2]))
    else if (request.url === '/none') response.writeHead(204, { etag: '"1"' }).end()
    else if (request.url === '/long') response.end('x'.repeat(300_000))
    else if (request.url === '/cut')
      response.writeHead(200, { link: `${'y'.repeat(495)}${token}` }).end(`${'x'.repeat(199_995)}${token}`)
    else if (request.url === '/lured')
      response.writeHead(302, { location: `http://${token.slice('Bearer '.length)}.example.com/` }).end()
    else if (request.url === '/moved') response.writeHead(307, { location: '/echo' }).end()
    else if (request.url === '/fails') response.writeHead(500, { 'content-type': 'application/json' }).end('{"bad":1}')
    else {
      const { method, headers } = request
      response.writeHead(200, { 'content-type': 'application/json', 'x-secret': token, link: `<${token}>` })
      response.end(JSON.stringify({ method, headers, body }))
    }
  })
  url = `http://127.0.0.1:${server.port}`
  http = made(httpRequest, {
    SERVICE_HTTP_ALLOWLIST: `127.0.0.1:${server.port}`,
    SERVICE_HTTP_AUTH_JSON: JSON.stringify({ [`127.0.0.1:${server.port}`]: token }),
  })
})
afterAll(() => server.close())

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

const seen = () => server.requests.at(-1)?.headers ?? {}

describe('a request', () => {
  it('tells status, chosen headers and body', async () => {
    const result = await http.call({ url: `${url}/fails` })
    expect(result).toBe('HTTP 500 Internal Server Error\ncontent-type: application/json\n\n{"bad":1}')
    expect(await http.call({ url: `${url}/none` })).toBe('HTTP 204 No Content\netag: "1"\n\n(no body)')
  })

  it('sends JSON or text, with a key by which a repeated call is known', async () => {
    const result = await http.call({
      method: 'POST',
      url: `${url}/echo`,
      json: { a: [1] },
      headers: { 'X-Mine': 'yes' },
    })
    expect(result).toContain(String.raw`"body":"{\"a\":[1]}"`)
    expect(seen()).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': 'call-key-1',
      'x-mine': 'yes',
    })
    await http.call({ method: 'PUT', url: `${url}/echo`, body: 'words', headers: { 'Content-Type': 'text/csv' } })
    expect(seen()).toMatchObject({ 'content-type': 'text/csv', 'content-length': '5' })
    await http.call({ url: `${url}/echo` })
    expect(seen()).not.toHaveProperty('idempotency-key')
  })

  it('says where a redirect led', async () => {
    expect(await http.call({ url: `${url}/moved` })).toContain(`redirected to: ${url}/echo`)
  })

  it('does not tell bytes that are no text, and says where it cut', async () => {
    expect(await http.call({ url: `${url}/image` })).toContain('(a body of 3 bytes that is not text and is not shown)')
    const long = await http.call({ url: `${url}/long` })
    expect(long.length).toBeLessThan(201_000)
    expect(long).toContain('(cut here')
  })

  it('ends with its signal', async () => {
    const reason = new Error('cancelled')
    await expect(http.call({ url: `${url}/echo` }, AbortSignal.abort(reason))).rejects.toBe(reason)
  })
})

describe('the operator’s credentials', () => {
  it('are sent, and never told, not even where the server sends them back', async () => {
    const result = await http.call({ url: `${url}/echo` })
    expect(seen()['authorization']).toBe(token)
    expect(result).toContain('"authorization":"[redacted]"')
    expect(result).toContain('link: <[redacted]>')
    expect(result).not.toContain('operators-own')
  })

  it('are not told in part where a header or the body is cut in the middle of them', async () => {
    const result = await http.call({ url: `${url}/cut` })
    expect(result).toContain('cut here')
    expect(result).not.toContain('Bearer')
  })

  it('are not told in the words of a failure either', async () => {
    const failed = http.call({ url: `${url}/lured` })
    await expect(failed).rejects.toMatchObject({
      code: 'refused_host',
      message: expect.stringMatching(/^\[redacted\]\.example\.com is refused/),
    })
  })

  it('cannot be set aside by the model', async () => {
    expect(await codeOf(http.call({ url: `${url}/echo`, headers: { AUTHORIZATION: 'Bearer mine' } }))).toBe(
      'bad_header',
    )
  })

  it('that cannot be used are logged by their host alone', () => {
    const { lines } = made(httpRequest, {
      SERVICE_HTTP_AUTH_JSON: JSON.stringify({ 'a b': 'hunter2-one', 'c.example.com': 'hunter2\r\ntwo' }),
      SERVICE_HTTP_ALLOWLIST: 'https://example.com/',
    })
    expect(lines).toHaveLength(2)
    expect(JSON.stringify(lines)).not.toContain('hunter2')
  })
})

describe('what is refused', () => {
  it.each([
    ['Host', 'example.com'],
    ['Connection', 'close'],
    ['Content-Length', '1'],
    ['Transfer-Encoding', 'chunked'],
    ['X-Forwarded-For', '127.0.0.1'],
    ['Proxy-Authorization', 'x'],
    ['Idempotency-Key', 'x'],
    ['Accept-Encoding', 'gzip'],
    ['X-Split', 'a\r\nHost: b'],
    ['Bad Name', 'x'],
  ])('is the header %s', async (name, value) => {
    expect(await codeOf(http.call({ url: `${url}/echo`, headers: { [name]: value } }))).toBe('bad_header')
  })

  it('is a body where none goes, two bodies, and arguments that are none', async () => {
    expect(await codeOf(http.call({ url, body: 'x' }))).toBe('bad_body')
    expect(await codeOf(http.call({ url, method: 'POST', body: 'x', json: 1 }))).toBe('bad_body')
    await expect(http.call({ url, method: 'CONNECT' })).rejects.toThrow(/method/)
    await expect(http.call({ address: url })).rejects.toThrow(/url/)
  })

  it('is every other host, and every host where there is no internet and no list', async () => {
    expect(await codeOf(http.call({ url: 'http://127.0.0.1:1/' }))).toBe('refused_host')
    const cut = made(httpRequest, { SERVICE_AIRGAPPED: '1' })
    expect(await codeOf(cut.call({ url: 'https://example.com/' }))).toBe('refused_host')
    expect(cut.tool.description).toContain('No host is allowed')
    const open = made(httpRequest, {})
    expect(await codeOf(open.call({ url }))).toBe('refused_address')
  })
})

it('http_request says what it is', () => {
  expect(http.tool).toMatchObject({ name: 'http_request', risk: 'write', idempotency: 'once', isUntrusted: true })
  expect(http.tool.description).toContain(`Only these hosts: 127.0.0.1:${server.port}.`)
})
