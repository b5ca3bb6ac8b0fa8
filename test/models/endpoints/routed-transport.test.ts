/** Where one of several endpoints is out, the next one answers: before the first word, within the call's time, and on record. */
import { expect, onTestFinished, test } from 'vitest'
import { fallbacksIn } from '../../../models/endpoints/plan.ts'
import { routedTransport } from '../../../models/endpoints/routed-transport.ts'
import { systemClock } from '../../../runtime/time/clock.ts'
import {
  chunkOf,
  completionOf,
  cutAfter,
  failure,
  hang,
  hangUp,
  json,
  type ModelEndpoint,
  type ScriptedAnswer,
  streamOf,
} from '../../support/model-endpoint.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { type VirtualClock, virtualClock } from '../../support/virtual-clock.ts'
import { failureOf, passing, requestFor, scriptedEndpoint, streaming, transportTo } from '../support/calls.ts'

interface Two {
  first: ModelEndpoint
  second: ModelEndpoint
}

async function twoEndpoints({ timeoutMs = 0, retries = 3, clock = systemClock, fallbacks = '' } = {}) {
  const [first, second] = [await scriptedEndpoint(), await scriptedEndpoint()]
  const { log, lines } = recordingLog()
  const open = (name: string, endpoint: ModelEndpoint, models: string[]) => {
    const transport = transportTo(endpoint, { retries, timeoutMs, clock })
    onTestFinished(() => transport.close())
    return { name, models, transport }
  }
  const transport = routedTransport({
    endpoints: [open('first', first, ['asked-for']), open('second', second, ['asked-for', 'other'])],
    fallbacks: fallbacksIn(fallbacks),
    timeoutMs: () => timeoutMs,
    clock,
    log,
  })
  return { first, second, transport, lines }
}

const count = ({ first, second }: Two) => [first.requests.length, second.requests.length]

test('the first answers while it does, and the second is not asked', async () => {
  const two = await twoEndpoints()
  const answer = await two.transport.complete(requestFor())
  expect(count(two)).toEqual([1, 0])
  expect(answer.attempts).toEqual([{ endpoint: 'first', model: 'scripted-1', tookMs: expect.any(Number) }])
})

test.each<[string, ScriptedAnswer, string]>([
  ['is down', failure(500), 'endpoint_error'],
  ['is overloaded', failure(503), 'endpoint_overloaded'],
  ['hangs up', hangUp, 'endpoint_unreachable'],
  ['limits the rate', failure(429, 'slow down', { headers: { 'retry-after': '20' } }), 'rate_limited'],
  ['has no quota left', failure(429, 'pay', { code: 'insufficient_quota' }), 'quota_exceeded'],
  ['refuses our key', failure(401), 'endpoint_credentials'],
  ['sends nonsense', json('nonsense'), 'garbage'],
])('where the first %s, the second answers, whole and streamed', async (_, answer, code) => {
  const two = await twoEndpoints()
  two.first.always(answer)
  two.second.always(json(completionOf('from the second')))
  const whole = await two.transport.complete(requestFor())
  expect(whole.choices[0]?.message['content']).toBe('from the second')
  expect(whole.attempts).toMatchObject([
    { endpoint: 'first', code },
    { endpoint: 'second', model: 'scripted-1' },
  ])
  expect(whole.attempts?.[1]).not.toHaveProperty('code')

  const again = await twoEndpoints()
  again.first.always(answer)
  again.second.always(streamOf(['from ', 'the second']))
  const call = streaming(again.transport)
  expect((await call.done).attempts).toMatchObject([{ code }, { endpoint: 'second' }])
  expect(call.text()).toBe('from the second')
})

test.each<[string, ScriptedAnswer, string]>([
  ['the request is wrong', failure(400), 'bad_request'],
  ['the prompt is too long', failure(400, 'x', { code: 'context_length_exceeded' }), 'context_too_long'],
  ['the model is unknown', failure(404), 'model_unknown'],
])('where %s, no other endpoint is asked', async (_, answer, code) => {
  const two = await twoEndpoints()
  two.first.always(answer)
  const error = await failureOf(two.transport.complete(requestFor()))
  expect([error.code, count(two)]).toEqual([code, [1, 0]])
  expect(error.attempts).toMatchObject([{ endpoint: 'first', code }])
})

