/** What becomes of the updates that a poll brings, against a scripted bot API. */
import { describe, expect, it } from 'vitest'
import { BacklogFull } from '../../../../actors/queue/backlog-full.ts'
import { BatchClosed, BatchFull } from '../../../../runtime/batcher.ts'
import { DatabaseDown } from '../../../../store/errors.ts'
import { updateOf } from './support/bot-server.ts'
import {
  channel,
  connected,
  contents,
  inTime,
  pollingForEachTest,
  polls,
  rowRefused,
  server,
} from './support/polling.ts'

pollingForEachTest()

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
  it('is retried while the database is away, and those behind it wait', async () => {
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
    const warnings = channel.lines.filter((line) => line.msg.startsWith('messages cannot be taken'))
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).not.toHaveProperty('err') // no stack
    expect(channel.lines.some((line) => line.msg.includes('skipped'))).toBe(false)
  })

  it.each([
    new BacklogFull(1),
    new BatchFull(1),
    new BatchClosed(),
    Object.assign(new Error('disk full'), { code: '53100' }),
    Object.assign(new Error('conflict'), { code: '40001' }),
  ])('is retried for as long as it takes: $code', async (error) => {
    let attempts = 0
    await connected({
      take: () => {
        if (++attempts <= 8) throw error
      },
    })
    server.push(updateOf(1, 'one'))
    await inTime(() => channel.taken.length === 1, 5_000)
  })

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
    const warnings = channel.lines.filter((line) => line.msg === 'an update cannot be read and is skipped')
    expect(warnings).toHaveLength(2)
    expect(JSON.stringify(warnings)).not.toContain('private words')
  })
})
