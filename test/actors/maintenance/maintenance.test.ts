/** Maintenance: each task is a supervised actor, run again and again, whatever a run fails with. */
import { expect, test } from 'vitest'
import { DatabaseDown } from '../../../store/errors.ts'
import { maintained } from '../../support/maintained.ts'
import { virtualClock } from '../../support/virtual-clock.ts'

const intervalMs = 10_000

test('a task runs at its interval, never twice at once, and is seen as an actor', async () => {
  const clock = virtualClock()
  const ends: (() => void)[] = []
  const run = () => new Promise<void>((resolve) => ends.push(resolve))
  const { system } = maintained({ name: 'retention', intervalMs, run }, clock)
  await clock.advance(intervalMs - 1)
  expect(ends).toHaveLength(0)
  await clock.advance(5 * intervalMs)
  expect(ends).toHaveLength(1)
  expect(system.page('maintenance', { after: 0, limit: 10 })).toMatchObject([{ key: 'retention', status: 'running' }])
  ends[0]?.()
  await clock.advance(intervalMs)
  expect(ends).toHaveLength(2)
})

test('a run that fails is logged by the supervisor, and the next ones follow', async () => {
  const clock = virtualClock()
  let runs = 0
  const run = async () => {
    runs++
    if (runs <= 20) throw new Error('a defect')
  }
  const { system, lines } = maintained({ name: 'retention', intervalMs, run }, clock)
  await clock.advance(60 * intervalMs)
  expect(runs).toBeGreaterThan(21)
  expect(lines.filter(({ msg }) => msg === 'actor crashed')).toHaveLength(20)
  expect(system.counts).toMatchObject({ crashes: 20, escalations: 0 })
})

test('a task that is stopped runs no more, and the run under way is aborted', async () => {
  const clock = virtualClock()
  const signals: AbortSignal[] = []
  const run = (signal: AbortSignal) => {
    signals.push(signal)
    return new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const { repetition } = maintained({ name: 'retention', intervalMs, run }, clock)
  await clock.advance(intervalMs)
  await repetition.stop()
  await clock.advance(10 * intervalMs)
  expect(signals.map(({ aborted }) => aborted)).toEqual([true])
})

test('an outage is no crash: the next run follows at its interval', async () => {
  const clock = virtualClock()
  let runs = 0
  const run = () => {
    runs++
    throw new DatabaseDown('the database is away')
  }
  const { system, lines } = maintained({ name: 'retention', intervalMs, run }, clock)
  await clock.advance(5 * intervalMs)
  expect(runs).toBe(5)
  expect(system.counts).toMatchObject({ crashes: 0 })
  expect(lines.filter(({ level }) => level >= 30)).toEqual([])
})

test('a stop does not wait for a run that is stuck, however long the others may take', async () => {
  const clock = virtualClock()
  const { system } = maintained({ name: 'retention', intervalMs, run: () => new Promise(() => {}) }, clock)
  await clock.advance(intervalMs)
  let isStopped = false
  void system.stop(30_000).then(() => {
    isStopped = true
  })
  await clock.advance(2_000)
  expect(isStopped).toBe(true)
})

test('a task that is for all runs where its slot is, under its lease, and keeps the slot meanwhile', async () => {
  const clock = virtualClock()
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const places: unknown[] = []
  const run = async (_signal: AbortSignal, held: unknown) => {
    places.push(held)
    await isOver
  }
  const { leases } = maintained({ name: 'retention', isForAll: true, intervalMs, run }, clock)
  leases.lease = undefined
  await clock.advance(3 * intervalMs)
  leases.lease = 7
  leases.isCurrent = false
  await clock.advance(3 * intervalMs)
  expect(places).toEqual([])
  leases.isCurrent = true
  await clock.advance(intervalMs)
  expect(places).toEqual([{ key: 'retention', node: 1, lease: 7 }])
  expect(leases.holds).toBe(1)
  end()
  await clock.advance(1)
  expect(leases.holds).toBe(0)
})
