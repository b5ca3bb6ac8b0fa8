import { afterAll, describe, expect, test } from 'vitest'
import { cutMessage } from '../../../../actors/agent/context/cut-message.ts'
import { cutResult } from '../../../../actors/agent/context/cut-result.ts'
import { cutMiddle } from '../../../../actors/agent/context/cut-text.ts'
import { countingTokens, user, words } from './support.ts'

const { tokens, close } = countingTokens()
afterAll(close)

describe('a text that is cut', () => {
  const note = () => '[…]'

  test('does not change when it fits', () => expect(cutMiddle('12345', 5, 0.5, note)).toBe('12345'))

  test('keeps head and tail, and is within the limit', () => {
    expect(cutMiddle('0123456789', 9, 0.5, note)).toBe('012[…]789')
    expect(cutMiddle('0123456789', 7, 1, note)).toBe('0123[…]')
  })

  test('is only the beginning where the note has no room', () => {
    expect(cutMiddle('0123456789', 3, 0.5, note)).toBe('012')
    expect(cutMiddle('0123456789', 0, 0.5, note)).toBe('')
  })

  test('at any length is well formed and within the limit, and the note is correct', () => {
    const text = '😀a漢ё'.repeat(20)
    for (let max = 0; max <= text.length + 1; max++) {
      let gap = { from: 0, to: 0, length: 0 }
      const cut = cutMiddle(text, max, 0.6, (named) => {
        gap = named
        return '[…]'
      })
      expect(cut.length).toBeLessThanOrEqual(max)
      expect(cut.isWellFormed()).toBe(true)
      if (cut.includes('[…]')) expect(cut).toBe(`${text.slice(0, gap.from)}[…]${text.slice(gap.to)}`)
    }
  })
})

describe('a result that is cut', () => {
  const text = Array.from({ length: 1_000 }, (_, at) => `line ${at}`).join('\n')

  test('says how much is missing and how to read it', () => {
    const cut = cutResult(text, 1_000, 'call_7')
    const [, missing, whole, callId, offset] =
      /\n\[(\d+) of (\d+) characters are left out here\. The tool read_result with call_id "(.+)" and offset (\d+) reads them\.\]\n/.exec(
        cut,
      ) ?? []
    expect([whole, callId]).toEqual([String(text.length), 'call_7'])
    expect(cut.length).toBeLessThanOrEqual(1_000)
    expect(cut.length).toBeGreaterThan(980)
    const from = Number(offset)
    expect(cut.startsWith(text.slice(0, from))).toBe(true)
    expect(cut.endsWith(text.slice(from + Number(missing)))).toBe(true)
    // More of the beginning than of the end.
    expect(from).toBeGreaterThan(text.length - from - Number(missing))
  })

  test('is complete when it fits', () => expect(cutResult(text, text.length, 'call_7')).toBe(text))
})

describe('a message that is cut', () => {
  test.each([
    ['Latin', words(5_000)],
    ['Cyrillic', words(5_000, 'здравствуйте')],
    ['Chinese', '汉字'.repeat(3_000)],
    ['dense at its beginning', `${'汉字'.repeat(1_500)}${words(4_000)}`],
    ['one word', 'x'.repeat(20_000)],
  ])('has as many tokens as it may, and not many fewer: %s', async (_, text) => {
    const cut = await cutMessage(user(text), 500, tokens)
    const [count = 0] = await tokens.count([cut])
    expect(count).toBeLessThanOrEqual(500)
    expect(count).toBeGreaterThan(300)
    expect(cut.content).toMatch(/characters are left out here: too long/)
  })

  test('keeps its picture and cuts its text', async () => {
    const picture = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
    const cut = await cutMessage(user([picture, { type: 'text', text: words(5_000) }]), 2_000, tokens)
    const [count = 0] = await tokens.count([cut])
    expect(cut.content).toEqual([picture, { type: 'text', text: expect.stringContaining('left out here') }])
    expect(count).toBeLessThanOrEqual(2_000)
    expect(count).toBeGreaterThan(1_850)
  })

  test('is itself when it fits', async () => {
    const message = user('short')
    expect(await cutMessage(message, 100, tokens)).toBe(message)
  })
})
