/** Bodies that are no JSON: forms, bytes, and streams that are read while they come; all of one budget. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { key, open } from '../../http/access.ts'
import { rawBody, streamedBody } from '../../http/body-kinds.ts'
import { openApiDocument } from '../../http/openapi/document.ts'
import { route } from '../../http/route.ts'
import { rawClient } from './support/raw-client.ts'
import { fixedKeys, principal, type TestGateway, testGateway } from './support/server.ts'

const face = { tag: 'test', summary: 'test', answers: {} } as const
const roomBytes = 8_388_608

/** Lets the test read the streamed body piece by piece. */
let gate = Promise.resolve()
/** How long the reader takes for a piece. */
let pieceMs = 0
let read = { bytes: 0, hash: '', error: '' }

const routes = [
  route({
    ...{ ...face, access: open, method: 'POST', path: '/form', bodyKind: 'form', bodyBytesMax: 600_000 },
    body: z.object({ name: z.string(), 'a[b]': z.string().optional() }),
    handle: (call) => ({ ...call.body }),
  }),
  route({
    ...{ ...face, access: key('chat'), method: 'POST', path: '/small-form', bodyKind: 'form' },
    body: z.record(z.string(), z.string()),
    handle: (call) => ({ fields: Object.keys(call.body).length }),
  }),
  route({
    ...{ ...face, access: open, method: 'POST', path: '/raw', bodyKind: 'raw', bodyBytesMax: 1_000_000 },
    bodyTypes: ['application/cbor', 'image/png'],
    body: rawBody,
    handle: (call) => ({ bytes: call.body.length, hash: hashOf(call.body) }),
  }),
  route({
    ...{ ...face, access: key('chat'), method: 'PUT', path: '/stream', bodyKind: 'stream', bodyBytesMax: 64_000_000 },
    body: streamedBody,
    async handle(call) {
      read = { bytes: 0, hash: '', error: '' }
      const hash = createHash('sha256')
      try {
        for await (const chunk of call.body) {
          await gate
          if (pieceMs > 0) await sleep(pieceMs)
          read.bytes += chunk.length
          hash.update(chunk)
        }
      } catch (error) {
        read.error = (error as { code: string }).code
        throw error
      }
      read.hash = hash.digest('hex')
      return { bytes: read.bytes, hash: read.hash }
    },
  }),
  route({
    ...{ ...face, access: key('chat'), method: 'PUT', path: '/stream-first', bodyKind: 'stream' },
    body: streamedBody,
    async handle(call) {
      for await (const chunk of call.body) return { first: chunk.length > 0 }
      return { first: false }
    },
  }),
]

let test: TestGateway
beforeAll(async () => {
  const keys = { 'sk-chat': principal('chat') }
  test = await testGateway(routes, { keys: fixedKeys(keys), bodiesBytesMax: roomBytes })
})
afterAll(() => test.stop())
afterEach(() => {
  gate = Promise.resolve()
  pieceMs = 0
  expect(test.gateway.bodyBytes).toBe(0)
})

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

async function send(method: string, path: string, body: string | Buffer, type: string) {
  const headers = { authorization: 'Bearer sk-chat', ...(type !== '' && { 'content-type': type }) }
  const answer = await fetch(`${test.url}${path}`, { method, body, headers })
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what they expect in it
  return { status: answer.status, body: (await answer.json()) as any }
}
const formType = 'application/x-www-form-urlencoded'

describe('a form', () => {
  it('is a flat record of texts; brackets nest nothing, and no field is of another type', async () => {
    const sent = 'name=Z%C3%B6e+%26+co&a[b]=1&__proto__=x&constructor='
    const { status, body } = await send('POST', '/form', sent, `${formType}; charset=utf-8`)
    expect([status, body]).toEqual([200, { name: 'Zöe & co', 'a[b]': '1' }])
  })
  it.each([
    ['name=a&name=b', 'more than once'],
    ['na%6De=a&name=b', 'more than once'],
    ['name=%ff', 'percent sign'],
    ['name=%00', 'NUL'],
    [Buffer.from([0x6e, 0xff]), 'UTF-8'],
    ['', 'no body'],
    ['other=1', 'name'],
    [Array.from({ length: 65 }, (_, at) => `f${at}=1`).join('&'), 'more than 64'],
  ])('of %o is refused', async (sent, word) => {
    const { status, body } = await send('POST', '/form', sent, formType)
    expect([status, body.error.code]).toEqual([400, 'bad_request'])
    expect(`${body.error.message} ${body.error.param}`).toContain(word)
  })
  it('of another type is a 415, and JSON is no form', async () => {
    for (const type of ['application/json', 'multipart/form-data; boundary=x', '']) {
      const { status, body } = await send('POST', '/form', Buffer.from('name=a'), type)
      expect([status, body.error.code], type).toEqual([415, 'unsupported_media_type'])
    }
  })
  it('has 512 KiB at most where the route says nothing else', async () => {
    const fits = await send('POST', '/small-form', `a=${'x'.repeat(524_286)}`, formType)
    expect([fits.status, fits.body]).toEqual([200, { fields: 1 }])
    expect((await send('POST', '/small-form', `a=${'x'.repeat(524_287)}`, formType)).status).toBe(413)
  })
})

