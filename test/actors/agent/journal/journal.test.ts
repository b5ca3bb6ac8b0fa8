/** The journal of a turn: what is written before what, how much, and how long a write waits. */
import { expect, test } from 'vitest'
import { BoundReached, limitsElsewhere, openBudget } from '../../../../actors/agent/budget/budget.ts'
import { digestOf, JournalMismatch, openJournal } from '../../../../actors/agent/journal/journal.ts'
import { isCutShort, retryOutages } from '../../../../actors/agent/retry-outages.ts'
import { BatchFull } from '../../../../runtime/batcher.ts'
import { DatabaseDown } from '../../../../store/errors.ts'
import type { Step } from '../../../../store/turns/steps.ts'
import { aDigest, step } from '../../../store/support/steps.ts'
import { virtualClock } from '../../../support/virtual-clock.ts'

/** Writes that the test lets through one by one. */
function heldWriter() {
  const writes: { steps: readonly Step[]; done: PromiseWithResolvers<void> }[] = []
  return {
    writes,
    /** The numbers of the steps of each commit. */
    commits: () => writes.map(({ steps }) => steps.map(({ n }) => n)),
    write(...steps: readonly Step[]) {
      const done = Promise.withResolvers<void>()
      writes.push({ steps, done })
      return done.promise
    },
  }
}

const unbounded = { takeStep: () => true, yieldToLoop: async () => {} }

const one = step()
const at = (n: number): Step => ({ ...one, n })

test('a step that an earlier attempt wrote at a place is found there, and another step at that place is refused', () => {
  const journal = openJournal(heldWriter(), [at(1)], unbounded)
  expect(journal.find(at(1), aDigest)).toEqual(at(1))
  expect(journal.find(at(2), aDigest)).toBeUndefined()
  expect(() => journal.find(at(1), digestOf('other', {}))).toThrow(JournalMismatch)
})

test('a call is not written before the notes that it follows from are', async () => {
  const writer = heldWriter()
  const journal = openJournal(writer, [], unbounded)
  journal.writeBehind(at(0))
  const written = journal.write(at(1))
  await virtualClock().settle()
  expect(writer.commits()).toEqual([[0]])
  writer.writes[0]?.done.resolve()
  await virtualClock().settle()
  expect(writer.commits()).toEqual([[0], [1]])
  writer.writes[1]?.done.resolve()
  await written
})

test('a held step is committed together with all the calls that follow from it', async () => {
  const writer = heldWriter()
  const journal = openJournal(writer, [], unbounded)
  journal.writeWithNext(at(0))
  await virtualClock().settle()
  expect(writer.commits()).toEqual([])
  const written = Promise.all([journal.write(at(1)), journal.write(at(2))])
  await virtualClock().settle()
  expect(writer.commits()).toEqual([[0, 1, 2]])
  writer.writes[0]?.done.resolve()
  await written
})

test('writes during a commit share the next one, which begins after it', async () => {
  const writer = heldWriter()
  const journal = openJournal(writer, [], unbounded)
  const first = journal.write(at(0))
  await virtualClock().settle()
  journal.writeWithNext(at(1))
  const others = Promise.all([journal.write(at(2)), journal.write(at(3))])
  await virtualClock().settle()
  expect(writer.commits()).toEqual([[0]])
  writer.writes[0]?.done.resolve()
  await first
  await virtualClock().settle()
  expect(writer.commits()).toEqual([[0], [1, 2, 3]])
  writer.writes[1]?.done.resolve()
  await others
})

test('a write that waits for a commit waits for the notes that came meanwhile too', async () => {
  const writer = heldWriter()
  const journal = openJournal(writer, [], unbounded)
  journal.writeBehind(at(0))
  void journal.write(at(2))
  journal.writeBehind(at(1))
  writer.writes[0]?.done.resolve()
  await virtualClock().settle()
  expect(writer.commits()).toEqual([[0], [1]])
  writer.writes[1]?.done.resolve()
  await virtualClock().settle()
  expect(writer.commits()).toEqual([[0], [1], [2]])
})

test('an answer is written after the results that it was told, and not without them', async () => {
  const writer = heldWriter()
  const journal = openJournal(writer, [], unbounded)
  const result = (n: number): Step => ({ ...at(n), kind: 'tool' })
  journal.writeBehind(result(0))
  journal.writeBehind(result(1))
  journal.writeBehind({ ...at(2), kind: 'model' })
  writer.writes[1]?.done.resolve()
  await virtualClock().settle()
  expect(writer.commits()).toEqual([[0], [1]])
  writer.writes[0]?.done.resolve()
  await virtualClock().settle()
  expect(writer.commits()).toEqual([[0], [1], [2]])
  writer.writes[2]?.done.resolve()
  await journal.flushed()

  journal.writeBehind(result(3))
  journal.writeBehind({ ...at(4), kind: 'model' })
  writer.writes[3]?.done.reject(new DatabaseDown('gone'))
  await expect(journal.flushed()).rejects.toThrow(DatabaseDown)
  expect(writer.commits()).toEqual([[0], [1], [2], [3]])
})

test('held steps are written at the end of the turn', async () => {
  const writer = heldWriter()
  const journal = openJournal(writer, [], unbounded)
  journal.writeWithNext(at(0))
  const settled = journal.flushed()
  await virtualClock().settle()
  expect(writer.commits()).toEqual([[0]])
  writer.writes[0]?.done.resolve()
  await settled
})

