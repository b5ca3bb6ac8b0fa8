import { afterAll, describe, expect, test } from 'vitest'
import { fairShare, fitToWindow, type WindowInput } from '../../../../actors/agent/context/window.ts'
import type { ChatMessage } from '../../../../models/transport.ts'
import { assistant, calling, countingTokens, exchanges, result, user, words } from './support.ts'

const { tokens, counted, close } = countingTokens()
afterAll(close)

const windowOf = (messages: ChatMessage[], limitTokens: number, other: Partial<WindowInput> = {}) =>
  fitToWindow({ messages, summary: null, systemTokens: 0, limitTokens, tokens, ...other })

const begins = (messages: readonly ChatMessage[]) =>
  messages.map(({ content, role, tool_call_id: id }) =>
    typeof content === 'string' ? content.split(' ').slice(0, 2).join(' ') : `${role}${id ?? ''}`,
  )

const total = async (messages: readonly ChatMessage[]) => (await tokens.count(messages)).reduce((sum, n) => sum + n, 0)

describe('a conversation that has room', () => {
  test('goes to the model unchanged, and is not counted if it surely fits', async () => {
    const messages = [...exchanges(5), user('now')]
    const before = counted.length
    const window = await windowOf(messages, 100_000)
    expect(window).toMatchObject({ messages, dropped: [], cut: 0, isOver: false })
    expect(counted.length).toBe(before)
    expect(window.tokens).toBeGreaterThanOrEqual(await total(messages))
  })

  test('goes to the model complete, to the last token', async () => {
    const messages = [...exchanges(5), user('now')]
    const exactly = (await total(messages)) + 3
    expect((await windowOf(messages, exactly)).dropped).toEqual([])
    expect((await windowOf(messages, exactly - 1)).dropped).not.toEqual([])
  })
})

describe('a conversation that has outgrown its window', () => {
  test('loses its oldest messages and keeps the newest, within the limit', async () => {
    const messages = [...exchanges(20), user('now')]
    const window = await windowOf(messages, 600)
    expect(window.messages).toEqual(messages.slice(-window.messages.length))
    expect([...window.dropped, ...window.messages]).toEqual(messages)
    expect(window.tokens).toBe(await total(window.messages))
    expect(window.tokens).toBeLessThanOrEqual(600)
    expect(window.messages.length).toBe(11)
  })

  test('does not begin with an answer whose question is missing', async () => {
    const messages = [...exchanges(20), user('now')]
    for (const limit of [550, 600, 650, 700]) expect((await windowOf(messages, limit)).messages[0]?.role).toBe('user')
  })

  test('leaves room for system prompt and tools', async () => {
    const messages = [...exchanges(20), user('now')]
    expect(await windowOf(messages, 1_000, { systemTokens: 400 })).toEqual(await windowOf(messages, 600))
  })

  test('gets a quarter of the window when the system prompt takes all of it', async () => {
    const messages = [...exchanges(20), user('now')]
    const window = await windowOf(messages, 1_000, { systemTokens: 5_000 })
    expect(window.tokens).toBeLessThanOrEqual(250)
    expect(window.messages.length).toBeGreaterThan(1)
  })

  test('is not counted where it is too old', async () => {
    const messages = [...exchanges(400, 20), user('now')]
    const before = counted.length
    await windowOf(messages, 600)
    expect(counted.length - before).toBeLessThan(100)
  })

  test('a call of tools and its results stay or go together, at every limit', async () => {
    const messages = [
      ...[user('first'), calling('a', 'b'), result('a', words(60)), result('b', words(60)), assistant('so')],
      ...[user('second'), calling('c'), result('c', words(90)), assistant('done'), user('third')],
    ]
    for (let limit = 20; limit <= 420; limit += 20) {
      const { messages: told } = await windowOf(messages, limit)
      const calls = told.flatMap((message) => (message['tool_calls'] as { id: string }[] | undefined) ?? [])
      const results = told.flatMap((message) => message['tool_call_id'] ?? [])
      expect(results).toEqual(calls.map(({ id }) => id))
    }
  })

  test('results whose calls were dropped are dropped too', async () => {
    const messages = [result('old'), result('older'), user('now')]
    expect(await windowOf(messages, 100_000)).toMatchObject({ messages: [user('now')], dropped: messages.slice(0, 2) })
  })

  test('keeps all that the turn answers, and its newest tool results, though steps between are dropped', async () => {
    const messages = [
      ...exchanges(5),
      ...[user('one thing'), user('another thing')],
      ...Array.from({ length: 10 }, (_, at) => [calling(`c${at}`), result(`c${at}`, words(80))]).flat(),
    ]
    const { messages: told, dropped } = await windowOf(messages, 450)
    expect(begins(told).slice(0, 2)).toEqual(['one thing', 'another thing'])
    expect(told.slice(2)).toEqual(messages.slice(-(told.length - 2)))
    expect(told.length).toBeGreaterThan(4)
    expect(dropped).toContain(messages[12])
  })

  test('keeps instructions that stand among the messages', async () => {
    const rule: ChatMessage = { role: 'system', content: 'a rule' }
    const { messages: told } = await windowOf([rule, ...exchanges(20), user('now')], 400)
    expect(told[0]).toBe(rule)
    expect(told[1]?.role).toBe('user')
  })
})

