/** What holds for every schedule: random messages, crashes, slow handlers and time, on virtual time. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MailboxFull } from '../../../runtime/actor/errors.ts'
import { Mailbox } from '../../../runtime/actor/mailbox.ts'
import { exponential } from '../../../runtime/time/backoff.ts'
import { sleep } from '../../../runtime/time/clock.ts'
import { anyKey, defineTestActor, testSystem } from '../../support/actors.ts'
import { propertyRuns } from '../../support/property-runs.ts'

const capacity = 5

interface Job {
  sender: number
  serial: number
  outcome: 'now' | 'later' | 'crash' | 'crash later'
}

let inside = 0
const subject = defineTestActor({
  kind: 'subject',
  key: anyKey,
  mailbox: { capacity },
  idle: 5_000,
  supervision: { restarts: 1_000_000, withinMs: 1_000, backoff: exponential(10, 100) },
  start: () => ({}),
  receive: {
    async later(context, job: Job) {
      expect(inside++, 'one message at a time').toBe(0)
      try {
        await sleep(context.clock, 20)
        if (job.outcome === 'crash later') throw new Error('later')
        context.services.said.push(`${job.sender}:${job.serial}`)
      } finally {
        inside--
      }
    },
    now(context, job: Job) {
      expect(inside, 'one message at a time').toBe(0)
      if (job.outcome === 'crash') throw new Error('now')
      context.services.said.push(`${job.sender}:${job.serial}`)
    },
  },
})

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ sender: fc.nat(2), outcome: fc.constantFrom('now', 'later', 'crash', 'crash later') }),
  },
  { weight: 2, arbitrary: fc.record({ advanceMs: fc.constantFrom(1, 15, 30, 200, 6_000) }) },
)

test('under random faults each sender’s messages stay in order, every ask is answered once, and the mailbox keeps its bound', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      inside = 0
      const { system, clock, journal } = testSystem()
      const actor = system.actor(subject, 's')
      const serials = [0, 0, 0]
      const accepted: string[] = []
      const outcomes: Promise<string>[] = []
      for (const next of steps) {
        if ('advanceMs' in next) {
          await clock.advance(next.advanceMs)
          continue
        }
        const serial = serials[next.sender] ?? 0
        serials[next.sender] = serial + 1
        const job: Job = { sender: next.sender, serial, outcome: next.outcome as Job['outcome'] }
        const name = `${job.sender}:${job.serial}`
        const type = job.outcome.endsWith('later') ? 'later' : 'now'
        outcomes.push(
          actor.ask(type, job, { deadlineMs: Number.POSITIVE_INFINITY }).then(
            () => {
              accepted.push(name)
              return 'answered'
            },
            (error: Error) => {
              if (!(error instanceof MailboxFull)) expect(error.name).toBe('ActorCrashed')
              return error.name
            },
          ),
        )
        for (const kind of system.snapshot(1)) {
          for (const cell of kind.sample) expect(cell.mailboxDepth).toBeLessThanOrEqual(capacity)
        }
      }
      await clock.advance(60_000)
      const settled = await Promise.all(outcomes)
      expect(settled).toHaveLength(serials.reduce((sum, count) => sum + count, 0))
      expect(journal.said, 'answered means handled, once').toEqual(accepted)
      for (const sender of [0, 1, 2]) {
        const order = journal.said.filter((name) => name.startsWith(`${sender}:`)).map((name) => Number(name.slice(2)))
        expect(order).toEqual([...order].sort((a, b) => a - b))
      }
      expect(system.live, 'idle actors leave memory').toBe(0)
      expect(clock.timersWaiting).toBe(0)
    }),
    { numRuns: propertyRuns(60) },
  )
})

test('a mailbox is a queue of its capacity under any sequence of push and shift', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 2_000 }),
      fc.array(fc.integer({ min: -900, max: 1_200 }), { maxLength: 30 }),
      (size, runs) => {
        const mailbox = new Mailbox<number>(size)
        const model: number[] = []
        let next = 0
        for (const run of runs) {
          for (let count = 0; count < Math.abs(run); count++) {
            if (run > 0) {
              const fits = model.length < size
              expect(mailbox.push(next)).toBe(fits)
              if (fits) model.push(next)
              next++
            } else {
              expect(mailbox.shift()).toBe(model.shift())
            }
          }
          expect(mailbox.size).toBe(model.length)
        }
        expect(mailbox.drain()).toEqual(model)
      },
    ),
    { numRuns: propertyRuns(50) },
  )
})