test('listeners of a note are called after its commit, and not if it fails', async () => {
  const writer = heldWriter()
  const journal = openJournal(writer, [], unbounded)
  const heard: number[] = []
  journal.writeBehind(at(0), () => heard.push(0))
  journal.writeBehind(at(1), () => heard.push(1))
  await virtualClock().settle()
  expect(heard).toEqual([])
  writer.writes[0]?.done.resolve()
  writer.writes[1]?.done.reject(new Error('no'))
  await expect(journal.flushed()).rejects.toThrow('no')
  expect(heard).toEqual([0])
})

test('a listener that throws fails the turn, which can still be ended', async () => {
  const writer = heldWriter()
  const journal = openJournal(writer, [], unbounded)
  journal.writeBehind(at(0), () => {
    throw new Error('deaf')
  })
  writer.writes[0]?.done.resolve()
  await expect(journal.flushed()).rejects.toThrow('deaf')
  await expect(journal.write(at(1))).rejects.toThrow('deaf')
  expect(writer.commits()).toEqual([[0]])
})

test('a commit that fails rejects all its writes, and nothing is written after it', async () => {
  const writer = heldWriter()
  const journal = openJournal(writer, [], unbounded)
  journal.writeWithNext(at(0))
  const written = [journal.write(at(1)), journal.write(at(2))].map((write) => expect(write).rejects.toThrow('no'))
  await virtualClock().settle()
  writer.writes[0]?.done.reject(new Error('no'))
  await Promise.all(written)
  await expect(journal.write(at(101))).rejects.toThrow('no')
  expect(writer.commits()).toEqual([[0, 1, 2]])
})

test('after a note that could not be written nothing more is written', async () => {
  const writer = heldWriter()
  const journal = openJournal(writer, [], unbounded)
  journal.writeBehind(at(0))
  writer.writes[0]?.done.reject(new Error('no'))
  await expect(journal.write(at(1))).rejects.toThrow('no')
  await expect(journal.flushed()).rejects.toThrow('no')
})

test('a step past the limit ends the turn, and open ones can still be closed', async () => {
  const writer = { write: async () => {} }
  const budget = openBudget({ ...limitsElsewhere, steps: 2, stepsTaken: 1 }, virtualClock())
  const journal = openJournal(writer, [at(1)], { ...unbounded, takeStep: () => budget.takeStep() })
  await journal.write(at(2))
  await expect(journal.write(at(3))).rejects.toThrow(BoundReached)
  expect(() => journal.writeWithNext(at(3))).toThrow(BoundReached)
  journal.writeBehind(at(4))
  await journal.flushed()
  await journal.write({ ...at(1), status: 'succeeded' })
  await journal.write({ ...at(2), status: 'succeeded' })
})

test('a write waits for a database that is down, and gives up when the turn is over', async () => {
  const clock = virtualClock()
  const turn = new AbortController()
  const fates = [new DatabaseDown('away'), new BatchFull(1), undefined]
  let tries = 0
  const work = async () => {
    const outcome = fates[tries++]
    if (outcome) throw outcome
    return 'written'
  }
  const written = retryOutages({ clock, signal: turn.signal }, work)
  await clock.advance(10_000)
  expect([await written, tries]).toEqual(['written', 3])

  const never = retryOutages({ clock, signal: turn.signal }, () => Promise.reject(new DatabaseDown('away')))
  const failed = expect(never).rejects.toThrow()
  await clock.advance(60_000)
  turn.abort(new Error('over'))
  await clock.advance(10_000)
  await failed
  expect(clock.timersWaiting).toBe(0)
})

test('work is ended by its signal or an outage when it aborts, and by nothing else', async () => {
  const clock = virtualClock()
  const turn = new AbortController()
  const down = new DatabaseDown('away')
  expect(isCutShort(turn.signal, down)).toBe(false)
  const never = retryOutages({ clock, signal: turn.signal }, () => Promise.reject(down)).catch(
    (error: unknown) => error,
  )
  await clock.settle()
  // It waits for its next try.
  expect(clock.timersWaiting).toBe(1)
  turn.abort(new Error('over'))
  expect([isCutShort(turn.signal, await never), isCutShort(turn.signal, down)]).toEqual([true, true])
  expect(isCutShort(turn.signal, new TypeError('defect'))).toBe(false)
})

test('an error that is not an outage is not retried', async () => {
  const clock = virtualClock()
  const defect = () => Promise.reject(new TypeError('defect'))
  await expect(retryOutages({ clock, signal: new AbortController().signal }, defect)).rejects.toThrow('defect')
})

test('the clock of a turn stops while it waits, and a wait that outlives the turn starts nothing', async () => {
  const clock = virtualClock()
  const budget = openBudget({ ...limitsElsewhere, timeMs: 1_000 }, clock)
  await clock.advance(600)
  const first = budget.pause()
  const second = budget.pause()
  await clock.advance(60_000)
  first()
  await clock.advance(60_000)
  second()
  await clock.advance(300)
  expect(budget.signal.aborted).toBe(false)
  await clock.advance(200)
  expect(budget.signal.reason).toBeInstanceOf(BoundReached)

  const other = openBudget({ ...limitsElsewhere, timeMs: 1_000 }, clock)
  const late = other.pause()
  other.end()
  late()
  expect(clock.timersWaiting).toBe(0)
})
