import { describe, expect, test } from 'vitest'
import { ActorCrashed, Refusal } from '../../../runtime/actor/errors.ts'
import { sleep } from '../../../runtime/time/clock.ts'
import { anyKey, briefSupervision, defineTestActor, testSystem } from '../../support/actors.ts'

let starts = 0
const fragile = defineTestActor({
  kind: 'fragile',
  key: anyKey,
  mailbox: { capacity: 16 },
  supervision: briefSupervision,
  start(context): { count: number; instance: number } {
    const failure = context.services.failures.shift()
    if (failure) throw failure
    starts++
    return { count: 0, instance: starts }
  },
  receive: {
    add(context) {
      context.state.count++
      return context.state.count
    },
    crash(): void {
      throw new Error('boom')
    },
    async crashLater() {
      await Promise.resolve()
      throw new Error('later boom')
    },
    crashInTask(context) {
      context.task(async () => {
        throw new Error('task boom')
      }, 'add')
    },
    remind(context, message: { inMs: number }) {
      context.after(message.inMs, 'note', { text: 'reminded' })
    },
    note(context, message: { text: string }) {
      context.services.said.push(message.text)
    },
    work(context) {
      context.task(async () => ({ text: 'worked' }), 'note')
    },
  },
})

const parent = defineTestActor({
  kind: 'parent',
  key: anyKey,
  mailbox: { capacity: 16 },
  supervision: 'temporary',
  start: () => ({}),
  receive: {
    crashChild(context): void {
      context.child(fragile, 'c').tell('crash', {})
    },
    askChild: (context): Promise<number> => context.child(fragile, 'c').ask('add', {}),
  },
  childFailed(context, child, error) {
    context.services.said.push(`${child.kind}/${child.key} failed: ${(error.cause as Error).message}`)
  },
})

const stern = defineTestActor({
  ...parent,
  kind: 'stern',
  supervision: 'temporary',
  childFailed: (_context, _child, error): void => {
    throw error
  },
})

/** Longer than the backoff of its parent. */
const childEndMs = 1_000

const slowChild = defineTestActor({
  kind: 'slowChild',
  key: anyKey,
  mailbox: { capacity: 16 },
  supervision: 'temporary',
  start({ services }) {
    services.said.push('child starts')
    return {}
  },
  async stop({ services, clock }) {
    await sleep(clock, childEndMs)
    services.said.push('child has ended')
  },
  receive: { hear: () => true },
})

const guardian = defineTestActor({
  kind: 'guardian',
  key: anyKey,
  mailbox: { capacity: 16 },
  supervision: briefSupervision,
  start({ services }) {
    services.said.push('guardian starts')
    return {}
  },
  receive: {
    startChild: (context): Promise<boolean> => context.child(slowChild, 'c').ask('hear', {}),
    crash(): void {
      throw new Error('boom')
    },
  },
})

