import { afterAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../../runtime/time/clock.ts'
import { quickjsSandbox } from '../../../tools/code/quickjs.ts'
import { watchLoop } from '../../support/loop-gap.ts'

const sandbox = quickjsSandbox({ clock: systemClock, threads: 2 })

async function run(code: string, { stdin = '', timeoutMs = 5_000, signal = new AbortController().signal } = {}) {
  const loop = watchLoop()
  try {
    return await sandbox.run({ language: 'javascript', code, stdin, timeoutMs }, signal)
  } finally {
    loop.expectFree()
  }
}

afterAll(() => sandbox.close?.())

describe('what a program gives back', () => {
  test.for([
    ['the value of its last expression', '[1, 2, 3].map((n) => n * 2)', { value: '[2,4,6]' }],
    ['text as it is', '"a" + "b"', { value: 'ab' }],
    ['what a promise came to', 'async function main() { return 7 }\nmain()', { value: '7' }],
    ['no value where there is none', 'let a = 1', {}],
    [
      'what it logs',
      'console.log("a", { b: [1, 2n] }, undefined)',
      { stdout: { text: 'a {\n  "b": [\n    1,\n    "2n"\n  ]\n} undefined\n' } },
    ],
    ['its errors apart from its output', 'console.error("e")', { stderr: { text: 'e\n' } }],
    [
      'what it waits for outside a function',
      'const a = await Promise.resolve(3); console.log(a)',
      { stdout: { text: '3\n' } },
    ],
    ['its stdin', 'stdin.length', { value: '5' }],
    ['what goes in a circle by its kind', 'const a = {}; a.a = a; a', { value: '[object Object]' }],
  ] as const)('%s', async ([, code, expected]) => {
    const result = await run(code, { stdin: 'input' })
    expect(result).toMatchObject({ end: 'exited', exitCode: 0, ...expected })
    if (!('value' in expected)) expect(result.value).toBeUndefined()
  })

  test('an error that is thrown, or that a promise was refused with, is told with its place', async () => {
    for (const code of ['\nnull.x', 'async function main() { null.x }\nmain()']) {
      const { exitCode, stderr } = await run(code)
      expect([exitCode, stderr.text]).toEqual([1, expect.stringMatching(/TypeError: .*\n.*program\.js:\d/)])
    }
  })
})

test('there is nothing of the host', async () => {
  const names = ['process', 'require', 'fetch', 'setTimeout', 'WebAssembly', 'Buffer', 'std', 'os', 'Worker', 'module']
  const { value } = await run(`${JSON.stringify(names)}.filter((name) => name in globalThis)`)
  expect(value).toBe('[]')
  const reached = await run('console.log.constructor("return typeof process + typeof require")()')
  expect(reached.value).toBe('undefinedundefined')
})

test.for(['import fs from "node:fs"', 'await import("node:fs")', 'import("https://example.com/x.js")'])(
  'modules are refused: %s',
  async (code) => {
    expect(await run(code)).toMatchObject({ exitCode: 1, stderr: { text: expect.stringContaining('no modules here') } })
  },
)

test('nothing of one program is there for the next', async () => {
  await run('globalThis.kept = 1; Array.prototype.map = null; JSON.stringify = null')
  expect((await run('[typeof kept, typeof [].map]')).value).toBe('["undefined","function"]')
})

describe('what takes without end is ended, and the next program runs', () => {
  test.for([
    ['a loop', 'for (;;);'],
    ['promises', 'function again() { return Promise.resolve().then(again) }\nagain()'],
    ['a regular expression', '/^(a+)+$/.test("a".repeat(60) + "b")'],
    ['output', 'for (;;) console.log("x".repeat(1000))'],
    ['what is shown', 'Error.prototype.toString = () => { for (;;); }\nnew Error("x")'],
  ] as const)('%s', async ([, code]) => {
    const { end, stdout } = await run(code, { timeoutMs: 250 })
    expect(end).toBe('timed_out')
    expect(stdout.text.length).toBeLessThanOrEqual(65_536)
    expect((await run('1')).value).toBe('1')
  })

  test.for([
    ['memory in blocks', 'const a = []; for (;;) a.push(new Uint8Array(100000))'],
    ['memory in one piece', 'new Uint8Array(1e9)'],
  ] as const)('%s', async ([, code]) => {
    expect(await run(code)).toMatchObject({ end: 'memory_limit', exitCode: 1 })
    expect((await run('1')).value).toBe('1')
  })

  test.for([
    ['recursion', '(function f() { return f() + 1 })()'],
    ['brackets', 'eval("[".repeat(1e6))'],
    ['nested JSON', 'JSON.parse("[".repeat(1e6))'],
  ] as const)('%s', async ([, code]) => {
    expect(await run(code)).toMatchObject({ exitCode: 1, stderr: { text: expect.stringContaining('stack') } })
    expect((await run('1')).value).toBe('1')
  })
})

test('output past its bound is dropped and counted', async () => {
  const { stdout } = await run('for (let i = 0; i < 100; i++) console.log("é".repeat(1000))')
  expect(Buffer.byteLength(stdout.text) + stdout.droppedBytes).toBe(100 * 2_001)
  expect(Buffer.byteLength(stdout.text)).toBeLessThanOrEqual(65_536)
})

test('a turn that is cancelled ends the program at once', async () => {
  const abort = new AbortController()
  const result = run('for (;;);', { signal: abort.signal })
  setTimeout(() => abort.abort(new Error('cancelled')), 50)
  await expect(result).rejects.toThrow('cancelled')
})
