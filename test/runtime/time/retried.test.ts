import { describe, expect, test } from 'vitest'
import { Failure } from '../../../runtime/failure.ts'
import { seededRandom } from '../../../runtime/random.ts'
import { exponential } from '../../../runtime/time/backoff.ts'
import { type RetryPolicy, retried } from '../../../runtime/time/retried.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

class Away extends Failure {
  readonly code = 'database_down'
  override readonly isOutage = true
}

const random = seededRandom(1)
const backoff = exponential(100, 1_000)

function failing(times: number, error: Error = new Away('away')): { work: () => Promise<string>; attempts: number[] } {
  const attempts: number[] = []
  return {
    attempts,
    async work(attempt = attempts.length + 1) {
      attempts.push(attempt)
      if (attempts.length <= times) throw error
      return 'done'
    },
  }
}

function open(policy: Partial<RetryPolicy> = {}) {
  const clock = virtualClock()
  const run = (work: () => Promise<string>, options: { signal?: AbortSignal } = {}) =>
    retried(work, { backoff, ...policy }, { clock, random, ...options })
  return { clock, run }
}

describe('retries', () => {
  test('an outage is waited out, with the policy’s waits between the attempts', async () => {
    const { clock } = open()
    const waits: unknown[] = []
    const { work, attempts } = failing(3)
    const done = retried(work, { backoff }, { clock, random, onRetry: (_, retry) => waits.push(retry) })
    await clock.advance(100 + 200 + 399)
    expect(attempts).toEqual([1, 2, 3])
    await clock.advance(1)
    expect(await done).toBe('done')
    expect(waits).toEqual([
      { attempt: 1, waitMs: 100 },
      { attempt: 2, waitMs: 200 },
      { attempt: 3, waitMs: 400 },
    ])
  })

  test('what is no outage is thrown at once, unless the policy says otherwise', async () => {
    await expect(open().run(failing(1, new Error('defect')).work)).rejects.toThrow('defect')
    const { clock, run } = open({ isRetryable: () => true })
    const done = run(failing(1, new Error('passes')).work)
    await clock.advance(100)
    expect(await done).toBe('done')
  })

  test('past its attempts the last error is thrown', async () => {
    const { clock, run } = open({ attemptsMax: 2 })
    const { work, attempts } = failing(9)
    const outcome = expect(run(work)).rejects.toThrow('away')
    await clock.advance(100)
    await outcome
    expect(attempts).toHaveLength(2)
  })

  test('no wait goes beyond the time of the policy', async () => {
    const { clock, run } = open({ withinMs: 300 })
    const { work, attempts } = failing(9)
    const outcome = expect(run(work)).rejects.toThrow('away')
    await clock.advance(300)
    await outcome
    expect(attempts).toHaveLength(3)
    expect(clock.timersWaiting).toBe(0)
  })

  test('an abort between two attempts ends the wait with its reason; during one, with what that throws', async () => {
    const between = open()
    const abort = new AbortController()
    const waiting = between.run(failing(9).work, { signal: abort.signal })
    const outcome = expect(waiting).rejects.toThrow('stop')
    await between.clock.settle()
    abort.abort(new Error('stop'))
    await outcome
    expect(between.clock.timersWaiting).toBe(0)
    const during = open()
    await expect(during.run(failing(9).work, { signal: abort.signal })).rejects.toThrow('away')
  })
})
