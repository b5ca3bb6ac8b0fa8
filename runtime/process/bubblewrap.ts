/** Runs programs in namespaces made by bubblewrap: without network, with the system's files only, seeing their own processes only. */
import { lstatSync, readlinkSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../time/clock.ts'
import { callFilter } from './call-filter.ts'
import { SandboxFailed } from './errors.ts'
import { findInSystem } from './find-program.ts'
import { defaultLimits, type ProcessLimits, prlimitArguments } from './limits.ts'
import { isAlive, processTree } from './proc.ts'
import { type ChildHooks, runChild } from './run-child.ts'
import { pickRunUser, type RunUser } from './run-user.ts'
import type { ProcessJob, ProcessResult, ProcessSandbox, SandboxOptions } from './sandbox.ts'
import { killGroup, preferForOomKill, sendSignal } from './signals.ts'

/** What the kernel and this bubblewrap support. */
export interface BubblewrapAbilities {
  /** Whether this bubblewrap can forbid further user namespaces (0.8). */
  canForbidNamespaces: boolean
  /** Whether the kernel accepts our filter of system calls. */
  isFiltered: boolean
}

export interface BubblewrapOptions extends SandboxOptions, BubblewrapAbilities {
  /** Path of bubblewrap. */
  bwrap: string
}

const programFile = '/run/program'
const systemPaths = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
const devices = ['/dev/null', '/dev/zero', '/dev/full', '/dev/random', '/dev/urandom']

/** @throws from `run`: SandboxFailed `sandbox_failed`, `refused` */
export function bubblewrapSandbox(options: BubblewrapOptions): ProcessSandbox {
  return { kind: 'bubblewrap', run: (job, signal) => runWrapped(options, job, signal) }
}

const filter = callFilter()

/** The strongest first. */
const abilitiesToTry: readonly BubblewrapAbilities[] = (filter === undefined ? [false] : [true, false]).flatMap(
  (isFiltered) => [true, false].map((canForbidNamespaces) => ({ isFiltered, canForbidNamespaces })),
)

/**
 * Runs a small program: that bubblewrap is installed does not mean that the kernel allows it.
 * @returns undefined where it does not work
 */
export async function probeBubblewrap(
  bwrap: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<BubblewrapAbilities | undefined> {
  const shell = findInSystem('sh')
  if (shell === undefined) return undefined
  const job: ProcessJob = { file: shell, arguments: [], program: 'echo "$$ works"', stdin: '', timeoutMs: 5_000 }
  for (const abilities of abilitiesToTry) {
    const sandbox = bubblewrapSandbox({ bwrap, ...abilities, clock })
    const result = await sandbox.run(job, signal).catch((error: unknown) => {
      // Not allowed here, or an older bubblewrap: the next abilities are tried.
      if (error instanceof SandboxFailed) return undefined
      throw error
    })
    if (result?.exitCode === 0 && result.stdout.text.endsWith(' works\n')) return abilities
  }
  return undefined
}

async function runWrapped(options: BubblewrapOptions, job: ProcessJob, signal: AbortSignal): Promise<ProcessResult> {
  const { limits = defaultLimits, clock } = options
  const prlimit = findInSystem('prlimit')
  if (prlimit === undefined) throw new SandboxFailed('sandbox_failed', 'prlimit (util-linux) is missing')
  const user = pickRunUser(limits.processesMax)
  const command = [
    ...user.commandPrefix,
    options.bwrap,
    ...namespaceArguments(options.canForbidNamespaces),
    ...fileArguments(job.file, limits),
    ...(options.isFiltered ? ['--seccomp', '5'] : []),
    ...['--json-status-fd', '4', '--chdir', '/tmp', '--'],
    ...[prlimit, ...prlimitArguments(limits, user.processesMax), '--'],
    ...[job.file, ...job.arguments, programFile],
  ]
  const [file = options.bwrap, ...words] = command
  const progress: Progress = { hasRun: false }
  const result = await runChild(
    {
      file,
      arguments: words,
      environment: { PATH: '/usr/bin:/bin' },
      folder: '/',
      stdin: job.stdin,
      program: job.program,
      timeoutMs: job.timeoutMs,
      callFilter: options.isFiltered ? filter : undefined,
    },
    hooksFor(progress, user, limits),
    { limits, signal, clock },
  )
  if (result.end === 'exited' && !progress.hasRun && result.signal === null) {
    options.log?.warn({ sandbox: 'bubblewrap', stderr: result.stderr.text.slice(0, 500) }, 'a sandbox did not start')
    throw new SandboxFailed('sandbox_failed', 'the sandbox did not start')
  }
  return result
}

/** What bubblewrap has reported of a run. */
interface Progress {
  /** The first process of the namespace. */
  firstPid?: number
  hasRun: boolean
}

function hooksFor(progress: Progress, user: RunUser, limits: ProcessLimits): ChildHooks {
  return {
    onStart: preferForOomKill,
    onStatus(text) {
      const pid = /"child-pid": (\d+)/.exec(text)?.[1]
      if (pid !== undefined) progress.firstPid = Number(pid)
      // Written only when the program has run.
      if (text.includes('"exit-code"')) progress.hasRun = true
    },
    measured: processTree,
    kill: killGroup,
    async cleanUp(pid) {
      killGroup(pid)
      const { firstPid } = progress
      if (firstPid === undefined) return
      // All processes of the namespace end with its first one, which ends last.
      if (isAlive(firstPid)) sendSignal(firstPid, 'SIGKILL')
      for (let waitedMs = 0; waitedMs < limits.endMs; waitedMs += 5) {
        if (!isAlive(firstPid)) return
        await wait(5)
      }
      throw new SandboxFailed('sandbox_failed', `processes of user ${user.number ?? 'the service'} could not be ended`)
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

/** Each folder in memory has a size limit. The /dev that bubblewrap makes has none, so it is built here. */
function fileArguments(executable: string, limits: ProcessLimits): string[] {
  const isOutside = !['/usr/', ...systemPaths.map((path) => `${path}/`)].some((path) => executable.startsWith(path))
  return [
    ...['--ro-bind', '/usr', '/usr', ...systemPaths.flatMap(systemPathArguments)],
    ...['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime'].flatMap((path) => ['--ro-bind-try', path, path]),
    ...(isOutside ? ['--ro-bind', executable, executable] : []),
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

/** On most systems these are links into /usr; on older ones folders. */
function systemPathArguments(path: string): string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return []
  return stats.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
}
