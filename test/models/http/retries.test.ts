/** Endpoints that fail for a while, or fall silent: what is tried again, and that nobody waits for ever. */
import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../runtime/random.ts'
import { chunkOf, completionOf, cutAfter, failure, hang, hangUp, json, streamOf } from '../../support/model-endpoint.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import {
  eventually,
  failureOf,
  passing,
  requestFor,
  scriptedEndpoint,
  streaming,
  transportTo,
} from '../support/calls.ts'

const good = json(completionOf('good'))

describe('trying again', () => {
  test('transient failures are tried again, as often as is set, with growing waits', async () => {
    const endpoint = await scriptedEndpoint()
    const clock = virtualClock()
    endpoint.script(failure(500), hangUp, failure(503), good)
    const answered = transportTo(endpoint, { retries: 3, clock, random: seededRandom(3) }).complete(requestFor())
    await passing(clock, () => endpoint.requests.length === 4)
    expect((await answered).choices[0]?.message).toMatchObject({ content: 'good' })
  })

  test('when they are spent, the last failure is what the caller hears', async () => {
    const endpoint = await scriptedEndpoint()
    const clock = virtualClock()
    endpoint.script(failure(500), failure(503, 'still'))
    const failed = failureOf(transportTo(endpoint, { retries: 1, clock }).complete(requestFor()))
    await waited(clock)
    expect(await failed).toMatchObject({ code: 'endpoint_overloaded' })
    expect(endpoint.requests).toHaveLength(2)
  })

  test('a quota that is used up is 429 and never tried again', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.always(failure(429, 'pay first', { code: 'insufficient_quota' }))
    const error = await failureOf(transportTo(endpoint, { retries: 3 }).complete(requestFor()))
    expect(error).toMatchObject({ code: 'quota_exceeded', status: 429 })
    expect(endpoint.requests).toHaveLength(1)
  })

  test.each([400, 401, 403, 404, 422])('%i is never tried again', async (status) => {
    const endpoint = await scriptedEndpoint()
    endpoint.always(failure(status))
    await failureOf(transportTo(endpoint, { retries: 5 }).complete(requestFor()))
    expect(endpoint.requests).toHaveLength(1)
  })

  test('after the first delta nothing is tried again', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(cutAfter(chunkOf({ content: 'half' })), streamOf(['never']))
    const call = streaming(transportTo(endpoint, { retries: 5 }))
    expect(await failureOf(call.done)).toMatchObject({ code: 'stream_cut' })
    expect([call.text(), endpoint.requests.length]).toEqual(['half', 1])
  })

  test('a stream that fails before its first delta is tried again, and nothing is told twice', async () => {
    const endpoint = await scriptedEndpoint()
    const clock = virtualClock()
    endpoint.script(failure(503), streamOf(['once']))
    const call = streaming(transportTo(endpoint, { retries: 1, clock }))
    await waited(clock)
    await call.done
    expect(call.text()).toBe('once')
  })

  test('Retry-After is waited for, not a moment less', async () => {
    const endpoint = await scriptedEndpoint()
    const clock = virtualClock()
    endpoint.script(failure(429, 'slow down', { headers: { 'retry-after': '7' } }), good)
    const answered = transportTo(endpoint, { retries: 1, clock }).complete(requestFor())
    await eventually(() => clock.timersWaiting > 0)
    await clock.advance(6_990)
    expect(endpoint.requests).toHaveLength(1)
    await clock.advance(20)
    await answered
    expect(endpoint.requests).toHaveLength(2)
  })

  test('an endpoint that asks for minutes is not waited for: the client hears when to come back', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(failure(429, 'later', { headers: { 'retry-after': '120' } }))
    const error = await failureOf(transportTo(endpoint, { retries: 3 }).complete(requestFor()))
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 120_000 })
    expect(endpoint.requests).toHaveLength(1)
  })
})

describe('the time for a call', () => {
  test('an endpoint that says nothing ends as ErrCallTimeout, which is never tried again, and is hung up on', async () => {
    const endpoint = await scriptedEndpoint()
    const clock = virtualClock()
    endpoint.always(hang)
    const transport = transportTo(endpoint, { retries: 5, timeoutMs: 30_000, clock })
    for (const start of [() => transport.complete(requestFor()), () => streaming(transport).done]) {
      const before = endpoint.requests.length
      const failed = failureOf(start())
      await endpoint.until(() => endpoint.requests.length === before + 1)
      await clock.advance(30_000)
      expect(await failed).toMatchObject({ name: 'ErrCallTimeout', code: 'call_timeout', status: 504 })
      await endpoint.until(() => endpoint.openCalls === 0)
      expect(endpoint.requests).toHaveLength(before + 1)
    }
  })

  test('waits between attempts count: one that the call would not live through is not begun', async () => {
    const endpoint = await scriptedEndpoint()
    endpoint.script(failure(503, 'later', { headers: { 'retry-after': '20' } }))
    const transport = transportTo(endpoint, { retries: 3, timeoutMs: 10_000 })
    expect(await failureOf(transport.complete(requestFor()))).toMatchObject({ code: 'endpoint_overloaded' })
  })

  test('a stream that falls silent for five minutes is given up, with no timeout set', async () => {
    const endpoint = await scriptedEndpoint()
    const clock = virtualClock()
    endpoint.script(streamOf(['half', 'never'], { gate: new Promise(() => {}) }))
    const call = streaming(transportTo(endpoint, { clock }))
    await eventually(() => call.text() === 'half')
    const failed = failureOf(call.done)
    await clock.advance(400_000)
    expect(await failed).toMatchObject({ code: 'stream_silent', status: 504 })
    await endpoint.until(() => endpoint.openCalls === 0)
  })
})

test('a caller who is gone ends the call: the endpoint is hung up on, waits included', async () => {
  const endpoint = await scriptedEndpoint()
  const transport = transportTo(endpoint, { retries: 3 })
  for (const answer of [hang, streamOf(['half', 'never'], { gate: new Promise(() => {}) })]) {
    const leaving = new AbortController()
    endpoint.script(answer)
    const before = endpoint.abortedCalls
    const call = streaming(transport, { signal: leaving.signal })
    await endpoint.until(() => endpoint.openCalls === 1)
    leaving.abort()
    expect(await failureOf(call.done)).toMatchObject({ code: 'cancelled' })
    await endpoint.until(() => endpoint.abortedCalls === before + 1)
  }

  const clock = virtualClock()
  endpoint.script(failure(503))
  const leaving = new AbortController()
  const failed = failureOf(
    transportTo(endpoint, { retries: 3, clock }).complete(requestFor({ signal: leaving.signal })),
  )
  await eventually(() => clock.timersWaiting > 0)
  leaving.abort()
  expect(await failed).toMatchObject({ code: 'cancelled' })
})

/** Lets the wait before the next attempt pass, once it has begun. */
async function waited(clock: ReturnType<typeof virtualClock>): Promise<void> {
  await eventually(() => clock.timersWaiting > 0)
  await clock.advance(10_000)
}