describe('supervision', () => {
  test('a crashed actor starts again from start and keeps the messages behind the one that crashed it', async () => {
    const { system, clock } = testSystem()
    const actor = system.actor(fragile, 'a')
    expect(await actor.ask('add', {})).toBe(1)
    const crashed = actor.ask('crash', {}).catch((error: unknown) => error)
    const behind = actor.ask('add', {})
    expect(await crashed).toBeInstanceOf(ActorCrashed)
    await clock.advance(60)
    expect(await behind, 'state is new: it came from start').toBe(1)
    expect(system.counts).toMatchObject({ crashes: 1, restarts: 1, escalations: 0 })
  })

  test('the wait before a restart doubles with each crash within the window', async () => {
    const { system, clock } = testSystem()
    const actor = system.actor(fragile, 'a')
    for (const waitMs of [50, 100, 200]) {
      actor.tell('crash', {})
      const next = actor.ask('add', {})
      let isBack = false
      next.then(() => {
        isBack = true
      })
      await clock.advance(waitMs - 1)
      expect(isBack).toBe(false)
      await clock.advance(2)
      expect(isBack).toBe(true)
    }
  })

  test('past its restart intensity at the root the branch stops, is logged and counted, and nothing else', async () => {
    const { system, clock, lines } = testSystem()
    const actor = system.actor(fragile, 'a')
    const other = system.actor(fragile, 'b')
    for (let crash = 0; crash < 4; crash++) actor.tell('crash', {})
    const behind = actor.ask('add', {}).catch((error: unknown) => error)
    await clock.advance(1_000)
    expect(await behind).toBeInstanceOf(ActorCrashed)
    expect(system.counts.escalations).toBe(1)
    expect(lines.filter((line) => line.level === 50)).toMatchObject([{ actor: 'fragiles/a' }])
    expect(await other.ask('add', {})).toBe(1)
    expect(await actor.ask('add', {}), 'a later message starts a new branch').toBe(1)
  })

  test('crashes further apart than the window never add up', async () => {
    const { system, clock } = testSystem()
    const actor = system.actor(fragile, 'a')
    for (let crash = 0; crash < 20; crash++) {
      actor.tell('crash', {})
      await clock.advance(1_100)
    }
    expect(system.counts).toMatchObject({ crashes: 20, restarts: 20, escalations: 0 })
  })

  test('a rejected handler and a failed task count as crashes', async () => {
    const { system, clock } = testSystem()
    const actor = system.actor(fragile, 'a')
    actor.tell('crashLater', {})
    await clock.advance(60)
    actor.tell('crashInTask', {})
    await clock.advance(200)
    expect(system.counts).toMatchObject({ crashes: 2, restarts: 2 })
    expect(await actor.ask('add', {})).toBe(1)
  })

  test('a start that fails is retried with backoff while its messages wait', async () => {
    const { system, clock, journal } = testSystem()
    journal.failures.push(new Error('database away'), new Error('database away'))
    const waiting = system.actor(fragile, 'a').ask('add', {})
    await clock.advance(160)
    expect(await waiting).toBe(1)
  })

  test('a start that refuses rejects every waiting message and is not retried', async () => {
    const { system, clock, journal } = testSystem()
    journal.failures.push(new Refusal('not_found', 'no such thing'))
    const actor = system.actor(fragile, 'a')
    const answers = await Promise.allSettled([actor.ask('add', {}), actor.ask('add', {})])
    expect(answers).toMatchObject([
      { status: 'rejected', reason: { code: 'not_found' } },
      // The second message found nobody and started an instance of its own.
      { status: 'fulfilled', value: 1 },
    ])
    await clock.advance(1_000)
    expect(system.counts.restarts).toBe(0)
  })

  test('a child that fails past its restarts is its parent’s to handle', async () => {
    const { system, clock, journal } = testSystem()
    const actor = system.actor(parent, 'p')
    for (let crash = 0; crash < 4; crash++) await actor.ask('crashChild', {})
    await clock.advance(1_000)
    expect(journal.said).toEqual(['fragile/c failed: boom'])
    expect(await actor.ask('askChild', {}), 'the parent lives and can start it anew').toBe(1)
  })

  test('a parent that does not handle its child’s failure fails with it, up to the root', async () => {
    const { system, clock, lines } = testSystem()
    const actor = system.actor(stern, 'p')
    for (let crash = 0; crash < 4; crash++) await actor.ask('crashChild', {})
    await clock.advance(1_000)
    expect(system.counts.escalations).toBe(1)
    expect(lines.find((line) => line.level === 50)).toMatchObject({ actor: 'sterns/p' })
    expect(system.live).toBe(0)
  })

  test('a parent that crashes starts again only when its children have ended', async () => {
    const { system, clock, journal } = testSystem()
    const actor = system.actor(guardian, 'g')
    await actor.ask('startChild', {})
    const crashed = actor.ask('crash', {}).catch((error: unknown) => error)
    const behind = actor.ask('startChild', {})
    await crashed
    await clock.advance(childEndMs - 1)
    expect(journal.said).toEqual(['guardian starts', 'child starts'])
    await clock.advance(1)
    await behind
    expect(journal.said).toEqual([
      'guardian starts',
      'child starts',
      'child has ended',
      'guardian starts',
      'child starts',
    ])
  })

  test('timers and tasks of an instance end with it', async () => {
    const { system, clock, journal } = testSystem()
    const actor = system.actor(fragile, 'a')
    await actor.ask('remind', { inMs: 100 })
    await actor.ask('crash', {}).catch(() => undefined)
    await clock.advance(500)
    expect(journal.said).toEqual([])
    await actor.ask('remind', { inMs: 100 })
    await actor.ask('work', {})
    await clock.advance(101)
    expect(journal.said).toEqual(['worked', 'reminded'])
  })

  test('a storm of crashes in a thousand actors leaves the others answering', async () => {
    const { system, clock } = testSystem()
    for (let index = 0; index < 1_000; index++) {
      const actor = system.actor(fragile, `storm-${index}`)
      for (let crash = 0; crash < 5; crash++) actor.tell('crash', {})
    }
    expect(await system.actor(fragile, 'calm').ask('add', {})).toBe(1)
    await clock.advance(2_000)
    expect(system.counts.escalations).toBe(1_000)
    expect(system.live).toBe(1)
  })
})