describe('a message larger than the window', () => {
  test('is cut in the middle, with a note, and fits', async () => {
    const window = await windowOf([...exchanges(3), user(`begin ${words(5_000)} end`)], 1_000)
    expect(window.messages).toHaveLength(1)
    expect(window.messages[0]?.content).toMatch(
      /^begin hello[\s\S]*characters are left out here: too long[\s\S]*hello end$/,
    )
    expect(window).toMatchObject({ cut: 1, isOver: false })
    expect(window.tokens).toBeLessThanOrEqual(1_000)
    expect(window.tokens).toBeGreaterThan(800)
  })

  test('of several, small ones stay whole and large ones share what is left', async () => {
    const messages = [user(`a ${words(3_000)}`), user('small'), user(`b ${words(3_000)}`)]
    const window = await windowOf(messages, 1_000)
    expect(window).toMatchObject({ cut: 2, isOver: false })
    expect(window.messages[1]).toBe(messages[1])
    const [first = 0, , third = 0] = await tokens.count(window.messages)
    expect(Math.abs(first - third)).toBeLessThan(60)
    expect(window.tokens).toBeGreaterThan(800)
  })

  test('is cut in a copy', async () => {
    const long = user(words(5_000))
    await windowOf([long], 1_000)
    expect(long.content).toBe(words(5_000))
  })

  test('a large tool result is cut, its call is not', async () => {
    const window = await windowOf([user('look'), calling('a'), result('a', words(5_000))], 1_000)
    expect(window.messages.slice(0, 2)).toEqual([user('look'), calling('a')])
    expect(window.messages[2]).toMatchObject({ tool_call_id: 'a', content: expect.stringContaining('left out here') })
  })

  test('stays whole if it cannot be cut, and the window reports that it is exceeded', async () => {
    const picture = user([{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }])
    expect(await windowOf([picture], 1_000)).toMatchObject({ messages: [picture], cut: 0, isOver: true })
  })

  test.each([
    [[10, 20, 30], 60, Number.POSITIVE_INFINITY],
    [[10, 20, 30], 50, 20],
    [[100, 1, 100], 101, 50],
    [[5, 5], 0, 0],
    [[5, 5], -10, 0],
  ])('sizes %j in a room of %i are cut to %d', (counts, room, share) => expect(fairShare(counts, room)).toBe(share))
})

describe('a summary', () => {
  test('stands before the messages, in the name of a user, and is marked', async () => {
    const { messages } = await windowOf([user('now')], 1_000, { summary: 'They like tea.' })
    expect(messages).toEqual([
      user(
        '[Summary of the earlier part of this conversation, made by the service. It tells what was said and asks for nothing.]\nThey like tea.\n[End of the summary. The conversation goes on below.]',
      ),
      user('now'),
    ])
  })

  test('takes its part of the room', async () => {
    const messages = [...exchanges(20), user('now')]
    const window = await windowOf(messages, 600, { summary: words(150) })
    expect(window.tokens).toBe(await total(window.messages))
    expect(window.tokens).toBeLessThanOrEqual(600)
  })

  test('that is too long takes half of it at most', async () => {
    const { messages, tokens: used } = await windowOf([...exchanges(20), user('now')], 1_000, { summary: words(5_000) })
    expect(await total(messages.slice(0, 1))).toBeLessThanOrEqual(500)
    expect(messages[0]?.content).toMatch(/^\[Summary[\s\S]*left out here[\s\S]*goes on below\.\]$/)
    expect(messages.length).toBeGreaterThan(4)
    expect(used).toBeLessThanOrEqual(1_000)
  })
})
