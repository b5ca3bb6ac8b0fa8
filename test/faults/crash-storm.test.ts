/** Two thousand actors that crash at every message, all at once, on virtual time, beside one that is well. */
import { expect, test } from 'vitest'
import { ActorCrashed, MailboxFull } from '../../runtime/actor/errors.ts'
import { anyKey, briefSupervision, defineTestActor, testSystem } from '../support/actors.ts'

const actors = 2_000
const capacity = 8
const { restarts, withinMs } = briefSupervision

let isBroken = true
function breakWhileBroken(): void {
  if (isBroken) throw new Error('broken')
}

/** Crashes at every message while the fault lasts. */
const crashing = defineTestActor({
  kind: 'crashing',
  key: anyKey,
  mailbox: { capacity },
  supervision: briefSupervision,
  start: () => ({}),
  receive: {
    work() {
      breakWhileBroken()
      return 'done'
    },
  },
})

/** Does not even start while the fault lasts. */
const stillborn = defineTestActor({
  ...crashing,
  kind: 'stillborn',
  start() {
    breakWhileBroken()
    return {}
  },
})

/** Lives on when its children fail for good. */
const parent = defineTestActor({
  kind: 'parent',
  key: anyKey,
  mailbox: { capacity },
  supervision: 'temporary',
  start: () => ({ failed: 0 }),
  receive: {
    work(context) {
      for (let message = 0; message <= restarts; message++) context.child(crashing, 'child').tell('work', {})
    },
    failed: (context): number => context.state.failed,
  },
  childFailed(context) {
    context.state.failed++
  },
})

const healthy = defineTestActor({
  kind: 'healthy',
  key: anyKey,
  mailbox: { capacity },
  supervision: briefSupervision,
  start: () => ({ count: 0 }),
  receive: {
    add(context) {
      context.state.count++
      return context.state.count
    },
  },
})

const keys = Array.from({ length: actors }, (_, at) => `actor-${at}`)

test.each([
  ['crash at every message', crashing],
  ['crash as they start', stillborn],
])(
  'actors that %s: typed errors for every caller, so many restarts and no more, and the others go on',
  async (_, kind) => {
    isBroken = true
    const { system, clock, lines } = testSystem()
    const well = system.actor(healthy, 'well')
    // Two more than a mailbox takes: those are told at once.
    const answers = keys.flatMap((key) =>
      Array.from({ length: capacity + 2 }, () =>
        system
          .actor(kind, key)
          .ask('work', {})
          .catch((error: unknown) => error),
      ),
    )
    let answered = 0
    // Long past every backoff: 50 + 100 + 200 ms.
    for (let passedMs = 0; passedMs < withinMs; passedMs += 50) {
      answered++
      const answer = well.ask('add', {})
      await clock.advance(50)
      expect(await answer).toBe(answered)
    }

    const errors = await Promise.all(answers)
    expect(errors.filter((error) => error instanceof MailboxFull)).toHaveLength(2 * actors)
    expect(errors.filter((error) => error instanceof ActorCrashed)).toHaveLength(capacity * actors)
    expect(system.counts).toMatchObject({
      crashes: (restarts + 1) * actors,
      restarts: restarts * actors,
      escalations: actors,
      deadLetters: 0,
    })
    expect(
      lines.filter(({ level }) => level === 50),
      'each branch that ends is told once',
    ).toHaveLength(actors)
    expect(system.live, 'nothing stays in memory but the one that is well').toBe(1)

    isBroken = false
    const after = keys.map((key) => system.actor(kind, key).ask('work', {}))
    await clock.settle()
    expect(new Set(await Promise.all(after))).toEqual(new Set(['done']))
  },
)

test('parents whose children crash for good live on, and each hears of it once', async () => {
  isBroken = true
  const { system, clock } = testSystem()
  for (const key of keys) system.actor(parent, key).tell('work', {})
  await clock.advance(withinMs)
  const answers = keys.map((key) => system.actor(parent, key).ask('failed', {}))
  await clock.settle()
  expect(await Promise.all(answers)).toEqual(keys.map(() => 1))
  expect(system.counts).toMatchObject({
    crashes: (restarts + 1) * actors,
    restarts: restarts * actors,
    escalations: 0,
    deadLetters: 0,
  })
  expect(system.live, 'the parents, without their children').toBe(actors)
})

test('under messages that never stop, a branch that ended may begin again, but never without its backoffs', async () => {
  isBroken = true
  const { system, clock } = testSystem()
  const some = keys.slice(0, 50)
  const lastsMs = 5 * withinMs
  const outcomes: Promise<unknown>[] = []
  for (let passedMs = 0; passedMs < lastsMs; passedMs += 10) {
    for (const key of some)
      outcomes.push(
        system
          .actor(crashing, key)
          .ask('work', {})
          .catch((error: unknown) => (error as Error).name),
      )
    await clock.advance(10)
  }
  await clock.advance(withinMs)
  const names = await Promise.all(outcomes)
  expect(new Set(names)).toEqual(new Set(['ActorCrashed', 'MailboxFull']))
  const branchMs = 50 + 100 + 200
  const branchesMax = Math.ceil((lastsMs + withinMs) / branchMs)
  expect(system.counts.crashes).toBeLessThanOrEqual(some.length * (restarts + 1) * branchesMax)
  expect(system.counts.mailboxFull, 'the rest was refused at once').toBe(
    names.filter((name) => name === 'MailboxFull').length,
  )
  expect(system.live).toBe(0)
  // Deadlines of asks that were answered, and backoffs: none is left behind.
  await clock.advance(60_000)
  expect(clock.timersWaiting).toBe(0)
})
