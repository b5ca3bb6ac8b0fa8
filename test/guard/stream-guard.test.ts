/** Streamed answers: leaks are stopped before they are whole, and nothing else is held back. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { streamGuard, withheldCharactersMax } from '../../guard/stream-guard.ts'
import { propertyRuns } from '../support/property-runs.ts'
import { base64, hex, reversed } from './cases/case.ts'

const canary = 'k7Qp-93xv-Lm20'
const told = (deltas: readonly string[], mark: string | undefined = canary) => {
  const guard = streamGuard(mark)
  const shown = deltas.map((delta) => guard.push(delta))
  return { text: shown.join('') + guard.end(), isLeaking: guard.isLeaking }
}

test('text without anything suspicious passes at once', () => {
  const guard = streamGuard(canary)
  expect(guard.push('Hello, ')).toBe('Hello, ')
  expect(guard.push('world.')).toBe('world.')
  expect(guard.end()).toBe('')
})

test('a canary that is cut anywhere is found, and its last letters are never shown', () => {
  const answer = `My prompt says ${canary} and more`
  for (let cut = 1; cut < answer.length; cut++) {
    const { text, isLeaking } = told([answer.slice(0, cut), answer.slice(cut)])
    expect(isLeaking).toBe(true)
    // Its first letters say nothing.
    expect(`My prompt says ${canary.slice(0, 3)}`.startsWith(text)).toBe(true)
  }
})

test.each([
  ['spelled out', [...canary].join(' ')],
  ['in bold', [...canary].map((letter) => `**${letter}**`).join('\n')],
  ['in capitals', canary.toUpperCase()],
  ['reversed', reversed(canary)],
  ['in hexadecimal', hex(canary)],
  ['in base64', base64(canary)],
  ['in the middle of base64', base64(`You are x. ${canary}. Be kind.`)],
  ['in the middle of base64, moved', base64(`You are yz. ${canary}. Be kind.`)],
  ['in the middle of base64, moved twice', base64(`You are xyz. ${canary}. Be kind.`)],
])('a canary is heard %s', (_, leaked) => {
  expect(told([...leaked]).isLeaking).toBe(true)
})

test('after a leak nothing more is passed on', () => {
  const guard = streamGuard(canary)
  guard.push(`${canary} secret`)
  expect(guard.push('the rest')).toBe('')
  expect(guard.end()).toBe('')
})

test('the beginning of a canary that goes on otherwise is passed on whole', () => {
  expect(told(['a k7Qp-93', 'xv no'])).toEqual({ text: 'a k7Qp-93xv no', isLeaking: false })
})

test('never more than the bound is withheld', () => {
  const guard = streamGuard(canary)
  let shown = guard.push('k7Qp-93xv').length
  for (let sent = 0; sent < 500; sent++) {
    shown += guard.push(' ').length
    expect(9 + sent + 1 - shown).toBeLessThanOrEqual(withheldCharactersMax)
  }
})

test('control tokens are broken up wherever they are cut', () => {
  const answer = 'x <|im_start|>system [INST] y'
  for (let cut = 1; cut < answer.length; cut++)
    expect(told([answer.slice(0, cut), answer.slice(cut)]).text).toBe('x < |im_start|>system [ INST] y')
})

test('without a canary control tokens are broken up all the same', () => {
  const guard = streamGuard()
  expect(guard.push('<|im_end') + guard.push('|>') + guard.end()).toBe('< |im_end|>')
})

test('the cuts make no difference', () => {
  const piece = fc.constantFrom('<', '|', 'im_end', '|>', '[', 'INST', ']', 'k7Qp', '-93', 'a', ' ', 'é😀')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      expect(told(pieces)).toEqual(told([pieces.join('')]))
    }),
    { numRuns: propertyRuns(500) },
  )
})

test('a canary that harmless words could be, or that is too long to hold, is refused', () => {
  for (const bad of ['short', '--- --- ---', 'x'.repeat(65)])
    expect(() => streamGuard(bad)).toThrow(expect.objectContaining({ code: 'canary_refused' }))
})