describe('bytes', () => {
  it('come as they are, of the types that the route takes', async () => {
    const bytes = Buffer.from(Array.from({ length: 900_000 }, (_, at) => at % 256))
    for (const type of ['application/cbor', 'Image/PNG; q=1']) {
      expect(await send('POST', '/raw', bytes, type)).toEqual({
        status: 200,
        body: { bytes: bytes.length, hash: hashOf(bytes) },
      })
    }
    const refused = await send('POST', '/raw', bytes, 'application/json')
    expect([refused.status, refused.body.error.message]).toEqual([
      415,
      expect.stringContaining('application/cbor or image/png'),
    ])
    expect((await send('POST', '/raw', Buffer.alloc(1_000_001), 'application/cbor')).status).toBe(413)
  })
})

describe('a streamed body', () => {
  it('is read whole while it comes, larger than the room for bodies', async () => {
    const bytes = Buffer.alloc(40_000_000, 'abcdefg')
    expect(await send('PUT', '/stream', bytes, 'application/octet-stream')).toEqual({
      status: 200,
      body: { bytes: bytes.length, hash: hashOf(bytes) },
    })
  })

  it('that is empty ends at once', async () => {
    expect(await send('PUT', '/stream', '', '')).toMatchObject({ status: 200, body: { bytes: 0 } })
  })

  it('holds its client up while the reader is behind: what is kept is bounded', async () => {
    const held = Promise.withResolvers<void>()
    gate = held.promise
    const client = await rawClient(test.port, `${head('/stream', 30_000_000)}`)
    const piece = 'x'.repeat(1_000_000)
    for (let n = 0; n < 30; n++) client.send(piece)
    // As long as it takes until nothing more is accepted: the kernel's buffers are full too.
    let before = -1
    await expect
      .poll(
        async () => {
          const isStill = before === client.socket.bytesWritten && test.gateway.bodyBytes > 0
          before = client.socket.bytesWritten
          await sleep(100)
          return isStill
        },
        { interval: 100 },
      )
      .toBe(true)
    expect(test.gateway.bodyBytes).toBeLessThan(6_000_000)
    held.resolve()
    expect(await client.untilText('"bytes":30000000')).toContain('200 OK')
    client.destroy()
  })

  it('holds its client up each time that the reader is behind, not only the first', async () => {
    pieceMs = 2
    const roomy = await testGateway(routes, {
      keys: fixedKeys({ 'sk-chat': principal('chat') }),
      bodiesBytesMax: 2 ** 28,
    })
    let kept = 0
    const watching = setInterval(() => {
      kept = Math.max(kept, roomy.gateway.bodyBytes)
    }, 1)
    try {
      const client = await rawClient(roomy.port, head('/stream', 60_000_000))
      const piece = 'x'.repeat(1_000_000)
      for (let n = 0; n < 60; n++) client.send(piece)
      expect(await client.untilText('"bytes":60000000')).toContain('200 OK')
      client.destroy()
    } finally {
      clearInterval(watching)
      await roomy.stop()
    }
    expect(kept).toBeGreaterThan(0)
    // What the kernel has of one connection, which the library reads in one go.
    expect(kept).toBeLessThan(10_000_000)
  })

  it('larger than its bound is a 413 before it is read', async () => {
    const declared = await rawClient(test.port, head('/stream', 64_000_001))
    expect(await declared.untilClosed()).toContain('413')
  })

  it('whose client leaves in the middle ends its reader', async () => {
    const client = await rawClient(test.port, `${head('/stream', 1_000)}0123456789`)
    await expect.poll(() => read.bytes).toBe(10)
    client.destroy()
    await expect.poll(() => read.error).toBe('client_gone')
    expect(test.lines.filter(({ msg }) => /defect/.test(String(msg)))).toEqual([])
  })

  it('that the handler does not read to its end: the answer comes, and the connection ends', async () => {
    const client = await rawClient(test.port, `${head('/stream-first', 1_000)}0123456789`)
    const received = await client.untilClosed()
    expect(received).toContain('{"first":true}')
    // Read to its end by whoever sent it before the answer: the connection goes on.
    const whole = await rawClient(test.port, `${head('/stream-first', 10)}0123456789`)
    await whole.untilText('{"first":true}')
    whole.send(`${head('/stream-first', 10)}0123456789`)
    await whole.until(({ received: all }) => all.split('{"first":true}').length === 3)
    whole.destroy()
  })

  it('waits for a credential that takes a moment to look up, and is not read for a caller without one', async () => {
    const later = await testGateway(routes, { keys: fixedKeys({ 'sk-chat': principal('chat') }, true) })
    const bytes = Buffer.alloc(3_000_000, 'z')
    const answer = await fetch(`${later.url}/stream`, {
      method: 'PUT',
      body: bytes,
      headers: { authorization: 'Bearer sk-chat' },
    })
    expect(await answer.json()).toEqual({ bytes: bytes.length, hash: hashOf(bytes) })
    read = { bytes: 0, hash: '', error: '' }
    const stranger = await fetch(`${later.url}/stream`, {
      method: 'PUT',
      body: 'x',
      headers: { authorization: 'Bearer sk-wrong' },
    })
    expect([stranger.status, read.bytes]).toEqual([401, 0])
    await later.stop()
  })
})

it('the OpenAPI document names the types', () => {
  // biome-ignore lint/suspicious/noExplicitAny: the document is JSON
  const { paths } = openApiDocument(routes, '0.0.0') as any
  expect(Object.keys(paths['/form'].post.requestBody.content)).toEqual([formType])
  expect(Object.keys(paths['/raw'].post.requestBody.content)).toEqual(['application/cbor', 'image/png'])
  expect(paths['/stream'].put.requestBody.content).toEqual({
    'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
  })
})

const head = (path: string, bytes: number): string =>
  `PUT ${path} HTTP/1.1\r\nHost: example.com\r\nAuthorization: Bearer sk-chat\r\nContent-Length: ${bytes}\r\n\r\n`
