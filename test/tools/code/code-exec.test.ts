import { afterEach, expect, test } from 'vitest'
import { codeExec } from '../../../tools/code-exec.ts'
import type { Tool } from '../../../tools/tool.ts'
import { call, type TestDependencies, testDependencies } from '../support/call.ts'

const opened: Tool[] = []

function open(environment: Record<string, string> = {}): { tool: Tool; dependencies: TestDependencies } {
  const dependencies = testDependencies({ SERVICE_CODE_EXEC: '1', ...environment })
  const tool = codeExec(dependencies)
  if (tool === undefined) throw new Error('the tool is off')
  opened.push(tool)
  return { tool, dependencies }
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((tool) => tool.close?.()))
})

test('the tool is off unless it is switched on', () => {
  expect(codeExec(testDependencies())).toBeUndefined()
  expect(open().tool).toMatchObject({ name: 'code_exec', risk: 'host', idempotency: 'once', timeoutMs: 30_000 })
})

test('a program’s value, output, end and time are told, and by what it ran', async () => {
  const { tool, dependencies } = open()
  const text = await call(
    tool,
    { language: 'JS', code: 'console.log("a"); console.error("b"); 1 + 1' },
    { dependencies },
  )
  expect(text).toMatch(
    /^exit code 0 after \d+ ms \(quickjs\)\n\nvalue of the last expression:\n2\n\nstdout:\na\n\n\nstderr:\nb\n$/,
  )
})

test('what was dropped is told with its size', async () => {
  const { tool, dependencies } = open()
  const text = await call(
    tool,
    { language: 'javascript', code: 'console.log("x".repeat(60000), "y".repeat(60000))' },
    { dependencies },
  )
  expect(text).toMatch(/\[\d+ more bytes of stdout were dropped\]/)
})

test('other languages are refused in words where nothing allows them', async () => {
  const { tool, dependencies } = open()
  await expect(call(tool, { language: 'python', code: 'print(1)' }, { dependencies })).rejects.toMatchObject({
    name: 'ToolFailed',
    code: 'language_refused',
    message: '"python" is not run here: this service runs javascript',
  })
})

test('which sandbox runs what is logged at the first run, and each run without its code', async () => {
  const { tool, dependencies } = open()
  await call(tool, { language: 'javascript', code: '"not logged"' }, { dependencies })
  expect(dependencies.lines).toMatchObject([
    { msg: expect.stringContaining('without entries in the audit log') },
    { msg: 'code may run', sandbox: 'quickjs', strength: 'strong' },
    { msg: 'code has run', sandbox: 'quickjs', language: 'javascript', end: 'exited', exitCode: 0 },
  ])
  expect(JSON.stringify(dependencies.lines)).not.toContain('not logged')
})

test('what is too long is a problem of the arguments', () => {
  const { tool } = open()
  expect(tool.prepare({ language: 'javascript', code: 'x'.repeat(200_001) })).toHaveProperty('problem')
  expect(tool.prepare({ language: 'javascript', code: 'x', stdin: 'x'.repeat(1_000_001) })).toHaveProperty('problem')
  expect(tool.prepare({ language: 'javascript', code: '' })).toHaveProperty('problem')
})

test('closing ends what runs', async () => {
  const { tool, dependencies } = open()
  const result = call(tool, { language: 'javascript', code: 'for (;;);' }, { dependencies })
  const ended = expect(result).rejects.toMatchObject({ code: 'closing' })
  await tool.close?.()
  await ended
})
