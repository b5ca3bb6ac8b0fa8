/** Runs one program in a sandbox and looks at the event loop meanwhile. */
import { expect } from 'vitest'
import type { RunResult, Sandbox } from '../../../../tools/code/sandbox.ts'
import { watchLoop } from './loop-gap.ts'

export const gapMsMax = 100

export async function runIn(
  sandbox: Sandbox,
  code: string,
  { language = 'python', stdin = '', timeoutMs = 5_000, signal = new AbortController().signal } = {},
): Promise<RunResult> {
  const loop = watchLoop()
  try {
    return await sandbox.run({ language, code, stdin, timeoutMs }, signal)
  } finally {
    expect(loop.stop(), 'longest gap of the event loop').toBeLessThan(gapMsMax)
  }
}
