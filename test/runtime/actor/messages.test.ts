import { beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { ActorRef } from '../../../runtime/actor/define.ts'
import { ActorCrashed, MailboxFull, Refusal } from '../../../runtime/actor/errors.ts'
import { anyKey, briefSupervision, defineTestActor, testSystem } from '../../support/actors.ts'

let open = Promise.withResolvers<void>()
beforeEach(() => {
  open = Promise.withResolvers<void>()
})

const echo = defineTestActor({
  kind: 'echo',
  key: anyKey,
  mailbox: { capacity: 4 },
  supervision: briefSupervision,
  start: () => ({}),
  receive: {
    say(context, message: { text: string }) {
      context.services.said.push(`${context.key}:${message.text}`)
      return message.text.toUpperCase()
    },
    async hold(context, message: { text: string }) {
      context.services.said.push(`hold ${message.text}`)
      await open.promise
      context.services.said.push(`held ${message.text}`)
    },
    async untilAborted(context) {
      const { signal } = context
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      context.services.said.push(`aborted: ${String(signal.reason?.name ?? signal.reason)}`)
      throw signal.reason
    },
    unplain: () => ({ go: () => 'no' }),
    refuse() {
      throw new Refusal('not_found', 'come back tomorrow')
    },
    crash() {
      throw new Error('boom')
    },
  },
})

describe('messages', () => {
  test('an ask resolves with what the handler returned', async () => {
    const { system } = testSystem()
    const answer = await system.actor(echo, 'a').ask('say', { text: 'hello' })
    expect(answer).toBe('HELLO')
  })

  test('messages of one sender are handled in the order they were sent, one at a time', async () => {
    const { system, journal, clock } = testSystem()
    const actor = system.actor(echo, 'a')
    const firstAnswer = actor.ask('hold', { text: '1' }, { deadlineMs: 100 }).catch((error: Error) => error.name)
    actor.tell('say', { text: '2' })
    actor.tell('say', { text: '3' })
    await clock.settle()
    expect(journal.said).toEqual(['hold 1'])
    await clock.advance(200)
    expect(await firstAnswer).toBe('AskTimeout')
    expect(journal.said, 'a caller that gave up does not let the next message in early').toEqual(['hold 1'])
    open.resolve()
    await clock.settle()
    expect(journal.said).toEqual(['hold 1', 'held 1', 'a:2', 'a:3'])
  })

  test('a full mailbox refuses the sender and keeps what it holds', async () => {
    const { system, journal, clock } = testSystem()
    const actor = system.actor(echo, 'a')
    for (const text of ['1', '2', '3', '4']) actor.tell('say', { text })
    expect(() => actor.tell('say', { text: '5' })).toThrow(MailboxFull)
    await expect(actor.ask('say', { text: '6' })).rejects.toMatchObject({ code: 'mailbox_full', capacity: 4 })
    await clock.settle()
    expect(journal.said).toEqual(['a:1', 'a:2', 'a:3', 'a:4'])
    expect(system.counts.mailboxFull).toBe(2)
  })

  test('an ask past its deadline rejects with AskTimeout and aborts the handler that works on it', async () => {
    const { system, journal, clock } = testSystem()
    const reply = system.actor(echo, 'a').ask('untilAborted', {}, { deadlineMs: 500 })
    const outcome = expect(reply).rejects.toMatchObject({ name: 'AskTimeout', code: 'ask_timeout' })
    await clock.advance(480)
    expect(journal.said).toEqual([])
    await clock.advance(60)
    await outcome
    expect(journal.said).toEqual(['aborted: AskTimeout'])
    expect(system.counts.crashes).toBe(0)
  })

  test('a caller who goes away aborts the running handler', async () => {
    const { system, journal, clock } = testSystem()
    const caller = new AbortController()
    const reply = system.actor(echo, 'a').ask('untilAborted', {}, { signal: caller.signal })
    const outcome = expect(reply).rejects.toThrow('socket closed')
    await clock.settle()
    caller.abort(new Error('socket closed'))
    await outcome
    await clock.settle()
    expect(journal.said).toEqual(['aborted: Error'])
  })

  test('a queued ask whose caller went away is never handled', async () => {
    const { system, journal, clock } = testSystem()
    const actor = system.actor(echo, 'a')
    const running = actor.ask('untilAborted', {}, { deadlineMs: 100 }).catch(() => 'timed out')
    const caller = new AbortController()
    const queued = actor.ask('say', { text: 'late' }, { signal: caller.signal }).catch((error: Error) => error.message)
    caller.abort(new Error('gone'))
    expect(await queued).toBe('gone')
    await clock.advance(200)
    expect(await running).toBe('timed out')
    expect(journal.said).toEqual(['aborted: AskTimeout'])
  })

  test('a refusal reaches the caller and the actor lives on', async () => {
    const { system, lines } = testSystem()
    const actor = system.actor(echo, 'a')
    await expect(actor.ask('refuse', {})).rejects.toMatchObject({ name: 'Refusal', code: 'not_found' })
    expect(await actor.ask('say', { text: 'still here' })).toBe('STILL HERE')
    expect(system.counts).toMatchObject({ crashes: 0, restarts: 0 })
    expect(lines).toEqual([])
  })

  test('a handler that throws rejects its ask with ActorCrashed and its cause', async () => {
    const { system } = testSystem()
    const failure = await system
      .actor(echo, 'a')
      .ask('crash', {})
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ActorCrashed)
    expect(failure).toMatchObject({ path: 'echos/a', cause: { message: 'boom' } })
  })

  test('a message that is not plain data is refused at the sender', () => {
    const { system } = testSystem()
    expect(() => system.actor(echo, 'a').tell('say', { text: (() => 'no') as unknown as string })).toThrow(
      /is no plain data/,
    )
  })

  test('an answer that is not plain data is refused to the caller', async () => {
    const { system } = testSystem()
    await expect(system.actor(echo, 'a').ask('unplain', {})).rejects.toThrow(/is no plain data/)
  })

  test('an invalid key is refused', () => {
    const { system } = testSystem()
    const picky = defineTestActor({ ...echo, kind: 'picky', key: z.string().startsWith('p_') })
    expect(() => system.actor(picky, 'a')).toThrow(/must start with/)
    expect(system.actor(picky, 'p_a').path).toBe('pickys/p_a')
  })

  test('a message type that nobody receives is the sender’s error', () => {
    const { system } = testSystem()
    expect(() => system.actor(echo, 'a').tell('dance' as 'say', { text: '' })).toThrow('echo has no handler for dance')
  })

  test('actors that keep each other busy do not starve timers and sockets', async () => {
    const { system } = testSystem()
    const peers = defineTestActor({
      kind: 'peer',
      key: anyKey,
      mailbox: { capacity: 10 },
      supervision: briefSupervision,
      start: () => ({}),
      receive: {
        ball(context) {
          const other: ActorRef<{ ball(context: never, message: object): void }> = context.actor(
            peers,
            context.key === 'ping' ? 'pong' : 'ping',
          )
          other.tell('ball', {})
        },
      },
    })
    system.actor(peers, 'ping').tell('ball', {})
    await new Promise((resolve) => setTimeout(resolve, 5))
    await system.stop(0)
    expect(system.live).toBe(0)
  })
})
