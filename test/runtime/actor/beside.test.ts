import { describe, expect, test } from 'vitest'
import { ActorCrashed, ActorStopped, Refusal } from '../../../runtime/actor/errors.ts'
import type { FailureCode } from '../../../runtime/failure.ts'
import { anyKey, briefSupervision, defineTestActor, testSystem } from '../../support/actors.ts'

const slow = defineTestActor({
  kind: 'slow',
  key: anyKey,
  mailbox: { capacity: 8 },
  supervision: briefSupervision,
  start: (): { finished: PromiseWithResolvers<string> } => ({ finished: Promise.withResolvers<string>() }),
  receive: {
    work(context) {
      const { finished } = context.state
      return context.beside(async (signal) => {
        signal.addEventListener('abort', () => finished.reject(signal.reason))
        return await finished.promise
      })
    },
    workAndFinish(context) {
      const { finished } = context.state
      context.finish()
      return context.beside(() => finished.promise)
    },
    succeed(context, message: { text: string }) {
      context.state.finished.resolve(message.text)
    },
    fail(context, message: { code?: FailureCode }) {
      context.state.finished.reject(message.code ? new Refusal(message.code, 'no') : new Error('broke'))
    },
    count: () => 1,
  },
})

describe('work beside the mailbox', () => {
  test('the actor handles its next message while the work runs, and the work answers the ask', async () => {
    const { system } = testSystem()
    const actor = system.actor(slow, 'a')
    const reply = actor.ask('work', {})
    expect(await actor.ask('count', {})).toBe(1)
    actor.tell('succeed', { text: 'done' })
    const answer: string = await reply
    expect(answer).toBe('done')
  })

  test('work that refuses rejects its ask; work that throws crashes the actor', async () => {
    const { system } = testSystem()
    const actor = system.actor(slow, 'a')
    const refused = actor.ask('work', {})
    actor.tell('fail', { code: 'not_found' })
    await expect(refused).rejects.toMatchObject({ code: 'not_found' })
    expect(system.counts.crashes).toBe(0)
    const other = system.actor(slow, 'b')
    const crashed = other.ask('work', {})
    other.tell('fail', {})
    await expect(crashed).rejects.toBeInstanceOf(ActorCrashed)
    expect(system.counts.crashes).toBe(1)
  })

  test('a caller who goes away aborts the work', async () => {
    const { system, clock } = testSystem()
    const caller = new AbortController()
    const reply = system.actor(slow, 'a').ask('work', {}, { signal: caller.signal })
    const outcome = expect(reply).rejects.toThrow('gone')
    await clock.settle()
    caller.abort(new Error('gone'))
    await outcome
    await clock.settle()
    expect(system.counts.crashes).toBe(0)
  })

  test('a stop aborts the work, and its caller gets ActorStopped', async () => {
    const { system, clock } = testSystem()
    const reply = system.actor(slow, 'a').ask('work', {})
    const outcome = expect(reply).rejects.toBeInstanceOf(ActorStopped)
    await clock.settle()
    await system.stop(0)
    await outcome
  })

  test('an actor that wants to finish stays until its work is done', async () => {
    const { system, clock } = testSystem()
    const actor = system.actor(slow, 'a')
    const reply = actor.ask('workAndFinish', {})
    await clock.settle()
    expect(system.live).toBe(1)
    actor.tell('succeed', { text: 'last' })
    expect(await reply).toBe('last')
    await clock.settle()
    expect(system.live).toBe(0)
  })
})
