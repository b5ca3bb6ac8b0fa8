/** Messages by long polling, against a scripted bot API. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { BotApi } from '../../../../src/actors/channel/adapters/chatapp/api.ts'
import { poll } from '../../../../src/actors/channel/adapters/chatapp/polling.ts'
import { seededRandom } from '../../../../src/runtime/random.ts'
import { DatabaseDown } from '../../../../src/store/errors.ts'
import { recordingLog } from '../../../support/recording-log.ts'
import { type VirtualClock, virtualClock } from '../../../support/virtual-clock.ts'
import { type BotServer, botServer, hang, refuse, updateOf } from './support/bot-server.ts'
import { type OpenChannel, type OpenOptions, openChannel } from './support/open-channel.ts'

let server: BotServer
let channel: OpenChannel
let clock: VirtualClock

beforeEach(async () => {
  server = await botServer()
  clock = virtualClock()
})
afterEach(async () => {
  await channel.transport.close()
  await server.close()
})

async function connected(options: OpenOptions = {}): Promise<void> {
  channel = openChannel(server.url, { clock, ...options })
  await channel.connect()
}

/** Lets time pass, a little at each look, until the condition holds. */
async function inTime(condition: () => boolean, stepMs = 200): Promise<void> {
  await expect
    .poll(
      async () => {
        await clock.advance(stepMs)
        return condition()
      },
      { timeout: 10_000 },
    )
    .toBe(true)
}

const polls = () => server.of('getUpdates').map((call) => call.body)
const contents = () => channel.taken.map((message) => message.content)
const rowRefused = () => Object.assign(new Error('invalid input'), { code: '22021' })

describe('connecting', () => {
  it('asks who it is, takes a webhook away that others left, keeps what waits, and polls', async () => {
    await connected()
    await expect.poll(() => server.calls.map((call) => call.method)).toEqual(['getMe', 'deleteWebhook', 'getUpdates'])
    expect(server.of('deleteWebhook')[0]?.body).toEqual({ drop_pending_updates: false })
    expect(polls()).toEqual([{ timeout: 25, limit: 100, allowed_updates: ['message'] }])
  })

  it('fails with what the bot API says of the token', async () => {
    channel = openChannel(server.url, { secrets: { bot_token: '1:another-token-of-nobody' } })
    await expect(channel.connect()).rejects.toThrow('the bot API refused getMe (404): Not Found')
    expect(polls()).toEqual([])
  })

  it('fails where there is no bot API', async () => {
    channel = openChannel('http://127.0.0.1:1')
    await expect(channel.connect()).rejects.toThrow('getMe did not get through to the bot API: ECONNREFUSED')
  })
})

