/** Decides by the settings, and by what the host has, which sandbox runs which languages. */
import type { Settings } from '../../config/settings.ts'
import { chooseContainer, chooseOnHost, type SandboxChoice, type Strength } from '../../runtime/process/choose.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { hostInterpreters, languageOf } from './interpreters.ts'
import type { SandboxName } from './sandbox.ts'

export interface PlannedSandbox {
  name: SandboxName
  languages: readonly string[]
  strength: Strength
  /** What a program can still do; a sentence each. */
  notContained: readonly string[]
  /** Undefined: QuickJS on our own threads. */
  process: { choice: SandboxChoice; interpreters: ReadonlyMap<string, string> } | undefined
}

export interface SandboxPlan {
  sandboxes: readonly PlannedSandbox[]
  /** What the settings ask for and cannot be had; a sentence each. */
  problems: readonly string[]
}

type CodeSettings = Pick<Settings, 'get'>

/** For running something to see whether it works. */
const probeMs = 10_000

const imagePrograms: Readonly<Record<string, string>> = {
  python: 'python3',
  javascript: 'node',
  bash: 'bash',
  sh: 'sh',
}

const quickjs: PlannedSandbox = {
  name: 'quickjs',
  languages: ['javascript'],
  strength: 'strong',
  notContained: ['it shares the process of the service: a fault of the WebAssembly engine would be a way out'],
  process: undefined,
}

/**
 * Probes what it plans: a sandbox that is named has run something.
 * @param path where container engines and bubblewrap are looked for
 */
export async function planSandboxes(settings: CodeSettings, path: string): Promise<SandboxPlan> {
  const image = settings.get('SERVICE_CODE_EXEC_SANDBOX_IMAGE')
  const plan = image === '' ? await planHost(settings, path) : planContainer(settings, image, path)
  const hasJavascript = plan.sandboxes.some(({ languages }) => languages.includes('javascript'))
  return hasJavascript ? plan : { ...plan, sandboxes: [...plan.sandboxes, quickjs] }
}

/** Where an image is set, the host is never a substitute: without an engine nothing runs in its place. */
function planContainer(settings: CodeSettings, image: string, path: string): SandboxPlan {
  const choice = chooseContainer(image, path)
  if (choice === undefined) {
    const problem = 'SERVICE_CODE_EXEC_SANDBOX_IMAGE is set, but neither docker nor podman is on the PATH'
    return { sandboxes: [], problems: [problem] }
  }
  const configured = Object.entries(settings.get('SERVICE_CODE_EXEC_INTERPRETERS'))
  const programs = configured.length > 0 ? configured : Object.entries(imagePrograms)
  const interpreters = new Map(programs.map(([language, program]) => [languageOf(language), program]))
  return { sandboxes: [planned(choice, interpreters)], problems: [] }
}

async function planHost(settings: CodeSettings, path: string): Promise<SandboxPlan> {
  if (!settings.get('SERVICE_CODE_EXEC_ALLOW_HOST')) return { sandboxes: [], problems: [] }
  const { byLanguage, problems } = hostInterpreters(settings.get('SERVICE_CODE_EXEC_INTERPRETERS'))
  const host = { path, clock: systemClock, signal: AbortSignal.timeout(probeMs) }
  const { sandbox, problem } = await chooseOnHost(host)
  if (sandbox === undefined) return { sandboxes: [], problems: [...problems, ...(problem ? [problem] : [])] }
  if (sandbox.kind !== 'plain') return { sandboxes: [planned(sandbox, byLanguage)], problems }
  // The setting closes every way out that a model can choose; a plain child has the host's network.
  if (settings.get('SERVICE_AIRGAPPED')) {
    const refused = `${problem}, and under SERVICE_AIRGAPPED no code runs as a plain child, which has the network of the host`
    return { sandboxes: [], problems: [...problems, refused] }
  }
  return {
    sandboxes: [planned(sandbox, byLanguage)],
    problems: [...problems, `${problem}: code runs as a plain child`],
  }
}

function planned(choice: SandboxChoice, interpreters: ReadonlyMap<string, string>): PlannedSandbox {
  const { kind, strength, notContained } = choice
  return { name: kind, languages: [...interpreters.keys()], strength, notContained, process: { choice, interpreters } }
}
