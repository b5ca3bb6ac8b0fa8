/** Names: every address of an answer counts, an answer is asked for once, and the connection goes where it said. */

import { type AddressInfo, createServer } from 'node:net'
import { Client } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pinnedConnector } from '../../../runtime/network/pinned-connection.ts'
import { createResolver } from '../../../runtime/network/resolver.ts'
import { guardedRequester } from '../../../tools/net/requester.ts'
import { recordingLog } from '../../support/recording-log.ts'
import {
  codeOf,
  failureOf,
  get,
  knownNames,
  loopbackIsPublic,
  type Outside,
  outside,
  toOutside,
} from './support/outside.ts'

let server: Outside
beforeAll(async () => {
  server = await outside((request, response) => {
    if (request.url === '/again') response.writeHead(302, { location: '/' }).end()
    else response.end('hello')
  })
})
afterAll(() => server.close())

const resolveByHost = createResolver()
const base = { allow: [], isAirgapped: false, judge: loopbackIsPublic }

describe('a name', () => {
  it('that answers public first and private later is called at the first answer', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['10.0.0.1']]
    const names = knownNames({ 'turning.example.com': () => answers.shift() ?? [] })
    const requester = guardedRequester({ ...base, resolve: names.resolve })
    const { bytes } = await get(requester, `http://turning.example.com:${server.port}/`)
    expect(Buffer.from(bytes).toString()).toBe('hello')
    expect(names.asked).toEqual(['turning.example.com'])
    expect(await codeOf(get(requester, `http://turning.example.com:${server.port}/`))).toBe('refused_address')
  })

  it('that turns private between two hops is refused at the second', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']]
    const names = knownNames({ 'turning.example.com': () => answers.shift() ?? [] })
    const requester = guardedRequester({ ...base, resolve: names.resolve })
    expect(await codeOf(get(requester, `http://turning.example.com:${server.port}/again`))).toBe('refused_address')
  })

  it.each([
    ['public and private', ['127.0.0.1', '10.0.0.1']],
    ['private and public', ['fd00::1', '127.0.0.1']],
    ['public and mapped', ['127.0.0.1', '::ffff:10.0.0.1']],
    ['public and metadata', ['127.0.0.1', '169.254.169.254']],
    ['a name instead of an address', ['localhost']],
    ['more than anybody has', Array.from({ length: 65 }, () => '127.0.0.1')],
  ])('with an answer of %s is refused', async (_what, answer) => {
    const before = server.connections
    const requester = guardedRequester({ ...base, resolve: knownNames({ 'mixed.example.com': answer }).resolve })
    expect(await codeOf(get(requester, `http://mixed.example.com:${server.port}/`))).toBe('refused_address')
    expect(server.connections).toBe(before)
  })

  it('without an address, or that nobody knows, is not found', async () => {
    const requester = guardedRequester({ ...base, resolve: knownNames({ 'empty.example.com': [] }).resolve })
    const failureAt = async (host: string) => {
      const { code, message } = await failureOf(get(requester, `http://${host}/`))
      return [code, message.replaceAll(host, 'HOST')]
    }
    const unknown = await failureAt('nobody.example.com')
    // As of one that leads inside.
    for (const host of ['empty.example.com', 'mixed.example.com', 'localhost', 'metadata.google.internal'])
      expect(await failureAt(host), host).toEqual(unknown)
  })

  it('of this machine is found by its own resolver', async () => {
    expect(await resolveByHost('localhost')).toContain('127.0.0.1')
  })
})

describe('lookups at once', () => {
  it('wait in a bounded line, past which one is refused; the others are all answered', async () => {
    const many = Array.from({ length: 67 }, () => resolveByHost('localhost'))
    expect(await codeOf(many.at(-1) as Promise<unknown>)).toBe('busy')
    expect(await Promise.all(many.slice(0, -1))).toHaveLength(66)
    expect(await resolveByHost('localhost')).toContain('127.0.0.1')
  })

  it('that nobody waits for any more leaves the line', async () => {
    const caller = new AbortController()
    const many = Array.from({ length: 66 }, () => resolveByHost('localhost', caller.signal))
    const ends = Promise.allSettled(many)
    caller.abort(new Error('given up'))
    expect(await resolveByHost('localhost', AbortSignal.timeout(5_000))).toContain('127.0.0.1')
    expect((await ends).filter(({ status }) => status === 'rejected')).toHaveLength(64)
  })
})

