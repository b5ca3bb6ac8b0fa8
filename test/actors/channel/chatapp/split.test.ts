/** Dividing long answers. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitText } from '../../../../actors/channel/adapters/chatapp/split.ts'

/** Text with what matters here: blank lines, line ends, spaces, pairs of surrogates, halves of them. */
const anyText = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
      fc.constantFrom('\n\n', '\n', ' ', '😀', '👩‍👩‍👧', '\ud83d', '\ude00', 'word'),
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join(''))

describe('splitting a text', () => {
  it('loses nothing, reorders nothing, and keeps to the limit', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 40 }), (text, lengthMax) => {
        const parts = splitText(text, lengthMax)
        expect(parts.join('')).toBe(text)
        for (const part of parts) {
          expect(part.length).toBeGreaterThan(0)
          expect(part.length).toBeLessThanOrEqual(lengthMax)
        }
      }),
    )
  })

  it('never cuts a pair of surrogates', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.integer({ min: 2, max: 9 }), (text, lengthMax) => {
        fc.pre(text.isWellFormed())
        for (const part of splitText(text, lengthMax)) expect(part.isWellFormed()).toBe(true)
      }),
    )
    expect(splitText('😀😀😀', 3)).toEqual(['😀', '😀', '😀'])
  })

  it('makes few parts: each but the last is a quarter full at least', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 8, max: 40 }), (text, lengthMax) => {
        for (const part of splitText(text, lengthMax).slice(0, -1))
          expect(part.length).toBeGreaterThanOrEqual(lengthMax / 4)
      }),
    )
  })

  it('leaves a text alone that fits', () => {
    expect(splitText('one\n\ntwo', 8)).toEqual(['one\n\ntwo'])
    expect(splitText('', 8)).toEqual([])
  })

  it('prefers the end of a paragraph to that of a line, and that to the end of a word', () => {
    expect(splitText('aaa\n\nbbb\nccc ddd', 13)).toEqual(['aaa\n\n', 'bbb\nccc ddd'])
    expect(splitText('aaaa\nbbb ccc', 10)).toEqual(['aaaa\n', 'bbb ccc'])
    expect(splitText('aaaa bbbb', 6)).toEqual(['aaaa ', 'bbbb'])
    expect(splitText('aaaabbbb', 6)).toEqual(['aaaabb', 'bb'])
  })

  it('does not make a message of a few words for the sake of a boundary near the beginning', () => {
    expect(splitText(`a b${'c'.repeat(20)}`, 16)).toEqual([`a b${'c'.repeat(13)}`, 'c'.repeat(7)])
  })
})
