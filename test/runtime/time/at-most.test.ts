import { describe, expect, test } from 'vitest'
import { atMost } from '../../../runtime/time/at-most.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

const never = new Promise<string>(() => {})

describe('a bounded wait', () => {
  test('gives the result of work that is in time, and leaves no timer', async () => {
    const clock = virtualClock()
    expect(await atMost(100, Promise.resolve('done'), { clock })).toBe('done')
    expect(clock.timersWaiting).toBe(0)
  })

  test('throws what the work throws', async () => {
    const clock = virtualClock()
    await expect(atMost(100, Promise.reject(new Error('broke')), { clock })).rejects.toThrow('broke')
    expect(clock.timersWaiting).toBe(0)
  })

  test('ends at its limit, with undefined or with what is done instead', async () => {
    const clock = virtualClock()
    const plain = atMost(100, never, { clock })
    const instead = atMost(100, never, { clock, onLate: () => 'late' })
    const refused = atMost(100, never, {
      clock,
      onLate() {
        throw new Error('too late')
      },
    })
    const outcome = expect(refused).rejects.toThrow('too late')
    await clock.advance(100)
    expect([await plain, await instead]).toEqual([undefined, 'late'])
    await outcome
  })

  test('late work that fails disturbs nobody', async () => {
    const clock = virtualClock()
    const work = Promise.withResolvers<string>()
    const waited = atMost(100, work.promise, { clock })
    await clock.advance(100)
    await waited
    work.reject(new Error('nobody waits for this'))
    await clock.settle()
  })
})