test('after the first word no other endpoint takes over', async () => {
  const two = await twoEndpoints()
  two.first.script(cutAfter(chunkOf({ role: 'assistant', content: '' }), chunkOf({ content: 'Hel' })))
  const call = streaming(two.transport)
  const error = await failureOf(call.done)
  expect([error.code, call.text(), count(two)]).toEqual(['stream_cut', 'Hel', [1, 0]])
})

test('where all are out, the last failure counts, and all are on record', async () => {
  const two = await twoEndpoints({ retries: 0 })
  two.first.always(failure(500))
  two.second.always(failure(503))
  const error = await failureOf(two.transport.complete(requestFor()))
  expect(error.code).toBe('endpoint_overloaded')
  expect(error.attempts).toMatchObject([
    { endpoint: 'first', code: 'endpoint_error', status: 500 },
    { endpoint: 'second', code: 'endpoint_overloaded', status: 503 },
  ])
})

test('with another to go to, one is tried twice; the last one as often as the settings say', async () => {
  const two = await twoEndpoints({ retries: 3 })
  two.first.always(failure(500))
  two.second.script(failure(500), failure(500), failure(500))
  await two.transport.complete(requestFor())
  expect(count(two)).toEqual([2, 4])
})

test('one that was out is asked after the others until it has rested; then it is asked first again', async () => {
  const clock: VirtualClock = virtualClock()
  const two = await twoEndpoints({ clock, retries: 0 })
  two.first.script(failure(500))
  await two.transport.complete(requestFor())
  await two.transport.complete(requestFor())
  expect(count(two)).toEqual([1, 2])
  // The one that answers is out as well: the resting one is better than none.
  two.second.script(failure(500))
  const answer = await two.transport.complete(requestFor())
  expect(answer.attempts).toMatchObject([{ endpoint: 'second', code: 'endpoint_error' }, { endpoint: 'first' }])
  expect(count(two)).toEqual([2, 3])
  await clock.advance(10_000)
  await two.transport.complete(requestFor())
  expect(count(two)).toEqual([3, 3])
  const said = two.lines.map(({ msg }) => msg).filter((text) => /endpoint/.test(String(text)))
  expect(said).toEqual([
    'a model endpoint is out; others are asked before it',
    'a model endpoint is out; others are asked before it',
    'a model endpoint answers again',
  ])
})

test('a call has its time once, whichever endpoints it asks, and a spent call asks no other', async () => {
  const clock = virtualClock()
  const two = await twoEndpoints({ clock, timeoutMs: 10_000 })
  two.first.always(async (call) => {
    await clock.advance(4_000)
    return failure(503, 'later', { headers: { 'retry-after': '5' } })(call)
  })
  two.second.always(hang)
  const failed = failureOf(two.transport.complete(requestFor()))
  await two.second.until(() => two.second.requests.length === 1)
  expect(clock.elapsed()).toBe(4_000)
  let isOver = false
  void failed.then(() => {
    isOver = true
  })
  await passing(clock, () => isOver)
  const error = await failed
  expect([error.code, clock.elapsed(), count(two)]).toEqual(['call_timeout', 10_000, [1, 1]])
})

test('a call that its client has left asks no other endpoint', async () => {
  const two = await twoEndpoints()
  const leaving = new AbortController()
  two.first.always((call) => {
    leaving.abort()
    return failure(500)(call)
  })
  const error = await failureOf(two.transport.complete(requestFor({ signal: leaving.signal })))
  expect([error.code, count(two)]).toEqual(['cancelled', [1, 0]])
})

test('a fallback is sent the model that it names', async () => {
  const two = await twoEndpoints({ fallbacks: 'second/other', retries: 0 })
  two.first.always(failure(500))
  two.second.script(failure(500))
  await two.transport.complete(requestFor())
  expect(two.second.requests.map(({ body }) => body.model)).toEqual(['asked-for', 'other'])
})
