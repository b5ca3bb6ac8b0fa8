import { describe, expect, test } from 'vitest'
import { ActorStopped } from '../../../runtime/actor/errors.ts'
import { anyKey, briefSupervision, defineTestActor, testSystem } from '../../support/actors.ts'

let gates = new Map<string, PromiseWithResolvers<void>>()
function gate(name: string): PromiseWithResolvers<void> {
  const existing = gates.get(name) ?? Promise.withResolvers<void>()
  gates.set(name, existing)
  return existing
}

const worker = defineTestActor({
  kind: 'worker',
  key: anyKey,
  mailbox: { capacity: 16 },
  idle: 60_000,
  supervision: briefSupervision,
  start(context) {
    context.services.said.push(`start ${context.key}`)
    return {}
  },
  receive: {
    note(context, message: { text: string }) {
      context.services.said.push(message.text)
    },
    async run(context) {
      const { signal } = context
      context.services.said.push(`run ${context.key}`)
      await Promise.race([
        gate(context.key).promise,
        new Promise((resolve) => signal.addEventListener('abort', resolve)),
      ])
      context.services.said.push(`${signal.aborted ? 'aborted' : 'ran'} ${context.key}`)
    },
    runBeside(context) {
      context.task(async (signal) => {
        await Promise.race([
          gate(context.key).promise,
          new Promise((resolve) => signal.addEventListener('abort', resolve)),
        ])
        return { text: `${signal.aborted ? 'aborted' : 'done'} beside ${context.key}` }
      }, 'note')
    },
    async never() {
      await new Promise(() => {})
    },
    last(context) {
      context.finish()
    },
  },
  async stop(context) {
    await Promise.resolve()
    context.services.said.push(`stop ${context.key}`)
  },
  drain(context) {
    context.services.said.push(`drain ${context.key}`)
  },
})

const family = defineTestActor({
  ...worker,
  kind: 'family',
  receive: {
    async begin(context, message: { child: string }): Promise<void> {
      context.child(worker, message.child).tell('run', {})
    },
    end: async (context, message: { child: string }): Promise<void> => {
      await context.stopChild(worker, message.child)
      context.services.said.push(`ended ${message.child}`)
    },
  },
  stop(context) {
    context.services.said.push(`stop ${context.key}`)
  },
})

const placed = defineTestActor({ ...worker, kind: 'placed', placement: 'slot' })

