/** Bodies: bounded in size, in depth, in time and over all connections, and refused with words that help. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { key, open } from '../../http/access.ts'
import { route } from '../../http/route.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { get, post, rawClient } from './support/raw-client.ts'
import { fixedKeys, principal, type TestGateway, testGateway } from './support/server.ts'

const face = { tag: 'test', summary: 'test', access: open, answers: {} } as const
const routes = [
  route({ ...face, method: 'GET', path: '/ok', handle: () => ({ ok: true }) }),
  route({
    ...face,
    method: 'POST',
    path: '/echo',
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

  it('is refused while a body of unknown length streams in, and the connection ends', async () => {
    const client = await rawClient(
      test.port,
      'POST /echo HTTP/1.1\r\nHost: example.com\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    )
    const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`
    for (let sent = 0; sent <= 1_048_576; sent += 0x8000) client.send(chunk)
    await client.untilText('"code":"body_too_large"')
    client.send(chunk + get('/ok'))
    expect(await client.untilClosed()).not.toContain('200 OK')
    expect(test.gateway.bodyBytes).toBe(0)
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
  it('are bounded over all connections; those past the bound get 503, and the bytes come free again', async () => {
    const bounded = await testGateway(routes, { bodiesBytesMax: 100_000 })
    try {
      const head =
        'POST /echo HTTP/1.1\r\nHost: example.com\r\nContent-Type: application/json\r\nContent-Length: 90000\r\n\r\n'
      const first = await rawClient(bounded.port, `${head}{"name":"${'a'.repeat(80_000)}`)
      await expect.poll(() => bounded.gateway.bodyBytes).toBeGreaterThan(80_000)
      const second = await rawClient(bounded.port, `${head}{"name":"${'b'.repeat(80_000)}`)
      expect(await second.untilClosed()).toMatch(/^HTTP\/1\.1 503 /)
      first.destroy()
      await expect.poll(() => bounded.gateway.bodyBytes).toBe(0)
      expect(bounded.gateway.running).toBe(0)
    } finally {
      await bounded.stop()
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