describe('taking messages', () => {
  it('takes a message with its chat, its number, its sender and where the answer goes', async () => {
    await connected()
    server.push(updateOf(7, '/start now', { message_id: 5, chat: { id: -99, title: 'Crew' } }))
    await expect
      .poll(() => channel.taken)
      .toEqual([
        {
          externalId: '-99',
          messageId: '-99:5',
          content: '/start now',
          senderName: 'Ada Example',
          replyTo: { chat_id: -99, message_id: 5 },
        },
      ])
  })

  it('acknowledges updates with the next poll, and only once all before them are committed', async () => {
    const first = Promise.withResolvers<void>()
    await connected({ take: ({ content }) => (content === 'one' ? first.promise : undefined) })
    server.push(updateOf(10, 'one'), updateOf(11, 'two', { chat: { id: 43 } }))
    await expect.poll(contents).toEqual(['two'])
    expect(polls()).toHaveLength(1)
    expect(server.held).toBe(2)
    first.resolve()
    await expect.poll(() => server.held).toBe(0)
    expect(polls()[1]).toMatchObject({ offset: 12 })
    expect(contents()).toEqual(['two', 'one'])
  })

  it('keeps the order within a chat', async () => {
    const first = Promise.withResolvers<void>()
    await connected({ take: ({ content }) => (content === 'one' ? first.promise : undefined) })
    server.push(updateOf(1, 'one'), updateOf(2, 'two'), updateOf(3, 'three'))
    await expect.poll(() => channel.tried.length).toBe(1)
    first.resolve()
    await expect.poll(contents).toEqual(['one', 'two', 'three'])
  })

  it('takes more than one poll holds, in order', async () => {
    const texts = Array.from({ length: 250 }, (_, at) => `text ${at}`)
    server.push(...texts.map((text, at) => updateOf(500 + at, text)))
    await connected()
    await expect.poll(contents).toEqual(texts)
    await expect.poll(() => polls().map(({ offset }) => offset)).toEqual([undefined, 600, 700, 750])
  })

  it('gets what was not acknowledged again from a connection that is opened anew', async () => {
    await connected({ take: () => new Promise(() => {}) })
    server.push(updateOf(10, 'one'))
    await expect.poll(() => channel.tried.length).toBe(1)
    await channel.transport.close()
    await connected()
    await expect.poll(contents).toEqual(['one'])
  })

  it('ignores edited messages, messages of bots, and those that only say that somebody came', async () => {
    await connected()
    const { message, ...rest } = updateOf(1, 'edited') as { message: object }
    server.push(
      { ...rest, edited_message: message },
      updateOf(2, 'beep', { from: { id: 5, is_bot: true, first_name: 'Bot' } }),
      updateOf(3, '', { text: undefined, new_chat_members: [{ id: 5 }] }),
      updateOf(4, 'a person'),
    )
    await expect.poll(contents).toEqual(['a person'])
    await expect.poll(() => server.held).toBe(0)
  })

  it.each([
    [{ photo: [{ file_id: 'x' }], caption: 'look' }, 'look\n[photo]'],
    [{ photo: [{ file_id: 'x' }] }, '[photo]'],
    [{ document: { file_name: 'plan.pdf', mime_type: 'application/pdf' } }, '[document: plan.pdf (application/pdf)]'],
    [{ document: { file_name: 'a\n\nb' }, caption: 'read' }, 'read\n[document: a b]'],
    [{ document: {} }, '[document]'],
    [{ animation: { file_name: 'cat.mp4' }, document: { file_name: 'cat.mp4' } }, '[animation: cat.mp4]'],
    [{ video: { mime_type: 'video/mp4' } }, '[video (video/mp4)]'],
    [{ audio: { file_name: 'song.mp3' } }, '[audio: song.mp3]'],
    [{ voice: {} }, '[voice message]'],
    [{ video_note: {} }, '[video message]'],
    [{ sticker: { emoji: '👍' } }, '[sticker 👍]'],
    [{ location: { latitude: 1, longitude: 2 } }, '[location]'],
    [{ contact: { phone_number: '1' } }, '[contact]'],
  ])('names what came with a message: %j', async (message, content) => {
    await connected()
    server.push(updateOf(1, '', { text: undefined, ...message }))
    await expect.poll(contents).toEqual([content])
  })

  it.each([
    [{ from: { first_name: 'Ada' } }, 'Ada'],
    [{ from: { username: 'ada' } }, 'ada'],
    [{ from: undefined, chat: { id: 1, title: 'News' } }, 'News'],
    [{ from: undefined }, null],
    [{ from: { first_name: `A\n${'b'.repeat(500)}` } }, `A ${'b'.repeat(198)}`],
  ])('names the sender: %#', async (message, name) => {
    await connected()
    server.push(updateOf(1, 'hello', message))
    await expect.poll(() => channel.taken.map(({ senderName }) => senderName)).toEqual([name])
  })
})

