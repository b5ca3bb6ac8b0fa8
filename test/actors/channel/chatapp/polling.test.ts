/** Long polling itself: connecting, failing, starting again and closing, against a scripted bot API. */
import { describe, expect, it } from 'vitest'
import type { BotApi } from '../../../../actors/channel/adapters/chatapp/api.ts'
import { poll } from '../../../../actors/channel/adapters/chatapp/polling.ts'
import { seededRandom } from '../../../../runtime/random.ts'
import { DatabaseDown } from '../../../../store/errors.ts'
import { recordingLog } from '../../../support/recording-log.ts'
import { hang, refuse, updateOf } from './support/bot-server.ts'
import {
  channel,
  clock,
  connected,
  contents,
  inTime,
  open,
  pollingForEachTest,
  polls,
  rowRefused,
  server,
} from './support/polling.ts'

pollingForEachTest()

describe('connecting', () => {
  it('asks who it is, takes a webhook away that others left, keeps what waits, and polls', async () => {
    await connected()
    await expect.poll(() => server.calls.map((call) => call.method)).toEqual(['getMe', 'deleteWebhook', 'getUpdates'])
    expect(server.of('deleteWebhook')[0]?.body).toEqual({ drop_pending_updates: false })
    expect(polls()).toEqual([{ timeout: 25, limit: 100, allowed_updates: ['message'] }])
  })

  it('fails with what the bot API says of the token', async () => {
    open({ secrets: { bot_token: '1:another-token-of-nobody' } })
    await expect(channel.connect()).rejects.toThrow('the bot API refused getMe (404): Not Found')
    expect(polls()).toEqual([])
  })

  it('fails where there is no bot API', async () => {
    open({}, 'http://127.0.0.1:1')
    await expect(channel.connect()).rejects.toThrow('127.0.0.1 cannot be reached.')
  })
})

describe('polls that fail', () => {
  it.each([
    [401, 'Unauthorized'],
    [404, 'Not Found'],
    [409, 'Conflict: terminated by other getUpdates request'],
  ])('lose the connection at once at %i', async (code, description) => {
    server.script('getUpdates', refuse(code, description))
    await connected()
    await expect(channel.transport.lost).rejects.toThrow(`the bot API refused getUpdates (${code}): ${description}`)
    expect(polls()).toHaveLength(1)
  })

  it('are waited out while they are few', async () => {
    server.script(
      'getUpdates',
      refuse(502, 'Bad Gateway'),
      (call) => call.cut(),
      (call) => call.raw(200, 'garbage'),
    )
    await connected()
    server.push(updateOf(1, 'one'))
    await inTime(() => channel.taken.length === 1, 1_000)
    expect(channel.lines.filter((line) => line.msg.startsWith('the poll for updates failed'))).toHaveLength(3)
  })

  it('lose the connection at the fourth in a row', async () => {
    server.always('getUpdates', refuse(502, 'Bad Gateway'))
    await connected()
    let isLost = false
    channel.transport.lost?.catch(() => {
      isLost = true
    })
    await inTime(() => isLost, 1_000)
    expect(polls()).toHaveLength(4)
  })

  it('are forgotten with the first that succeeds', async () => {
    await connected()
    for (let round = 1; round <= 3; round++) {
      server.script('getUpdates', refuse(502, 'Bad Gateway'), refuse(502, 'Bad Gateway'))
      server.push(updateOf(round, `${round}`)) // answers the poll under way; the next two fail
      await inTime(() => channel.taken.length === round && server.held === 0, 1_000)
    }
    expect(contents()).toEqual(['1', '2', '3'])
    expect(channel.lines).toHaveLength(6)
  })

  it('are asked again no earlier than the bot API wants', async () => {
    server.script('getUpdates', refuse(429, 'Too Many Requests', { parameters: { retry_after: 30 } }))
    await connected()
    await expect.poll(() => channel.lines.length).toBe(1)
    await clock.advance(29_999)
    expect(polls()).toHaveLength(1)
    await clock.advance(1)
    await expect.poll(() => polls().length).toBe(2)
  })

  it('end in time when the bot API never answers', async () => {
    server.script('getUpdates', hang)
    await connected()
    await expect.poll(() => polls().length).toBe(1)
    await clock.advance(40_000)
    await expect.poll(() => channel.lines[0]?.['reason']).toBe('no answer to getUpdates in 40 s')
  })

  it('do not spin where a server gives what is done already', async () => {
    await connected()
    server.push(updateOf(5, 'one'))
    await expect.poll(() => polls().length).toBe(2)
    server.always('getUpdates', (call) => call.ok([updateOf(5, 'one')]))
    server.push(updateOf(6, 'two')) // ends the poll under way
    await expect.poll(() => channel.lines.length).toBe(1)
    expect(polls()).toHaveLength(3)
    expect(contents()).toEqual(['one', 'two'])
  })

  it('do not spin where a server has nothing and does not wait', async () => {
    server.always('getUpdates', (call) => call.ok([]))
    await connected()
    await expect.poll(() => polls().length).toBe(1)
    await clock.advance(999)
    expect(polls()).toHaveLength(1)
    await clock.advance(1)
    await expect.poll(() => polls().length).toBe(2)
  })
})