describe('a connection', () => {
  it('to an address that was not judged is ended before anything is sent', async () => {
    const requestsBefore = server.requests.length
    const connect = pinnedConnector(['127.0.0.2'], new AbortController().signal)
    const client = new Client(`http://127.0.0.1:${server.port}`, { connect })
    expect(await codeOf(client.request({ path: '/', method: 'GET' }))).toBe('refused_address')
    expect(server.requests.length).toBe(requestsBefore)
    await client.destroy()
  })

  it('that is refused says so without the address', async () => {
    const closed = await outside(() => undefined)
    await closed.close()
    const { code, message } = await failureOf(get(toOutside(), `http://public.example.com:${closed.port}/`))
    expect(code).toBe('unreachable')
    expect(message).toContain('ECONNREFUSED')
    expect(message).not.toContain('127.0.0.1')
  })

  it('to an internal host that fails says no more, whatever is at the port', async () => {
    const closed = await outside(() => undefined)
    await closed.close()
    const noHttp = createServer((socket) => socket.end('220 mail.example.com ESMTP\r\n'))
    await new Promise<void>((resolve) => noHttp.listen(0, '127.0.0.1', resolve))
    const { port } = noHttp.address() as AddressInfo
    const { log, lines } = recordingLog()
    const requester = guardedRequester({ allow: ['127.0.0.1'], isAirgapped: false, resolve: resolveByHost, log })
    for (const address of [
      `http://127.0.0.1:${closed.port}/`,
      `http://127.0.0.1:${port}/`,
      `https://127.0.0.1:${port}/`,
    ])
      expect(await failureOf(get(requester, address)), address).toMatchObject({
        ...{ code: 'unreachable', message: 'The connection to 127.0.0.1 failed.' },
      })
    expect(lines.map((line) => line['reason'])).toEqual([
      expect.stringContaining('ECONNREFUSED'),
      expect.stringContaining('HTTPParserError'),
      expect.stringMatching(/EPROTO|SSL/),
    ])
    noHttp.close()
  })

  it('by TLS to a server that speaks none fails as that', async () => {
    expect(await codeOf(get(toOutside(), `https://public.example.com:${server.port}/`))).toMatch(
      /tls_failed|unreachable/,
    )
  })
})

describe('the operator’s list', () => {
  const names = { 'a.example.com': ['127.0.0.1'], 'deep.a.example.com': ['127.0.0.1'], 'b.example.com': ['127.0.0.1'] }
  const { resolve, asked } = knownNames(names)
  const reach = (allow: string[], host: string, isAirgapped = false) =>
    get(guardedRequester({ allow, isAirgapped, resolve }), `http://${host}:${server.port}/`).then(
      ({ status }) => status,
      (error: { code: string }) => error.code,
    )

  it('opens an internal address by the host itself, with or without its port, or by the address', async () => {
    expect(await reach(['a.example.com'], 'a.example.com')).toBe(200)
    expect(await reach([`a.example.com:${server.port}`], 'a.example.com')).toBe(200)
    expect(await reach(['127.0.0.1'], '127.0.0.1')).toBe(200)
    expect(await reach([`127.0.0.1:${server.port}`], '2130706433')).toBe(200)
  })

  it('does not open one by a wildcard, another port, or the address of a name', async () => {
    expect(await reach(['*.example.com'], 'a.example.com')).toBe('refused_address')
    expect(await reach(['a.example.com:1'], 'a.example.com')).toBe('refused_host')
    expect(await reach(['127.0.0.1'], 'a.example.com')).toBe('refused_host')
  })

  it('never opens a metadata service or an IPv4 address inside an IPv6 one', async () => {
    expect(await reach(['169.254.169.254'], '169.254.169.254')).toBe('refused_address')
    expect(await reach(['metadata.google.internal'], 'metadata.google.internal')).toBe('refused_address')
    expect(await reach(['[::ffff:127.0.0.1]'], '[::ffff:127.0.0.1]')).toBe('refused_address')
  })

  it('refuses everything else, without asking for its address', async () => {
    asked.length = 0
    expect(await reach(['a.example.com'], 'b.example.com')).toBe('refused_host')
    expect(await reach(['not a host'], 'b.example.com')).toBe('refused_host')
    expect(asked).toEqual([])
  })

  it('is all that is left without the internet: no list, no host, and no name looked up', async () => {
    asked.length = 0
    const judge = loopbackIsPublic
    const cut = (allow: string[]) =>
      get(guardedRequester({ allow, isAirgapped: true, resolve, judge }), `http://deep.a.example.com:${server.port}/`)
    expect(await codeOf(cut([]))).toBe('refused_host')
    expect(asked).toEqual([])
    expect(await cut(['*.example.com'])).toMatchObject({ status: 200 })
    expect(await reach(['a.example.com'], 'a.example.com', true)).toBe(200)
  })
})