describe('a message that is not taken', () => {
  it('is tried again while the database is away, and those behind it wait', async () => {
    let isAway = true
    await connected({
      take: () => {
        if (isAway) throw new DatabaseDown('ECONNREFUSED')
      },
    })
    server.push(updateOf(1, 'one'), updateOf(2, 'two'))
    await inTime(() => channel.tried.length >= 8, 2_000)
    expect(channel.tried.every(({ content }) => content === 'one')).toBe(true)
    expect(polls()).toHaveLength(1)
    isAway = false
    await inTime(() => channel.taken.length === 2, 5_000)
    expect(contents()).toEqual(['one', 'two'])
    const told = channel.lines.filter((line) => line.msg.startsWith('messages cannot be taken'))
    expect(told).toHaveLength(1)
    expect(channel.lines.some((line) => line.msg.includes('skipped'))).toBe(false)
  })

  it.each(['backlog_full', 'batch_full', 'batch_closed', '53100', '40001'])(
    'is tried again for as long as it takes: %s',
    async (code) => {
      let tries = 0
      await connected({
        take: () => {
          if (++tries <= 8) throw Object.assign(new Error('not now'), { code })
        },
      })
      server.push(updateOf(1, 'one'))
      await inTime(() => channel.taken.length === 1, 5_000)
    },
  )

  it('is skipped and logged where the database refuses the message itself', async () => {
    await connected({
      take: ({ content }) => {
        if (content === 'poison') throw rowRefused()
      },
    })
    server.push(updateOf(1, 'poison', { message_id: 77 }), updateOf(2, 'two'))
    await expect.poll(contents).toEqual(['two'])
    await expect.poll(() => server.held).toBe(0)
    expect(channel.tried).toHaveLength(2)
    expect(channel.lines.find((line) => line.level === 50)).toMatchObject({
      msg: 'a message cannot be taken and is skipped',
      message: '42:77',
    })
  })

  it('is skipped after five tries where nobody knows what the failure means', async () => {
    await connected({
      take: ({ content }) => {
        if (content === 'strange') throw new TypeError('undefined is not a function')
      },
    })
    server.push(updateOf(1, 'strange'), updateOf(2, 'two'))
    await inTime(() => channel.taken.length === 1)
    expect(channel.tried.map(({ content }) => content)).toEqual([...Array(5).fill('strange'), 'two'])
  })

  it('is skipped where it cannot be read, without a word of it in the log', async () => {
    await connected()
    server.push(
      { update_id: 1, message: { text: 'private words', chat: 'nowhere' } },
      'private words',
      updateOf(2, 'two'),
    )
    await expect.poll(contents).toEqual(['two'])
    await expect.poll(() => server.of('getUpdates').at(-1)?.body.offset).toBe(3)
    const told = channel.lines.filter((line) => line.msg === 'an update cannot be read and is skipped')
    expect(told).toHaveLength(2)
    expect(JSON.stringify(told)).not.toContain('private words')
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
    expect(channel.lines.filter((line) => line.msg.startsWith('updates cannot be asked for'))).toHaveLength(3)
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
    await expect.poll(() => channel.lines[0]?.['err']).toMatchObject({ message: 'no answer to getUpdates in 40 s' })
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
    await inTimeConnected()
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
    channel = openChannel(server.url, { clock })
    const asked: object[] = []
    const halt = new AbortController()
    const world = { clock, random: seededRandom(1), log: recordingLog().log }
    const api: BotApi = {
      origin: '',
      async call(_method, parameters, { result }) {
        asked.push(parameters)
        if (asked.length === 2) halt.abort()
        return result.parse(asked.length === 1 ? [updateOf(3, 'the first of the new ones')] : [])
      },
      async close() {},
    }
    const cursor = { offset: 9_001, movedMs: clock.elapsed() - 7 * 86_400_000 }
    const intake = { async takeAll() {}, async takeOnce() {} }
    await poll({ api, intake, cursor, world, onAnswer() {} }, halt.signal)
    expect(asked).toMatchObject([{ timeout: 25 }, { offset: 4 }])
    expect(asked[0]).not.toHaveProperty('offset')
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

async function inTimeConnected(): Promise<void> {
  let isConnected = false
  channel.connect().then(() => {
    isConnected = true
  })
  await inTime(() => isConnected)
}
