import { afterAll, describe, expect, test } from 'vitest'
import { tokenCounter } from '../../models/tokens.ts'

const tokens = tokenCounter({})
afterAll(() => tokens.close())

describe('counting tokens', () => {
  test('agrees with the published vocabulary', async () => {
    // o200k_base: "hello world" is two tokens, "antidisestablishmentarianism" six.
    expect(await tokens.count(['hello world', 'antidisestablishmentarianism', ''])).toEqual([2, 6, 0])
  })

  test('takes special tokens for the text they are', async () => {
    const [count = 0] = await tokens.count(['<|endoftext|>'])
    expect(count).toBeGreaterThan(1)
  })

  test('a text of megabytes is judged by samples, near the truth and in time', async () => {
    const sentence = 'The quick brown fox jumps over the lazy dog. '
    const [one = 0] = await tokens.count([sentence.repeat(100)])
    const [many = 0] = await tokens.count([sentence.repeat(100_000)])
    expect(many / (one * 1_000)).toBeGreaterThan(0.97)
    expect(many / (one * 1_000)).toBeLessThan(1.03)
  })

  test('a word of a megabyte does not hold it up', async () => {
    const [count = 0] = await tokens.count(['x'.repeat(1_000_000)])
    expect(count).toBeGreaterThan(1_000)
  })

  test('counts that come at once share tasks, and each gets its own', async () => {
    const words = Array.from({ length: 40 }, (_, at) => 'hello world '.repeat(at + 1).trim())
    const large = 'hello world '.repeat(60_000).trim()
    const counts = await Promise.all([...words, large, ...words].map((text) => tokens.count([text, '', text])))
    const expected = words.map((_, at) => [2 * (at + 1), 0, 2 * (at + 1)])
    expect(counts.slice(0, 40)).toEqual(expected)
    expect(counts.slice(41)).toEqual(expected)
    expect(counts[40]?.[0]).toBeGreaterThan(110_000)
  })

  test('past so many that wait, a count is estimated at once', async () => {
    const waiting = Array.from({ length: 513 }, () => tokens.count(['hello world']))
    expect(await tokens.count(['twelve chars'])).toEqual([3])
    expect(new Set((await Promise.all(waiting)).flat())).toEqual(new Set([2]))
  })

  test('after its end it counts by rule of thumb rather than fail', async () => {
    const closed = tokenCounter({})
    await closed.close()
    expect(await closed.count(['twelve chars', '汉字'])).toEqual([3, 2])
  })
})
