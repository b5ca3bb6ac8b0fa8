import { expect, test } from 'vitest'
import { demonstrationTransport } from '../../models/demonstration.ts'
import { commandName } from '../../runtime/command-name.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { failureOf, requestFor, streaming, wordCounter } from './support/calls.ts'

test('the demonstration model repeats what it heard, says what it is, and how to put a real one in its place', async () => {
  const answer = await demonstrationTransport(virtualClock(), wordCounter).complete(requestFor())
  const content = String(answer.choices[0]?.message.content)
  expect(content).toContain('hello there')
  expect(content).toContain('demonstration model')
  expect(content).toContain(`${commandName()} settings set SERVICE_LLM_GATEWAY_URL`)
  expect(answer).toMatchObject({ model: 'demo', isUsageEstimated: true })
})

test('it streams word by word, each after a moment', async () => {
  const clock = virtualClock()
  const call = streaming(demonstrationTransport(clock, wordCounter))
  await clock.advance(0)
  const first = call.deltas.length
  await clock.advance(15)
  expect(call.deltas.length).toBe(first + 1)
  await clock.advance(60_000)
  await call.done
  expect(call.text()).toContain('demonstration model')
  expect(call.deltas.at(-1)).toEqual({ kind: 'finish', choice: 0, finishReason: 'stop' })
})

test('it stops for a caller who is gone', async () => {
  const clock = virtualClock()
  const leaving = new AbortController()
  const call = streaming(demonstrationTransport(clock, wordCounter), { signal: leaving.signal })
  await clock.advance(45)
  const deltaCount = call.deltas.length
  leaving.abort()
  expect(await failureOf(call.done)).toMatchObject({ code: 'cancelled' })
  await clock.advance(60_000)
  expect(call.deltas.length).toBe(deltaCount)
})
