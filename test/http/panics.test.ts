/** What a handler does wrong costs its own request, and nothing else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { open } from '../../http/access.ts'
import { eventStream, raw, reply } from '../../http/answer.ts'
import { route } from '../../http/route.ts'
import { get, post, rawClient } from './support/raw-client.ts'
import { type TestGateway, testGateway } from './support/server.ts'

const face = { tag: 'test', summary: 'test', access: open, answers: {} } as const
let release: (value: object) => void = () => {}
let releaseFailure: (error: Error) => void = () => {}
let entered: () => void = () => {}

const routes = [
  route({ ...face, method: 'GET', path: '/ok', handle: () => ({ ok: true }) }),
  route({
    ...face,
    method: 'GET',
    path: '/throws',
    handle() {
      throw new Error('secret detail')
    },
  }),
  route({ ...face, method: 'GET', path: '/rejects', handle: () => Promise.reject(new Error('secret detail')) }),
  route({ ...face, method: 'GET', path: '/throws-a-string', handle: () => Promise.reject('secret detail') }),
  route({ ...face, method: 'GET', path: '/nothing', handle: () => undefined as unknown as object }),
  route({ ...face, method: 'GET', path: '/function', handle: () => (() => 1) as unknown as object }),
  route({ ...face, method: 'GET', path: '/odd-body', handle: () => raw(200, 'text/plain', {} as unknown as string) }),
  route({ ...face, method: 'GET', path: '/bigint', handle: () => ({ count: 1n }) }),
  route({
    ...face,
    method: 'GET',
    path: '/header',
    handle: () => reply(200, {}, { 'x-mine': 'yes', 'x-bad': 'a\r\nset-cookie: b=c' }),
  }),
  route({ ...face, method: 'GET', path: '/type', handle: () => raw(200, 'text/plain\r\nx: y', 'hello') }),
  route({
    ...face,
    method: 'GET',
    path: '/waits',
    handle: () =>
      new Promise<object>((resolve, reject) => {
        release = resolve
        releaseFailure = reject
        entered()
      }),
  }),
  route({
    ...face,
    method: 'GET',
    path: '/stream-breaks',
    handle: () =>
      eventStream({}, async (out) => {
        out.write('data: first\n\n')
        throw new Error('secret detail')
      }),
  }),
  route({
    ...face,
    method: 'GET',
    path: '/stream-twice',
    handle: () =>
      eventStream({}, (out) => {
        out.write('data: first\n\n')
        out.end()
        out.end()
        out.write('data: late\n\n')
      }),
  }),
  route({
    ...face,
    method: 'POST',
    path: '/echo',
    body: z.object({ name: z.string() }),
    handle: (call) => ({ name: call.body.name }),
  }),
]

let test: TestGateway
beforeAll(async () => {
  test = await testGateway(routes)
})
afterAll(() => test.stop())

describe('a handler that fails', () => {
  for (const path of [
    '/throws',
    '/rejects',
    '/throws-a-string',
    '/nothing',
    '/function',
    '/odd-body',
    '/bigint',
    '/header',
    '/type',
  ]) {
    it(`${path}: becomes a 500 with a code that the log has too, once, and none of its own words`, async () => {
      test.lines.length = 0
      const answer = await fetch(`${test.url}${path}`, {
        headers: { 'x-request-id': `from-test${path.replace('/', '.')}` },
      })
      const text = await answer.text()
      expect(answer.status).toBe(500)
      const { error } = JSON.parse(text)
      expect(error.code).toMatch(/^SVC-[0-9A-F]{10}$/)
      expect(error.type).toBe('api_error')
      expect(text).not.toContain('secret')
      expect(answer.headers.get('set-cookie')).toBeNull()
      expect(answer.headers.get('x-mine')).toBeNull()
      const logged = test.lines.filter((line) => line.level >= 50)
      expect(logged).toHaveLength(1)
      expect(logged[0]).toMatchObject({ code: error.code, request_id: `from-test${path.replace('/', '.')}` })
      expect((await fetch(`${test.url}/ok`)).status).toBe(200)
    })
  }

  it('after the first event, ends its stream with an error event that carries the envelope', async () => {
    const answer = await fetch(`${test.url}/stream-breaks`)
    const text = await answer.text()
    expect(text).toMatch(/^data: first\n\nevent: error\ndata: \{"error":\{.*"code":"SVC-[0-9A-F]{10}"\}\}\n\n$/)
    expect(text).not.toContain('secret')
  })

  it('that ends its stream twice and writes after the end harms nothing', async () => {
    const answer = await fetch(`${test.url}/stream-twice`)
    expect(await answer.text()).toBe('data: first\n\n')
  })
})

describe('a client that goes away', () => {
  async function abandoned(finish: () => void): Promise<void> {
    const isIn = new Promise<void>((resolve) => {
      entered = resolve
    })
    const client = await rawClient(test.port, get('/waits'))
    await isIn
    const aborted = test.edge.counts.aborted
    const late = test.edge.counts.late
    client.destroy()
    await expect.poll(() => test.edge.counts.aborted).toBe(aborted + 1)
    finish()
    await expect.poll(() => test.edge.counts.late).toBe(late + 1)
    expect((await fetch(`${test.url}/ok`)).status).toBe(200)
  }

  it('before a late answer leaves that answer unsent and the process alive', () =>
    abandoned(() => release({ ok: true })))
  it('before a late rejection leaves the process alive', () => abandoned(() => releaseFailure(new Error('too late'))))
})

describe('a body', () => {
  it('is parsed, validated and handed over', async () => {
    const client = await rawClient(test.port, post('/echo', '{"name":"Ада"}'))
    expect(Buffer.from(await client.untilText('}'), 'latin1').toString()).toContain('{"name":"Ада"}')
    client.destroy()
  })
})
