/** Decides which sandbox runs what, from the settings and what the host has; says how strong each is. */
import type { Settings } from '../../config/settings.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { type BubblewrapAbilities, probeBubblewrap } from './bubblewrap.ts'
import { findInSystem, findOnPath, hostInterpreters, languageOf } from './programs.ts'
import type { SandboxName } from './sandbox.ts'

export type Strength = 'strong' | 'middling' | 'weak'

export interface SandboxPlan {
  name: SandboxName
  /** Language to interpreter; the interpreter of quickjs is itself. */
  interpreters: ReadonlyMap<string, string>
  strength: Strength
  /** What a program can still do, in words. */
  notContained: readonly string[]
  /** Of the engine or of bubblewrap. */
  program?: string
  abilities?: BubblewrapAbilities
}

export interface Plan {
  sandboxes: readonly SandboxPlan[]
  /** What was asked for and cannot be had, in words. */
  problems: readonly string[]
}

type CodeSettings = Pick<Settings, 'get'>

const imagePrograms: Readonly<Record<string, string>> = {
  python: 'python3',
  javascript: 'node',
  bash: 'bash',
  sh: 'sh',
}

const quickjs: SandboxPlan = {
  name: 'quickjs',
  interpreters: new Map([['javascript', 'quickjs']]),
  strength: 'strong',
  notContained: ['it shares the process of the service: a fault of the WebAssembly engine would be a way out'],
}

export async function planSandboxes(
  settings: CodeSettings,
  host: { path: string; clock: Clock; signal: AbortSignal },
): Promise<Plan> {
  const chosen =
    settings.get('SERVICE_CODE_EXEC_SANDBOX_IMAGE') !== ''
      ? planContainer(settings, host.path)
      : await planHost(settings, host)
  const hasJavascript = chosen.sandboxes.some(({ interpreters }) => interpreters.has('javascript'))
  return hasJavascript ? chosen : { ...chosen, sandboxes: [...chosen.sandboxes, quickjs] }
}

/** Where an image is set, the host is never a way out: without an engine nothing runs in its place. */
function planContainer(settings: CodeSettings, path: string): Plan {
  const engine = findOnPath('docker', path) ?? findOnPath('podman', path)
  if (engine === undefined) {
    const problem = 'SERVICE_CODE_EXEC_SANDBOX_IMAGE is set, but neither docker nor podman is on the PATH'
    return { sandboxes: [], problems: [problem] }
  }
  const configured = Object.entries(settings.get('SERVICE_CODE_EXEC_INTERPRETERS'))
  const programs = configured.length > 0 ? configured : Object.entries(imagePrograms)
  const container: SandboxPlan = {
    name: 'container',
    interpreters: new Map(programs.map(([language, program]) => [languageOf(language), program])),
    strength: 'strong',
    notContained: [
      'it shares the kernel of the host',
      'folders that its image declares as volumes are writable, without a bound',
    ],
    program: engine,
  }
  return { sandboxes: [container], problems: [] }
}

async function planHost(
  settings: CodeSettings,
  { path, clock, signal }: { path: string; clock: Clock; signal: AbortSignal },
): Promise<Plan> {
  if (!settings.get('SERVICE_CODE_EXEC_ALLOW_HOST')) return { sandboxes: [], problems: [] }
  const { found: interpreters, problems } = hostInterpreters(settings.get('SERVICE_CODE_EXEC_INTERPRETERS'))
  if (findInSystem('prlimit') === undefined) {
    return {
      sandboxes: [],
      problems: [...problems, 'prlimit (util-linux) is missing: code on this host has no bounds'],
    }
  }
  const isRoot = process.getuid?.() === 0
  if (isRoot && findInSystem('setpriv') === undefined) {
    return { sandboxes: [], problems: [...problems, 'the service runs as root and setpriv (util-linux) is missing'] }
  }
  const bwrap = findOnPath('bwrap', path)
  const probed = bwrap === undefined ? undefined : await probeBubblewrap(bwrap, clock, signal)
  if (bwrap !== undefined && probed !== undefined) {
    const wrapped = { ...bubblewrapPlan(interpreters, probed), program: bwrap, abilities: probed }
    return { sandboxes: [wrapped], problems }
  }
  const why = bwrap === undefined ? 'bubblewrap (bwrap) is missing' : 'bubblewrap does not work here'
  // The setting closes every way out that a model can choose; a plain child has the host's network.
  if (settings.get('SERVICE_AIRGAPPED')) {
    const refused = `${why}, and under SERVICE_AIRGAPPED no code runs as a plain child, which has the network of the host`
    return { sandboxes: [], problems: [...problems, refused] }
  }
  return { sandboxes: [plainPlan(interpreters, isRoot)], problems: [...problems, `${why}: code runs as a plain child`] }
}

function bubblewrapPlan(interpreters: ReadonlyMap<string, string>, { isFiltered }: BubblewrapAbilities): SandboxPlan {
  return {
    name: 'bubblewrap',
    interpreters,
    strength: 'middling',
    notContained: [
      isFiltered
        ? 'it shares the kernel of the host, of whose calls the dangerous ones that are known are refused'
        : 'it shares the kernel of the host, whose calls are not filtered',
      'it can read what lies under /usr',
      'memory of all its processes is looked at ten times a second, not bounded by the kernel',
    ],
  }
}

function plainPlan(interpreters: ReadonlyMap<string, string>, isDropped: boolean): SandboxPlan {
  const asOther = ['it can read files that everybody may read, and write to folders that everybody may write to']
  const asService = [
    'it runs as the user of the service: it can read and change the files, environment and memory of the service',
    'a process that leaves its session and wipes its environment outlives the run',
  ]
  return {
    name: 'plain',
    interpreters,
    strength: 'weak',
    notContained: [
      'it has the network of the host, this service and its database among it',
      ...(isDropped ? asOther : asService),
      'it sees the processes of the host',
      'the number and sum of its files are not bounded, only the size of each; shared memory that it leaves stays taken',
      'memory of all its processes is looked at ten times a second, not bounded by the kernel',
    ],
  }
}
