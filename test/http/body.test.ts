/** Bodies: bounded in size, in depth, in time and over all connections, and refused with words that help. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { key, open } from '../../http/access.ts'
import { route } from '../../http/route.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { get, post, type RawClient, rawClient } from './support/raw-client.ts'
import { fixedKeys, principal, type TestGateway, testGateway } from './support/server.ts'

const face = { tag: 'test', summary: 'test', access: open, answers: {} } as const
const routes = [
  route({ ...face, method: 'GET', path: '/ok', handle: () => ({ ok: true }) }),
  route({
    ...face,
    method: 'POST',
    path: '/echo',
    bodyBytesMax: 1_048_576,
    body: z.object({ name: z.string(), messages: z.array(z.object({ content: z.string() })).optional() }),
    handle: (call) => ({ name: call.body.name, count: call.body.messages?.length ?? 0 }),
  }),
  route({
    ...face,
    method: 'POST',
    path: '/any',
    bodyBytesMax: 4_000_000,
    body: z.unknown(),
    handle: () => ({ ok: true }),
  }),
  route({
    ...face,
    method: 'POST',
    path: '/keyed',
    access: key('chat'),
    body: z.object({ name: z.string() }),
    handle: (call) => ({ name: call.body.name, workspace: call.principal.workspaceId }),
  }),
]

let test: TestGateway
beforeAll(async () => {
  test = await testGateway(routes)
})
afterAll(() => test.stop())

async function refusal(
  body: string | Buffer,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) {
  const answer = await fetch(`${test.url}/echo`, { method: 'POST', body, headers })
  return {
    status: answer.status,
    ...((await answer.json()) as { error: { message: string; param: string; code: string } }),
  }
}

describe('a body that is wrong', () => {
  it('names the field', async () => {
    expect(await refusal('{"name":"a","messages":[{"content":1}]}')).toMatchObject({
      status: 400,
      error: { param: 'messages[0].content', code: 'bad_request', type: 'invalid_request_error' },
    })
  })
  it('because it is empty says so', async () => {
    expect(await refusal('')).toMatchObject({ status: 400, error: { message: expect.stringContaining('no body') } })
  })
  it('because it is no JSON says where, without repeating it', async () => {
    const { status, error } = await refusal('{"name": topsecret}')
    expect(status).toBe(400)
    expect(error.message).toMatch(/not valid JSON/)
    expect(error.message).not.toContain('topsecret')
  })
  it('because it is no UTF-8 says so', async () => {
    expect(await refusal(Buffer.from('7b226e616d65223a22ff227d', 'hex'))).toMatchObject({
      status: 400,
      error: { message: expect.stringContaining('UTF-8') },
    })
  })
  it('because it is an array says what is wanted', async () => {
    expect(await refusal('[1]')).toMatchObject({ status: 400, error: { message: expect.stringContaining('the body') } })
  })
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonx',
  ]) {
    it(`because it is ${type} is a 415`, async () => {
      expect(await refusal('{"name":"a"}', { 'content-type': type })).toMatchObject({
        status: 415,
        error: { code: 'unsupported_media_type' },
      })
    })
  }
  for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/vnd.api+json']) {
    it(`is not wrong for being ${type}`, async () => {
      const answer = await fetch(`${test.url}/echo`, {
        method: 'POST',
        body: '{"name":"a"}',
        headers: { 'content-type': type },
      })
      expect(answer.status).toBe(200)
    })
  }
})

describe('nesting', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
  it('of 64 levels is taken, of 65 refused', async () => {
    const send = (body: string) =>
      fetch(`${test.url}/any`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    expect((await send(nested(64))).status).toBe(200)
    expect((await send(nested(65))).status).toBe(400)
    expect((await send(nested(400_000))).status).toBe(400)
  })
})

describe('size', () => {
  it('is refused from Content-Length, before the body comes', async () => {
    const head =
      'POST /echo HTTP/1.1\r\nHost: example.com\r\nContent-Type: application/json\r\nContent-Length: 1048577\r\n\r\n'
    const client = await rawClient(test.port, head)
    const text = await client.untilClosed()
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
    expect(text).toContain('"code":"body_too_large"')
  })

  it.each(['/echo', '/nowhere'])('a client that sends too much to %s reads the refusal, not a reset', async (path) => {
    const bytes = 20_000_000
    const head = `POST ${path} HTTP/1.1\r\nHost: example.com\r\nContent-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`
    for (let round = 0; round < 5; round++) {
      const client = await rawClient(test.port, head)
      const errors: unknown[] = []
      client.socket.on('error', (error) => errors.push(error))
      client.send('x'.repeat(bytes))
      await client.untilText('"code":')
      expect(client.received).toMatch(path === '/echo' ? /^HTTP\/1\.1 413 / : /^HTTP\/1\.1 404 /)
      // All of it was read: the next request goes on the same connection.
      client.send(head.replace(/Content-Length: \d+/, 'Content-Length: 0'))
      await client.until(({ received }) => received.split('HTTP/1.1 ').length === 3)
      expect(errors).toEqual([])
      client.destroy()
    }
  })

  it('a client that sends without end is cut off', async () => {
    const head =
      'POST /echo HTTP/1.1\r\nHost: example.com\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n'
    const client = await rawClient(test.port, head)
    const piece = 'x'.repeat(1_000_000)
    let sent = 0
    const more = () => {
      while (!client.isClosed && sent < 200) {
        sent++
        if (!client.socket.write(piece)) return
      }
    }
    client.socket.on('drain', more)
    more()
    await client.until(({ isClosed }) => isClosed)
    expect(sent).toBeLessThan(100)
  })

  it('just under the limit is taken, in however many pieces', async () => {
    const body = `{"name":"${'я'.repeat(500_000)}"}`
    const answer = await fetch(`${test.url}/echo`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    expect(answer.status).toBe(200)
    expect(((await answer.json()) as { name: string }).name).toBe('я'.repeat(500_000))
    expect(test.gateway.bodyBytes).toBe(0)
  })
})

describe('bodies under way', () => {
  const heads = (path: string, key = '') =>
    `POST ${path} HTTP/1.1\r\nHost: example.com\r\nContent-Type: application/json\r\n${key && `Authorization: Bearer ${key}\r\n`}Content-Length: 900000\r\n\r\n{"name":"`

  /** Sends so much of a body, and keeps the rest. */
  const holding = (port: number, bytes: number, { from = '127.0.0.1', path = '/echo', key = '' } = {}) =>
    rawClient(port, heads(path, key) + 'a'.repeat(bytes), from)
  const status = async (client: RawClient) => (await client.untilClosed()).split(' ', 2)[1]

  it('are bounded for each stranger, for all strangers and for each key; none takes another’s room', async () => {
    const keys = fixedKeys({ 'sk-one': principal('chat'), 'sk-two': principal('chat') })
    const bounded = await testGateway(routes, { bodiesBytesMax: 800_000, keys })
    const { gateway, port } = bounded
    const held = async (bytes: number) => await expect.poll(() => gateway.bodyBytes).toBeGreaterThan(bytes)
    try {
      const first = await holding(port, 90_000)
      await held(80_000)
      expect(await status(await holding(port, 90_000))).toBe('503')
      await holding(port, 90_000, { from: '127.0.0.2' })
      await held(170_000)
      expect(await status(await holding(port, 90_000, { from: '127.0.0.3' }))).toBe('503')
      // Of who has a key there is still room, and one key does not take another's.
      await holding(port, 390_000, { path: '/keyed', key: 'sk-one' })
      await held(560_000)
      expect(await status(await holding(port, 90_000, { path: '/keyed', key: 'sk-one' }))).toBe('503')
      await holding(port, 150_000, { path: '/keyed', key: 'sk-two' })
      await held(700_000)
      first.destroy()
      await expect.poll(() => gateway.bodyBytes).toBeLessThan(640_000)
      await holding(port, 90_000)
      await held(700_000)
    } finally {
      await bounded.stop()
    }
    expect(gateway.bodyBytes).toBe(0)
  })

  it('count as a stranger’s until the key is known, then as the key’s, and come free with the answer', async () => {
    const keys = fixedKeys({ 'sk-one': principal('chat') }, true)
    const bounded = await testGateway(routes, { bodiesBytesMax: 8_000_000, keys })
    try {
      const body = JSON.stringify({ name: 'a'.repeat(900_000) })
      const answers = await Promise.all(
        Array.from({ length: 4 }, () =>
          fetch(`${bounded.url}/keyed`, {
            method: 'POST',
            body,
            headers: { authorization: 'Bearer sk-one', 'content-type': 'application/json' },
          }),
        ),
      )
      expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200])
      await expect.poll(() => bounded.gateway.bodyBytes).toBe(0)
    } finally {
      await bounded.stop()
    }
  })

  it('of a route that anybody may call are small where it does not say otherwise', async () => {
    const small = route({ ...face, method: 'POST', path: '/small', body: z.unknown(), handle: () => ({ ok: true }) })
    const strict = await testGateway([small])
    try {
      const send = async (length: number) =>
        (
          await fetch(`${strict.url}/small`, {
            method: 'POST',
            body: `"${'a'.repeat(length - 2)}"`,
            headers: { 'content-type': 'application/json' },
          })
        ).status
      expect([await send(16_384), await send(16_385)]).toEqual([200, 413])
    } finally {
      await strict.stop()
    }
  })

  it('that never arrive end at the deadline with 408', async () => {
    const clock = virtualClock()
    const timed = await testGateway(routes, { clock, policy: { deadlineMs: 5_000 } })
    try {
      const head =
        'POST /echo HTTP/1.1\r\nHost: example.com\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
      const client = await rawClient(timed.port, head)
      await expect.poll(() => timed.gateway.running).toBe(1)
      await clock.advance(5_500)
      expect(await client.untilText('body_timeout')).toMatch(/^HTTP\/1\.1 408 /)
      expect(timed.gateway.bodyBytes).toBe(0)
      client.destroy()
    } finally {
      await timed.stop()
    }
  })
})

describe('a body behind a credential', () => {
  it('is not read for a caller without one, and the connection goes on', async () => {
    const client = await rawClient(test.port, post('/keyed', '{"name":"a"}') + get('/ok'))
    const text = await client.untilText('{"ok":true}')
    expect(text).toMatch(/^HTTP\/1\.1 401 /)
    client.destroy()
  })

  it('waits for a credential that takes a moment to look up', async () => {
    const slow = await testGateway(routes, { keys: fixedKeys({ 'sk-good': principal('chat') }, true) })
    try {
      const send = (bearer: string) =>
        fetch(`${slow.url}/keyed`, {
          method: 'POST',
          body: '{"name":"a"}',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
        })
      expect(await (await send('sk-good')).json()).toMatchObject({ name: 'a' })
      expect((await send('sk-bad')).status).toBe(401)
    } finally {
      await slow.stop()
    }
  })
})
