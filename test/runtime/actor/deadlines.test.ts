/** Each deadline fires once, in time, unless it was left before. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Deadline, deadlines } from '../../../runtime/actor/deadlines.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

const tickMs = 20
const count = 6

interface Watched extends Deadline {
  dueMs: number | undefined
}

const step = fc.oneof(
  fc.record({ act: fc.constant('add' as const), nth: fc.nat(count - 1), ms: fc.nat(120) }),
  fc.record({ act: fc.constant('remove' as const), nth: fc.nat(count - 1), ms: fc.constant(0) }),
  fc.record({ act: fc.constant('wait' as const), nth: fc.constant(0), ms: fc.nat(60) }),
)

test('deadlines that are added, removed and added again fire once, within a tick of their time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const clock = virtualClock()
      const all = deadlines(clock, tickMs)
      const watched: Watched[] = Array.from({ length: count }, () => ({
        dueMs: undefined,
        expire() {
          const lateMs = clock.elapsed() - (this.dueMs ?? Number.NaN)
          expect(lateMs).toBeGreaterThanOrEqual(0)
          expect(lateMs).toBeLessThanOrEqual(tickMs)
          this.dueMs = undefined
        },
      }))
      for (const { act, nth, ms } of steps) {
        const one = watched[nth] as Watched
        if (act === 'wait') await clock.advance(ms)
        else if (act === 'remove') {
          all.remove(one)
          one.dueMs = undefined
        } else {
          one.dueMs = clock.elapsed() + ms
          all.add(one, ms)
        }
      }
      await clock.advance(200)
      expect(watched.filter(({ dueMs }) => dueMs !== undefined)).toEqual([])
      expect(clock.timersWaiting).toBe(0)
    }),
    { numRuns: propertyRuns(60) },
  )
})

test('one that another removes at the moment both are due does not fire', async () => {
  const clock = virtualClock()
  const all = deadlines(clock, tickMs)
  const fired: string[] = []
  const second: Deadline = { expire: () => fired.push('second') }
  all.add(
    {
      expire() {
        fired.push('first')
        all.remove(second)
      },
    },
    50,
  )
  all.add(second, 50)
  await clock.advance(100)
  expect(fired).toEqual(['first'])
})
