/** The sandboxes of the service: chosen once, when the first code comes, and used until it closes. */
import { openSandbox } from '../../runtime/process/choose.ts'
import type { ToolDependencies } from '../tool.ts'
import { type PlannedSandbox, planSandboxes } from './plan.ts'
import { processSandbox } from './process-sandbox.ts'
import { quickjsSandbox } from './quickjs.ts'
import type { CodeSandbox } from './sandbox.ts'

export interface Sandboxes {
  /** @returns undefined where nothing runs the language */
  forLanguage(language: string): Promise<CodeSandbox | undefined>
  languages(): Promise<readonly string[]>
  close(): Promise<void>
}

export function openSandboxes(dependencies: ToolDependencies, options: { path: string; threads: number }): Sandboxes {
  const { settings, log, clock } = dependencies
  let opened: Promise<CodeSandbox[]> | undefined

  async function openAll(): Promise<CodeSandbox[]> {
    const plan = await planSandboxes(settings, options.path)
    for (const problem of plan.problems) log.warn({ problem }, 'a sandbox for code is not as good as it could be')
    return plan.sandboxes.map((planned) => {
      const { name, strength, languages, notContained } = planned
      log.info({ sandbox: name, strength, languages, notContained }, 'code may run')
      return open(planned)
    })
  }

  function open({ process }: PlannedSandbox): CodeSandbox {
    if (process === undefined) return quickjsSandbox({ ...dependencies, threads: options.threads })
    return processSandbox(openSandbox(process.choice, { clock, log }), process.interpreters)
  }

  /** A failed start is not remembered: the next call tries again. */
  function all(): Promise<CodeSandbox[]> {
    opened ??= openAll().catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }

  return {
    forLanguage: async (language) => (await all()).find(({ languages }) => languages.includes(language)),
    languages: async () => (await all()).flatMap(({ languages }) => languages),
    async close() {
      const sandboxes = await opened?.catch(() => [])
      await Promise.all((sandboxes ?? []).map((sandbox) => sandbox.close?.()))
    },
  }
}