describe('life of an actor', () => {
  test('an idle actor leaves memory and the next message starts it again', async () => {
    const { system, clock, journal } = testSystem()
    const actor = system.actor(worker, 'a')
    actor.tell('note', { text: '1' })
    await clock.advance(59_000)
    expect(system.live).toBe(1)
    await clock.advance(10_000)
    expect(system.live).toBe(0)
    actor.tell('note', { text: '2' })
    await clock.settle()
    expect(journal.said).toEqual(['start a', '1', 'stop a', 'start a', '2'])
  })

  test('an actor with work under way is not idle', async () => {
    const { system, clock } = testSystem()
    gates = new Map()
    await system.actor(worker, 'a').ask('runBeside', {})
    await clock.advance(600_000)
    expect(system.live).toBe(1)
    gate('a').resolve()
    await clock.advance(130_000)
    expect(system.live).toBe(0)
  })

  test('a message that arrives during passivation starts the next instance, never two at once', async () => {
    const { system, clock, journal } = testSystem()
    const actor = system.actor(worker, 'a')
    await actor.ask('last', {})
    actor.tell('note', { text: 'again' })
    await clock.settle()
    expect(journal.said).toEqual(['start a', 'stop a', 'start a', 'again'])
  })

  test('a hundred thousand idle actors leave without holding up the loop', async () => {
    const { system, clock } = testSystem()
    for (let index = 0; index < 100_000; index++) system.actor(worker, `k${index}`).tell('note', { text: '' })
    await clock.settle()
    expect(system.live).toBe(100_000)
    await clock.advance(200_000)
    expect(system.live).toBe(0)
    expect(clock.timersWaiting).toBe(0)
  })

  test('a stopped child aborts at once and ends before its stop resolves', async () => {
    const { system, journal } = testSystem()
    gates = new Map()
    const actor = system.actor(family, 'f')
    await actor.ask('begin', { child: 'c' })
    await actor.ask('end', { child: 'c' })
    expect(journal.said).toEqual(['start f', 'start c', 'run c', 'aborted c', 'stop c', 'ended c'])
  })

  test('the drain lets running work finish, takes nothing new, and ends children before parents', async () => {
    const { system, journal, clock } = testSystem()
    gates = new Map()
    const actor = system.actor(family, 'f')
    await actor.ask('begin', { child: 'c' })
    const stopped = system.stop(10_000)
    await clock.settle()
    await expect(actor.ask('begin', { child: 'd' })).rejects.toBeInstanceOf(ActorStopped)
    await expect(system.actor(family, 'new').ask('begin', { child: 'd' })).rejects.toBeInstanceOf(ActorStopped)
    gate('c').resolve()
    await clock.settle()
    await stopped
    expect(journal.said).toEqual(['start f', 'start c', 'run c', 'drain f', 'drain c', 'ran c', 'stop c', 'stop f'])
    expect(system.live).toBe(0)
  })

  test('work that does not finish within the grace period is aborted', async () => {
    const { system, journal, clock } = testSystem()
    gates = new Map()
    system.actor(worker, 'slow').tell('run', {})
    await clock.settle()
    const stopped = system.stop(10_000)
    await clock.advance(9_000)
    expect(journal.said).not.toContain('aborted slow')
    await clock.advance(1_100)
    await stopped
    expect(journal.said).toEqual(['start slow', 'run slow', 'drain slow', 'aborted slow', 'stop slow'])
  })

  test('a handler that ignores its signal cannot hold up the stop', async () => {
    const { system, clock } = testSystem()
    const answer = system
      .actor(worker, 'deaf')
      .ask('never', {}, { deadlineMs: Number.POSITIVE_INFINITY })
      .catch((error: unknown) => error)
    await clock.settle()
    const stopped = system.stop(1_000)
    await clock.advance(4_000)
    await stopped
    expect(await answer).toBeInstanceOf(ActorStopped)
    expect(system.live).toBe(0)
  })

  test('what comes for an actor that was given up with its slot waits for its end, and starts it anew', async () => {
    const { system, journal, clock } = testSystem()
    const held = system.actor(placed, 'a')
    const lost = held.ask('never', {}, { deadlineMs: Number.POSITIVE_INFINITY }).catch((error: unknown) => error)
    await clock.settle()
    system.release((key) => key === 'a')
    held.tell('note', { text: 'by who knew it' })
    const answered = system.actor(placed, 'a').ask('note', { text: 'by another' })
    // Given up again meanwhile, it is nobody's.
    system.release((key) => key === 'a')
    await expect(answered).rejects.toBeInstanceOf(ActorStopped)
    system.actor(placed, 'a').tell('note', { text: 'at last' })
    await clock.advance(1_000)
    expect(journal.said).toEqual(['start a'])
    await clock.advance(3_000)
    expect(await lost).toBeInstanceOf(ActorStopped)
    expect(journal.said).toEqual(['start a', 'stop a', 'start a', 'at last'])
    expect(system.counts.deadLetters).toBe(1)
  })

  test('a stop waits for those that were given up', async () => {
    const { system, journal, clock } = testSystem()
    system.actor(placed, 'a').tell('never', {})
    await clock.settle()
    system.release(() => true)
    const stopped = system.stop(0)
    await clock.advance(1_000)
    expect(journal.said).toEqual(['start a'])
    await clock.advance(2_000)
    await stopped
    expect(journal.said).toEqual(['start a', 'stop a'])
  })

  test('a message to nobody is a dead letter: counted, and logged at debug with its sender', async () => {
    const { system, lines } = testSystem()
    const actor = system.actor(worker, 'a')
    await actor.ask('note', { text: '1' })
    await system.stop(0)
    actor.tell('note', { text: '2' })
    expect(system.counts.deadLetters).toBe(1)
    expect(lines).toMatchObject([
      { level: 20, msg: 'dead letter', actor: 'workers/a', type: 'note', sender: 'outside' },
    ])
  })

  test('the tree can be read: supervisors, actors, mailbox depth, children', async () => {
    const { system } = testSystem()
    gates = new Map()
    await system.actor(family, 'f').ask('begin', { child: 'c' })
    expect(system.snapshot(10)).toMatchObject([
      {
        supervisor: 'familys',
        actors: 1,
        sample: [{ key: 'f', status: 'running', mailboxDepth: 0, children: [{ kind: 'worker', key: 'c' }] }],
      },
    ])
    await system.stop(0)
  })
})
