/** The sandboxes of a service: chosen once, when the first code comes, and held until it closes. */
import type { ToolDependencies } from '../tool.ts'
import { type BubblewrapAbilities, bubblewrapSandbox } from './bubblewrap.ts'
import { containerSandbox } from './container.ts'
import { plainSandbox } from './plain-child.ts'
import { planSandboxes, type SandboxPlan } from './plan.ts'
import { quickjsSandbox } from './quickjs.ts'
import type { Sandbox } from './sandbox.ts'

export interface Sandboxes {
  /** @returns undefined where nothing runs the language */
  forLanguage(language: string): Promise<Sandbox | undefined>
  languages(): Promise<readonly string[]>
  close(): Promise<void>
}

const probeMs = 10_000
const noAbilities: BubblewrapAbilities = { canForbidNamespaces: false, isFiltered: false }

export function openSandboxes(dependencies: ToolDependencies, options: { path: string; threads: number }): Sandboxes {
  let opened: Promise<Sandbox[]> | undefined

  async function open(): Promise<Sandbox[]> {
    const host = { path: options.path, clock: dependencies.clock, signal: AbortSignal.timeout(probeMs) }
    const plan = await planSandboxes(dependencies.settings, host)
    for (const problem of plan.problems)
      dependencies.log.warn({ problem }, 'a sandbox for code is not what it could be')
    return plan.sandboxes.map((sandbox) => {
      const { name, strength, interpreters, notContained } = sandbox
      dependencies.log.info(
        { sandbox: name, strength, languages: [...interpreters.keys()], notContained },
        'code may run',
      )
      return make(sandbox)
    })
  }

  function make({ name, interpreters, program = '', abilities = noAbilities }: SandboxPlan): Sandbox {
    const { clock, log } = dependencies
    switch (name) {
      case 'container': {
        const image = dependencies.settings.get('SERVICE_CODE_EXEC_SANDBOX_IMAGE')
        return containerSandbox({ engine: program, image, interpreters, path: options.path, clock, log })
      }
      case 'bubblewrap':
        return bubblewrapSandbox({ bwrap: program, interpreters, ...abilities, clock, log })
      case 'plain':
        return plainSandbox({ interpreters, clock, log })
      case 'quickjs':
        return quickjsSandbox({ ...dependencies, size: options.threads })
      default:
        return name satisfies never
    }
  }

  /** A failed start is no answer for ever: the next call tries again. */
  function all(): Promise<Sandbox[]> {
    opened ??= open().catch((error: unknown) => {
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
