import { describe, expect, test } from 'vitest'
import { ActorCrashed, ActorStopped, MailboxFull } from '../../../runtime/actor/errors.ts'
import { anyKey, briefSupervision, defineTestActor, testSystem } from '../../support/actors.ts'

interface State {
  ends: PromiseWithResolvers<void>[]
}

const worker = defineTestActor({
  kind: 'worker',
  key: anyKey,
  mailbox: { capacity: 16 },
  supervision: briefSupervision,
  start: (): State => ({ ends: [] }),
  receive: {
    work(context, { name, waitingMax = 2 }: { name: string; waitingMax?: number }) {
      const { services, state } = context
      return context.inTurn(async (signal) => {
        services.said.push(name)
        const end = Promise.withResolvers<void>()
        state.ends.push(end)
        signal.addEventListener('abort', () => end.reject(signal.reason))
        await end.promise
        return name
      }, waitingMax)
    },
    end: ({ state }) => state.ends.shift()?.resolve(),
    break: ({ state }) => state.ends.shift()?.reject(new Error('broke')),
    count: () => 1,
  },
})

function open() {
  const { system, clock, journal } = testSystem()
  return { system, clock, said: journal.said, actor: system.actor(worker, 'a') }
}

describe('work in turn', () => {
  test('runs one after the other in the order of the messages, beside the mailbox', async () => {
    const { actor, clock, said } = open()
    const all = ['a', 'b', 'c'].map((name) => actor.ask('work', { name }))
    expect(await actor.ask('count', {})).toBe(1)
    expect(said).toEqual(['a'])
    actor.tell('end', {})
    await clock.settle()
    expect(said).toEqual(['a', 'b'])
    actor.tell('end', {})
    await clock.settle()
    actor.tell('end', {})
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c'])
  })

  test('past its bound a caller gets MailboxFull and the actor lives on; a message without a caller is a dead letter', async () => {
    const { actor, system, clock } = open()
    for (const name of ['a', 'b', 'c']) actor.ask('work', { name }).catch(() => undefined)
    await expect(actor.ask('work', { name: 'd' })).rejects.toBeInstanceOf(MailboxFull)
    actor.tell('work', { name: 'e' })
    await clock.settle()
    expect(system.counts).toMatchObject({ crashes: 0, mailboxFull: 2, deadLetters: 1 })
  })

  test('with a bound of 0, work is taken only while none runs', async () => {
    const { actor, clock } = open()
    const first = actor.ask('work', { name: 'a', waitingMax: 0 })
    await expect(actor.ask('work', { name: 'b', waitingMax: 0 })).rejects.toBeInstanceOf(MailboxFull)
    actor.tell('end', {})
    expect(await first).toBe('a')
    await clock.settle()
    actor.ask('work', { name: 'c', waitingMax: 0 }).catch(() => undefined)
    expect(await actor.ask('count', {})).toBe(1)
  })

  test('a caller who gives up while its work waits leaves the line', async () => {
    const { actor, system, clock, said } = open()
    const caller = new AbortController()
    actor.ask('work', { name: 'a' }).catch(() => undefined)
    const waiting = expect(actor.ask('work', { name: 'b' }, { signal: caller.signal })).rejects.toThrow('gone')
    const last = actor.ask('work', { name: 'c' })
    await clock.settle()
    caller.abort(new Error('gone'))
    await waiting
    actor.tell('end', {})
    await clock.settle()
    actor.tell('end', {})
    expect(await last).toBe('c')
    expect([said, system.counts.crashes]).toEqual([['a', 'c'], 0])
  })

  test('work that throws crashes the actor, and what waits behind it is not begun', async () => {
    const { actor, clock, said } = open()
    const outcomes = Promise.allSettled(['a', 'b'].map((name) => actor.ask('work', { name })))
    await clock.settle()
    actor.tell('break', {})
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: expect.any(ActorCrashed) })
    expect(said).toEqual(['a'])
  })

  test('a stop ends what runs and what waits, and counts as no crash', async () => {
    const { actor, system, clock, said } = open()
    const answer = actor.ask('work', { name: 'a' })
    actor.tell('work', { name: 'b' })
    const outcome = expect(answer).rejects.toBeInstanceOf(ActorStopped)
    await clock.settle()
    const stopped = system.stop(0)
    await clock.advance(5_000)
    await stopped
    await outcome
    expect([said, system.counts.crashes]).toEqual([['a'], 0])
  })
})
