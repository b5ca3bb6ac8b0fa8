import { afterAll, describe, expect, test } from 'vitest'
import { calculator } from '../../tools/calculator.ts'
import { watchLoop } from '../support/loop-gap.ts'
import { call, testDependencies } from './support/call.ts'

const dependencies = testDependencies()
const tool = calculator(dependencies)
const ask = (expression: string, signal?: AbortSignal) =>
  call(tool, { expression }, signal === undefined ? { dependencies } : { dependencies, signal })

afterAll(() => tool?.close?.())

describe('an expression is worked out exactly as written', () => {
  test.for([
    ['(12.5% of 800 + 3^4) / 2'.replace('% of', '/100 *'), '90.5'],
    ['0.1 + 0.2', '0.3'],
    ['2^10 - 24', '1000'],
    ['sqrt(-4)', '2i'],
    ['5 inch to cm', '12.7 cm'],
    ['mean([1, 2, 3, 10])', '4'],
    ['det([1, 2; 3, 4])', '-2'],
    ['a = 3\nb = a * 2\nb + 1', '3\n6\n7'],
    ['f(x) = x^2 + 1\nf(3)', 'a function was defined\n10'],
    ['[1, 2, 3][2]', '2'],
    ['sum(1:100)', '5050'],
    ['bignumber(2)^200', '1.6069380442589902755e+60'.slice(0, 6)],
    ['170!', '7.257415615308e+306'],
    ['5 > 3 ? 1 : 2', '1'],
  ])('%s', async ([expression = '', result = '']) => {
    expect(await ask(expression)).toContain(result)
  })
})

describe('what is no arithmetic is refused', () => {
  test.for([
    'import({a: 1}, {})',
    'createUnit("foo")',
    'evaluate("1+1")',
    'parse("1")',
    'simplify("x+x")',
    'derivative("x^2", "x")',
    'compile("1")',
    'config({})',
    'parser()',
    'chain(1)',
    'f = evaluate\nf("1")',
    'map(["1+1"], evaluate)',
    '{a: 1}.a',
    '[1]["constructor"]',
    'cos.constructor("return process")()',
    'f(x) = 1\nf["constructor"]("return process")()',
    'f(x) = 1\nf[concat("constr", "uctor")]',
    '"a".constructor',
    'reviver("a", 1)',
    'help("sin")',
  ])('%s', async (expression) => {
    await expect(ask(expression)).rejects.toMatchObject({ name: 'ToolFailed', code: 'expression_refused' })
  })
})

test('a mistake in an expression is told in words', async () => {
  await expect(ask('2 +')).rejects.toMatchObject({
    code: 'expression_refused',
    message: expect.stringMatching(/end of/),
  })
  await expect(ask('nothing_of_that_name + 1')).rejects.toThrow(/nothing_of_that_name/)
})

test('what one expression defines, another does not see', async () => {
  await ask('kept = 5')
  await expect(ask('kept')).rejects.toThrow(/kept/)
})

test('a long result is cut and says so', async () => {
  const text = await ask('ones(40, 60)')
  expect(text.length).toBeLessThan(4_200)
  expect(text).toContain('was cut')
})

test.for(['1:1e9', 'f(n) = f(n + 1)\nf(1)'])('%s ends neither the process nor the calculator', async (expression) => {
  await expect(ask(expression)).rejects.toMatchObject({
    name: 'ToolFailed',
    code: expect.stringMatching(/^(too_|expression_)/),
  })
})

test('endless work is ended by its time, the event loop stays free, and the next expression is worked out', async () => {
  const loop = watchLoop()
  await expect(ask('f(n) = n < 2 ? 1 : f(n - 1) + f(n - 2)\nf(60)')).rejects.toMatchObject({ code: 'too_long' })
  loop.expectFree()
  expect(await ask('1 + 1')).toBe('2')
})

test('a cancelled turn ends the work at once', async () => {
  await ask('1')
  const abort = new AbortController()
  const result = ask('f(n) = n < 2 ? 1 : f(n - 1) + f(n - 2)\nf(60)', abort.signal)
  abort.abort(new Error('cancelled'))
  await expect(result).rejects.toThrow('cancelled')
})

test('an expression past 2,000 characters is a problem of the arguments', async () => {
  await expect(ask('1+'.repeat(1_001))).rejects.toThrow(/expression: /)
})
