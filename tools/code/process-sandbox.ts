/** Runs code in a sandboxed process: its language becomes an interpreter, and failures of the sandbox those of the tool. */
import { SandboxFailed } from '../../runtime/process/errors.ts'
import type { ProcessSandbox } from '../../runtime/process/sandbox.ts'
import { ToolFailed } from '../tool.ts'
import { interpreterArguments } from './interpreters.ts'
import type { CodeSandbox } from './sandbox.ts'

/** @param interpreters language to program, as `process` finds programs */
export function processSandbox(process: ProcessSandbox, interpreters: ReadonlyMap<string, string>): CodeSandbox {
  return {
    name: process.kind,
    languages: [...interpreters.keys()],
    async run({ language, code, stdin, timeoutMs }, signal) {
      const file = interpreters.get(language)
      if (file === undefined) throw new ToolFailed('sandbox_failed', `there is no interpreter here for ${language}`)
      const job = { file, arguments: interpreterArguments(language), program: code, stdin, timeoutMs }
      return await process.run(job, signal).catch((error: unknown) => {
        if (error instanceof SandboxFailed) throw new ToolFailed(error.code, error.message, { cause: error })
        throw error
      })
    },
  }
}
