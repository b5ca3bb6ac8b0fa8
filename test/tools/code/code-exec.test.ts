import { afterEach, expect, test } from 'vitest'
import { codeExec } from '../../../tools/code-exec.ts'
import type { Tool } from '../../../tools/tool.ts'
import { call, type TestWorld, testWorld } from './support/world.ts'

const opened: Tool[] = []

function open(environment: Record<string, string> = {}): { tool: Tool; world: TestWorld } {
  const world = testWorld({ SERVICE_CODE_EXEC: '1', ...environment })
  const tool = codeExec(world)
  if (tool === undefined) throw new Error('the tool is off')
  opened.push(tool)
  return { tool, world }
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((tool) => tool.close?.()))
})

test('the tool is off unless it is switched on', () => {
  expect(codeExec(testWorld())).toBeUndefined()
  expect(open().tool).toMatchObject({ name: 'code_exec', risk: 'host', idempotency: 'once', timeoutMs: 30_000 })
})

test('a program’s value, output, end and time are told, and by what it ran', async () => {
  const { tool, world } = open()
  const text = await call(tool, { language: 'JS', code: 'console.log("a"); console.error("b"); 1 + 1' }, { world })
  expect(text).toMatch(
    /^exit code 0 after \d+ ms \(quickjs\)\n\nvalue of the last expression:\n2\n\nstdout:\na\n\n\nstderr:\nb\n$/,
  )
})

test('what was dropped is told with its size', async () => {
  const { tool, world } = open()
  const text = await call(
    tool,
    { language: 'javascript', code: 'console.log("x".repeat(60000), "y".repeat(60000))' },
    { world },
  )
  expect(text).toMatch(/\[\d+ more bytes of stdout were dropped\]/)
})

test('other languages are refused in words where nothing allows them', async () => {
  const { tool, world } = open()
  await expect(call(tool, { language: 'python', code: 'print(1)' }, { world })).rejects.toMatchObject({
    name: 'ToolFailed',
    code: 'language_refused',
    message: '"python" is not run here: this service runs javascript',
  })
})

test('which sandbox runs what is logged at the first run, and each run without its code', async () => {
  const { tool, world } = open()
  await call(tool, { language: 'javascript', code: '"not logged"' }, { world })
  expect(world.lines).toMatchObject([
    { msg: expect.stringContaining('without entries in the audit log') },
    { msg: 'code may run', sandbox: 'quickjs', strength: 'strong' },
    { msg: 'code has run', sandbox: 'quickjs', language: 'javascript', end: 'exited', exitCode: 0 },
  ])
  expect(JSON.stringify(world.lines)).not.toContain('not logged')
})

test('what is too long is a problem of the arguments', () => {
  const { tool } = open()
  expect(tool.prepare({ language: 'javascript', code: 'x'.repeat(200_001) })).toHaveProperty('problem')
  expect(tool.prepare({ language: 'javascript', code: 'x', stdin: 'x'.repeat(1_000_001) })).toHaveProperty('problem')
  expect(tool.prepare({ language: 'javascript', code: '' })).toHaveProperty('problem')
})

test('closing ends what runs', async () => {
  const { tool, world } = open()
  const result = call(tool, { language: 'javascript', code: 'for (;;);' }, { world })
  const ended = expect(result).rejects.toMatchObject({ code: 'closing' })
  await tool.close?.()
  await ended
})
