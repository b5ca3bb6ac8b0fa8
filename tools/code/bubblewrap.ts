/** Runs programs in namespaces of their own by bubblewrap: no network, no files but the system's, no processes but theirs. */
import { lstatSync, readlinkSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { ToolFailed } from '../tool.ts'
import { callFilter } from './call-filter.ts'
import { type ChildCare, runChild } from './child-run.ts'
import { killGroup, preferForKilling, sendTo } from './kill.ts'
import { limits, prlimitArguments } from './limits.ts'
import { family, isAlive } from './processes.ts'
import { findInSystem, interpreterArguments } from './programs.ts'
import { type RunUser, runUser } from './run-user.ts'
import type { RunResult, Sandbox, SandboxJob } from './sandbox.ts'

export interface BubblewrapParts {
  bwrap: string
  interpreters: ReadonlyMap<string, string>
  /** Whether this bubblewrap knows how to forbid further user namespaces (0.8). */
  canForbidNamespaces: boolean
  /** Whether the kernel takes our filter of calls. */
  isFiltered: boolean
  clock: Clock
  log?: Log
}

/** What the kernel and this bubblewrap turned out to be able to do. */
export type BubblewrapAbilities = Pick<BubblewrapParts, 'canForbidNamespaces' | 'isFiltered'>

const programFile = '/run/program'
const systemPaths = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom']

export function bubblewrapSandbox(parts: BubblewrapParts): Sandbox {
  return {
    name: 'bubblewrap',
    languages: [...parts.interpreters.keys()],
    run: (job, signal) => runWrapped(parts, job, signal),
  }
}

const filter = callFilter()

/** The most first. */
const abilitiesToTry: readonly BubblewrapAbilities[] = (filter === undefined ? [false] : [true, false]).flatMap(
  (isFiltered) => [true, false].map((canForbidNamespaces) => ({ isFiltered, canForbidNamespaces })),
)

/**
 * Really runs something once: that the program is there says nothing of what the kernel allows.
 * @returns undefined where it does not work
 */
export async function probeBubblewrap(
  bwrap: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<BubblewrapAbilities | undefined> {
  const shell = findInSystem('sh')
  if (shell === undefined) return undefined
  for (const abilities of abilitiesToTry) {
    const sandbox = bubblewrapSandbox({ bwrap, interpreters: new Map([['sh', shell]]), ...abilities, clock })
    const job: SandboxJob = { language: 'sh', code: 'echo "$$ works"', stdin: '', timeoutMs: 5_000 }
    const result = await sandbox.run(job, signal).catch((error: unknown) => {
      // Not allowed here, or an older bubblewrap: that is what the probe is to find out.
      if (error instanceof ToolFailed) return undefined
      throw error
    })
    if (result?.exitCode === 0 && result.stdout.text.endsWith(' works\n')) return abilities
  }
  return undefined
}

async function runWrapped(parts: BubblewrapParts, job: SandboxJob, signal: AbortSignal): Promise<RunResult> {
  const interpreter = parts.interpreters.get(job.language)
  const prlimit = findInSystem('prlimit')
  if (interpreter === undefined || prlimit === undefined) {
    throw new ToolFailed('sandbox_failed', `nothing is here to run ${job.language} with`)
  }
  const user = runUser()
  const inside = [
    prlimit,
    ...prlimitArguments(user.processes),
    '--',
    interpreter,
    ...interpreterArguments(job.language),
  ]
  const [file = parts.bwrap, ...words] = [
    ...user.prefix,
    parts.bwrap,
    ...namespaceArguments(parts.canForbidNamespaces),
    ...fileArguments(interpreter),
    ...(parts.isFiltered ? ['--seccomp', '5'] : []),
    ...['--json-status-fd', '4', '--chdir', '/tmp', '--'],
    ...inside,
    programFile,
  ]
  const seen: { first?: number; hasRun: boolean } = { hasRun: false }
  const result = await runChild(
    {
      ...{ file, arguments: words, environment: { PATH: '/usr/bin:/bin' }, folder: '/' },
      ...{ stdin: job.stdin, program: job.code, timeoutMs: job.timeoutMs },
      ...(parts.isFiltered && { filter }),
    },
    careOf(seen, user),
    { signal, clock: parts.clock },
  )
  if (result.end === 'exited' && !seen.hasRun && result.signal === null) {
    parts.log?.warn({ sandbox: 'bubblewrap', stderr: result.stderr.text.slice(0, 500) }, 'a sandbox did not start')
    throw new ToolFailed('sandbox_failed', 'the sandbox did not start')
  }
  return result
}

function careOf(seen: { first?: number; hasRun: boolean }, user: RunUser): ChildCare {
  const killFirst = () => {
    if (seen.first !== undefined && isAlive(seen.first)) sendTo(seen.first, 'SIGKILL')
  }
  return {
    started: preferForKilling,
    status(text) {
      const first = /"child-pid": (\d+)/.exec(text)?.[1]
      if (first !== undefined) seen.first = Number(first)
      // Written only when what was to be run has run.
      if (text.includes('"exit-code"')) seen.hasRun = true
    },
    counted: (pid) => family(pid),
    kill: killGroup,
    async clear(pid) {
      killGroup(pid)
      // The first process of the namespace takes all others along, and is gone only when they are.
      killFirst()
      for (let waitedMs = 0; waitedMs < limits.endMs; waitedMs += 5) {
        if (seen.first === undefined || !isAlive(seen.first)) return
        await wait(5)
      }
      throw new ToolFailed('sandbox_failed', `processes of user ${user.dropped ?? 'the service'} could not be ended`)
    },
  }
}

function namespaceArguments(canForbidNamespaces: boolean): string[] {
  return [
    ...['--unshare-all', '--unshare-user', ...(canForbidNamespaces ? ['--disable-userns'] : [])],
    ...['--uid', '65534', '--gid', '65534', '--hostname', 'sandbox'],
    ...['--cap-drop', 'ALL', '--new-session', '--die-with-parent', '--clearenv'],
    ...['--setenv', 'PATH', '/usr/local/bin:/usr/bin:/bin', '--setenv', 'LANG', 'C.UTF-8', '--setenv', 'HOME', '/tmp'],
  ]
}

/** Folders in memory are bounded each; bubblewrap's own /dev would not be, so it is built by hand. */
function fileArguments(interpreter: string): string[] {
  const isOutside = !['/usr/', ...systemPaths.map((path) => `${path}/`)].some((path) => interpreter.startsWith(path))
  return [
    ...['--ro-bind', '/usr', '/usr', ...systemPaths.flatMap(systemPath)],
    ...['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime'].flatMap((path) => ['--ro-bind-try', path, path]),
    ...(isOutside ? ['--ro-bind', interpreter, interpreter] : []),
    ...['--proc', '/proc'],
    ...['--perms', '0755', '--size', '65536', '--tmpfs', '/dev'],
    ...devices.flatMap((path) => ['--dev-bind', path, path]),
    ...['--symlink', '/proc/self/fd', '/dev/fd', '--symlink', '/proc/self/fd/0', '/dev/stdin'],
    ...['--symlink', '/proc/self/fd/1', '/dev/stdout', '--symlink', '/proc/self/fd/2', '/dev/stderr'],
    ...['--perms', '1777', '--size', String(limits.sharedMemoryBytes), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--perms', '1777', '--size', String(limits.temporaryBytes), '--tmpfs', '/tmp'],
    ...['--dir', '/run', '--perms', '0444', '--file', '3', programFile, '--remount-ro', '/'],
  ]
}

/** Most systems have links into /usr here; older ones folders. */
function systemPath(path: string): string[] {
  const facts = lstatSync(path, { throwIfNoEntry: false })
  if (facts === undefined) return []
  return facts.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}
