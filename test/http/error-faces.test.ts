/** A surface's own form of failures: of a route, and of everything below a path. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { key, open } from '../../http/access.ts'
import type { ErrorFace } from '../../http/error-face.ts'
import { route } from '../../http/route.ts'
import { fixedKeys, principal, type TestGateway, testGateway } from './support/server.ts'

const scim: ErrorFace = ({ status, envelope }) => ({
  contentType: 'application/scim+json',
  body: JSON.stringify({ schemas: ['Error'], status: String(status), detail: envelope.error.message, ...envelope }),
})
const page: ErrorFace = ({ status, envelope, head }) =>
  head.method === 'POST'
    ? { contentType: 'text/plain', body: `${status} ${envelope.error.code}` }
    : { contentType: 'application/json', body: JSON.stringify(envelope) }

const face = { tag: 'test', summary: 'test', answers: {} } as const
const routes = [
  route({ ...face, access: key('chat'), method: 'GET', path: '/scim/v2/Users', handle: () => ({ ok: true }) }),
  route({
    ...{ ...face, access: open, method: 'POST', path: '/scim/v2/own', errorFace: page },
    body: z.object({ name: z.string() }),
    handle: () => ({ ok: true }),
  }),
  route({
    ...{ ...face, access: open, method: 'GET', path: '/scim/v2/broken' },
    handle: () => {
      throw new Error('a defect')
    },
  }),
  route({ ...face, access: key('chat'), method: 'GET', path: '/other', handle: () => ({ ok: true }) }),
]

let test: TestGateway
beforeAll(async () => {
  test = await testGateway(routes, {
    keys: fixedKeys({ 'sk-chat': principal('chat') }),
    faces: [{ prefix: '/scim/v2', face: scim }],
  })
})
afterAll(() => test.stop())

async function failed(method: string, path: string, init: RequestInit = {}) {
  const answer = await fetch(`${test.url}${path}`, { method, ...init })
  return [answer.status, answer.headers.get('content-type'), await answer.text()] as const
}

it.each([
  ['GET', '/scim/v2/Users', 401],
  ['GET', '/scim/v2/nothing', 404],
  ['GET', '/scim/v2', 404],
  ['DELETE', '/scim/v2/Users', 405],
  ['GET', '/scim/v2/broken', 500],
])('%s %s shows its %d as the surface does', async (method, path, status) => {
  const [actual, type, text] = await failed(method, path)
  expect([actual, type]).toEqual([status, 'application/scim+json'])
  expect(JSON.parse(text)).toMatchObject({
    schemas: ['Error'],
    status: String(status),
    error: { code: expect.any(String) },
  })
})

it('headers stay those of the failure', async () => {
  const answer = await fetch(`${test.url}/scim/v2/Users`)
  expect(answer.headers.get('www-authenticate')).toBe('Bearer')
})

it('a route’s own face wins, for its body too', async () => {
  const json = { 'content-type': 'application/json' }
  expect(await failed('POST', '/scim/v2/own', { body: '{', headers: json })).toEqual([
    400,
    'text/plain',
    '400 bad_request',
  ])
  expect(await failed('POST', '/scim/v2/own', { body: 'x', headers: { 'content-type': 'text/html' } })).toEqual([
    415,
    'text/plain',
    '415 unsupported_media_type',
  ])
  expect((await failed('POST', '/scim/v2/own', { body: 'x'.repeat(20_000), headers: json }))[2]).toBe(
    '413 body_too_large',
  )
})

it('what lies beside the path has the envelope', async () => {
  for (const path of ['/scim/v2x', '/other', '/scim']) {
    const [, type, text] = await failed('GET', path)
    expect([type, Object.keys(JSON.parse(text))], path).toEqual(['application/json; charset=utf-8', ['error']])
  }
})
