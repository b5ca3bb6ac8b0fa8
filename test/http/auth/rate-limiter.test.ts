/** Rate limits on virtual time: exact over every rolling minute, and bounded in memory. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rateLimiter } from '../../../http/auth/rate-limiter.ts'
import { newApiKeyId } from '../../../store/id.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import { principal } from '../support/server.ts'

const limited = (rpm: number) => ({ ...principal('chat'), rateLimitRpm: rpm, keyId: newApiKeyId() })

/** A clock that the property moves by hand: no timers are in play. */
function handClock() {
  const state = { nowMs: 1_000_000 }
  return { state, clock: { ...virtualClock(), elapsed: () => state.nowMs, now: () => state.nowMs } }
}

describe('up to 6000 a minute', () => {
  it('no rolling minute ever holds more than the limit, and none is refused below it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 120 }),
        (rpm, gaps) => {
          const { state, clock } = handClock()
          const limiter = rateLimiter(clock)
          const who = limited(rpm)
          const accepted: number[] = []
          for (const gap of gaps) {
            state.nowMs += gap
            const within = accepted.filter((at) => at > state.nowMs - 60_000).length
            const decision = limiter.take(who)
            expect(decision?.isAllowed).toBe(within < rpm)
            if (decision?.isAllowed) {
              accepted.push(state.nowMs)
              expect(decision.remaining).toBe(rpm - within - 1)
            }
          }
        },
      ),
      { numRuns: propertyRuns(300) },
    )
  })

  it('Retry-After is the moment from which the next request passes', () => {
    const { state, clock } = handClock()
    const limiter = rateLimiter(clock)
    const who = limited(2)
    limiter.take(who)
    state.nowMs += 10_000
    limiter.take(who)
    const refused = limiter.take(who)
    expect(refused).toMatchObject({ isAllowed: false, remaining: 0, retryAfterS: 50, limit: 2 })
    state.nowMs += 49_999
    expect(limiter.take(who)?.isAllowed).toBe(false)
    state.nowMs += 1
    expect(limiter.take(who)?.isAllowed).toBe(true)
  })

  it('keys do not share', () => {
    const { clock } = handClock()
    const limiter = rateLimiter(clock)
    expect(limiter.take(limited(1))?.isAllowed).toBe(true)
    expect(limiter.take(limited(1))?.isAllowed).toBe(true)
  })

  it('stays within its memory, forgetting the keys that were quiet longest', () => {
    const { clock } = handClock()
    const limiter = rateLimiter(clock, 100_000)
    const first = limited(1)
    limiter.take(first)
    const busy = limited(6_000)
    for (let request = 0; request < 6_000; request++) expect(limiter.take(busy)?.isAllowed).toBe(true)
    expect(limiter.take(busy)?.isAllowed).toBe(false)
    for (let key = 0; key < 1_000; key++) limiter.take(limited(1))
    expect(limiter.take(first)?.isAllowed).toBe(true)
  })
})

describe('above 6000 a minute', () => {
  it('the sustained rate is the limit, with a tenth at once', () => {
    const { state, clock } = handClock()
    const limiter = rateLimiter(clock)
    const who = limited(60_000)
    let accepted = 0
    for (let tick = 0; tick < 60_000; tick++) {
      state.nowMs += 1
      for (let request = 0; request < 3; request++) if (limiter.take(who)?.isAllowed) accepted++
    }
    expect(accepted).toBeGreaterThanOrEqual(60_000)
    expect(accepted).toBeLessThanOrEqual(66_001)
  })

  it('says when to come back', () => {
    const { clock } = handClock()
    const limiter = rateLimiter(clock)
    const who = limited(6_001)
    let decision = limiter.take(who)
    while (decision?.isAllowed) decision = limiter.take(who)
    expect(decision?.retryAfterS).toBe(1)
  })
})

it('a key without a limit is not limited', () => {
  const { clock } = handClock()
  expect(rateLimiter(clock).take(principal('chat'))).toBeUndefined()
})