describe('after the connection was lost', () => {
  it('it is connected again and goes on behind what is done', async () => {
    await connected()
    server.push(updateOf(5, 'one'))
    await expect.poll(() => polls().length).toBe(2)
    server.script('getUpdates', refuse(409, 'Conflict'))
    server.push(updateOf(6, 'two'))
    await expect(channel.transport.lost).rejects.toThrow('409')
    await channel.connect() // at once: it had worked
    server.push(updateOf(7, 'three'))
    await expect.poll(contents).toEqual(['one', 'two', 'three'])
    expect(polls().at(-2)).toMatchObject({ offset: 7 })
  })

  it('waits longer each time before it takes the updates from somebody else again', async () => {
    server.always('getUpdates', refuse(409, 'Conflict'))
    await connected()
    for (const waitMs of [1_000, 2_000, 4_000]) {
      await expect(channel.transport.lost).rejects.toThrow('409')
      const before = polls().length
      const connecting = channel.connect()
      await expect.poll(() => clock.timersWaiting).toBe(1)
      await expect.poll(() => server.of('getMe').length).toBe(before + 1)
      await clock.settle()
      await clock.advance(waitMs - 1)
      expect(polls()).toHaveLength(before)
      await clock.advance(1)
      await connecting
      await expect.poll(() => polls().length).toBe(before + 1)
    }
  })

  it('a week of silence lets the server begin its numbers anew', async () => {
    const pollBodies: object[] = []
    const halt = new AbortController()
    const dependencies = { clock, random: seededRandom(1), log: recordingLog().log }
    const api: BotApi = {
      origin: '',
      async call(_method, parameters, { result }) {
        pollBodies.push(parameters)
        if (pollBodies.length === 2) halt.abort()
        return result.parse(pollBodies.length === 1 ? [updateOf(3, 'the first of the new ones')] : [])
      },
      async close() {},
    }
    const cursor = { offset: 9_001, movedMs: clock.elapsed() - 7 * 86_400_000 }
    const intake = { async takeAll() {}, async takeOnce() {} }
    await poll({ api, intake, cursor, dependencies, onAnswer() {} }, halt.signal)
    expect(pollBodies).toMatchObject([{ timeout: 25 }, { offset: 4 }])
    expect(pollBodies[0]).not.toHaveProperty('offset')
  })
})

describe('closing', () => {
  it('ends the poll under way and asks no more', async () => {
    await connected()
    await expect.poll(() => polls().length).toBe(1)
    await channel.transport.close()
    await channel.transport.lost
    await expect.poll(() => server.of('getUpdates')[0]?.isAborted).toBe(true)
    expect(polls()).toHaveLength(1)
  })

  it('says nothing of a message that is not taken any more: it comes again', async () => {
    const commit = Promise.withResolvers<void>()
    await connected({ take: () => commit.promise })
    server.push(updateOf(1, 'one'))
    await expect.poll(() => channel.tried.length).toBe(1)
    await channel.transport.close()
    commit.reject(rowRefused())
    await channel.transport.lost
    expect(channel.lines).toEqual([])
    expect(server.held).toBe(1)
  })

  it('ends the wait for the database', async () => {
    await connected({
      take: () => {
        throw new DatabaseDown('away')
      },
    })
    server.push(updateOf(1, 'one'))
    await expect.poll(() => channel.tried.length).toBe(1)
    await channel.transport.close()
    await channel.transport.lost
    await clock.advance(60_000)
    expect(channel.tried).toHaveLength(1)
  })
})
