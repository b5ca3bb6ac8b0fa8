/** One span a request, under the caller's own trace; and one debug line a request, no more. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { open } from '../../http/access.ts'
import { ApiError } from '../../http/error.ts'
import { route } from '../../http/route.ts'
import type { Span, TraceContext, Tracer } from '../../runtime/telemetry/trace.ts'
import { type TestGateway, testGateway } from './support/server.ts'

interface Seen {
  name: string
  parent: TraceContext | undefined
  attributes: Record<string, unknown>
  error: unknown
  ends: number
}
const spans: Seen[] = []
let within: TraceContext | undefined
const context: TraceContext = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), flags: 1 }
const tracer: Tracer = {
  isEnabled: true,
  span(name, parent, attributes): Span {
    const seen: Seen = { name, parent, attributes: { ...attributes }, error: undefined, ends: 0 }
    spans.push(seen)
    return {
      context,
      set(key, value) {
        seen.attributes[key] = value
      },
      fail(error) {
        seen.error = error
      },
      end() {
        seen.ends++
      },
    }
  },
  current: () => within,
  inSpan(given, work) {
    within = given
    try {
      return work()
    } finally {
      within = undefined
    }
  },
}

const face = { tag: 'test', summary: 'test', access: open, answers: {} } as const
const routes = [
  route({
    ...face,
    method: 'GET',
    path: '/things/:id',
    params: z.object({ id: z.string() }),
    handle: (call) => ({ isWithin: tracer.current() === context, isGiven: call.trace === context }),
  }),
  route({
    ...face,
    method: 'GET',
    path: '/fails',
    handle() {
      throw new ApiError({ code: 'endpoint_error', status: 502, type: 'api_error' }, 'no')
    },
  }),
]

let test: TestGateway
beforeAll(async () => {
  test = await testGateway(routes, { tracer })
})
afterAll(() => test.stop())
beforeEach(() => {
  spans.length = 0
  test.lines.length = 0
})

it('a request is a span named by its route, under the trace that the client sent', async () => {
  const trace = '0af7651916cd43dd8448eb211c80319c'
  const answer = await fetch(`${test.url}/things/secret-name`, {
    headers: { traceparent: `00-${trace}-b7ad6b7169203331-01`, 'x-request-id': 'r1' },
  })
  expect(await answer.json()).toEqual({ isWithin: true, isGiven: true })
  expect(spans).toHaveLength(1)
  expect(spans[0]).toMatchObject({
    name: 'GET /things/:id',
    parent: { traceId: trace, spanId: 'b7ad6b7169203331', flags: 1 },
    attributes: { 'http.route': '/things/:id', 'http.response.status_code': 200, 'service.request_id': 'r1' },
    ends: 1,
  })
})

it('a failed one carries its error, ends once, and a 5xx is logged with the request', async () => {
  const answer = await fetch(`${test.url}/fails`, { headers: { 'x-request-id': 'r2' } })
  expect(answer.status).toBe(502)
  expect(spans[0]).toMatchObject({ ends: 1, error: { code: 'endpoint_error' } })
  expect(test.lines.filter((line) => line.level >= 40)).toMatchObject([{ request_id: 'r2', code: 'endpoint_error' }])
})

it('there is one debug line a request, without its path parameters or query', async () => {
  await fetch(`${test.url}/things/secret-name?token=secret`)
  const lines = test.lines.filter((line) => line.msg === 'request')
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({ level: 20, method: 'GET', route: '/things/:id', status: 200, outcome: 'answered' })
  expect(JSON.stringify(test.lines)).not.toContain('secret')
})

it('and none at all above debug', async () => {
  const quiet = await testGateway(routes, { logLevel: 'info' })
  await fetch(`${quiet.url}/things/a`)
  expect(quiet.lines).toEqual([])
  await quiet.stop()
})
