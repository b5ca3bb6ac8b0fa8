/** What is read out of a model's words, whatever they are: the steps of a plan, and the number that a judge names. */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chosenNumber } from '../../../../actors/agent/strategies/best-of-n.ts'
import { stepsOf } from '../../../../actors/agent/strategies/plan.ts'
import { processorMs } from '../../../support/processor-ms.ts'

const step = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).filter((text) => text.trim() !== '')
const prose = fc.string({ maxLength: 60, unit: 'grapheme' }).map((text) => text.replaceAll(/[[\]]/g, ''))

test('a JSON array is found wherever it stands in a text', () => {
  fc.assert(
    fc.property(prose, fc.array(step, { minLength: 1, maxLength: 8 }), prose, (before, steps, after) => {
      const read = stepsOf(`${before}${JSON.stringify(steps, null, 2)}${after}`)
      expect(read).toEqual(steps.map((each) => each.trim()))
    }),
  )
})

test('any text is read to steps that are not blank, and none of them is made up', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 400 }), (text) => {
      for (const each of stepsOf(text)) expect([each.trim(), each !== '']).toEqual([each, true])
    }),
  )
})

test.each([
  ['lines with numbers, ends of lines of both kinds', '1. one\r\n2) two\n\n10. ten', ['one', 'two', 'ten']],
  ['lines with marks', '- one\n  * two\n• three', ['one', 'two', 'three']],
  ['boxes to tick, which look like an empty array', '- [ ] one', ['[ ] one']],
  ['an array with other things in it', '["one", 2, null, "", "  two "]', ['one', 'two']],
  ['a fenced block', '```json\n["one"]\n```', ['one']],
  ['brackets that are no JSON', 'See [1] and [2]:\n1. one', ['one']],
  ['an empty array', '[]', []],
  ['prose', 'I would just answer.', []],
  ['numbers without a space', '3.14 is pi', []],
])('%s', (_, text, steps) => {
  expect(stepsOf(text)).toEqual(steps)
})

test('a text of nothing but brackets is read in no time', async () => {
  const spentMs = await processorMs(() => {
    expect(stepsOf('['.repeat(200_000))).toEqual([])
    expect(stepsOf(`${'['.repeat(200_000)}]`)).toEqual([])
    expect(stepsOf(`1. ${' '.repeat(200_000)}`)).toEqual([])
  })
  expect(spentMs).toBeLessThan(1_000)
})

test('whatever a judge says, a candidate is chosen that there is, or none', () => {
  fc.assert(
    fc.property(fc.string(), fc.uniqueArray(fc.integer({ min: 1, max: 32 }), { minLength: 1 }), (text, numbers) => {
      const candidates = numbers.map((number) => ({ number }))
      const number = chosenNumber(text, candidates)
      expect(number === undefined || numbers.includes(number)).toBe(true)
    }),
  )
})

test('a number alone is the choice, in whatever marks it stands', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 32 }),
      fc.constantFrom('%', '**%**', 'Candidate %.', '"%"', '99: %'),
      (number, form) => {
        const candidates = Array.from({ length: 32 }, (_, at) => ({ number: at + 1 }))
        expect(chosenNumber(form.replace('%', String(number)), candidates)).toBe(number)
      },
    ),
  )
})
