/** Runs one program in a sandbox and watches the event loop meanwhile. */
import { findInSystem } from '../../../../runtime/process/find-program.ts'
import type { ProcessResult, ProcessSandbox } from '../../../../runtime/process/sandbox.ts'
import { watchLoop } from '../../../support/loop-gap.ts'

const programs = { python: 'python3', sh: 'sh', bash: 'bash' }

interface RunOptions {
  language?: keyof typeof programs
  /** In place of the interpreter of the language. */
  file?: string
  stdin?: string
  timeoutMs?: number
  signal?: AbortSignal
}

export async function runIn(
  sandbox: ProcessSandbox,
  program: string,
  { language = 'python', file, stdin = '', timeoutMs = 5_000, signal = new AbortController().signal }: RunOptions = {},
): Promise<ProcessResult> {
  const interpreter = file ?? findInSystem(programs[language])
  if (interpreter === undefined) throw new Error(`${language} is needed to test this`)
  const options = interpreter.includes('python') ? ['-u', '-B'] : []
  const loop = watchLoop()
  try {
    return await sandbox.run({ file: interpreter, arguments: options, program, stdin, timeoutMs }, signal)
  } finally {
    loop.expectFree()
  }
}
