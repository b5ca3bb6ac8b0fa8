/**
 * Runs programs as plain children of the service: limited and cleaned up, but on the host, with its network and all files
 * that the user may read. For hosts that have no better sandbox, where the operator has allowed it.
 */
import { randomUUID } from 'node:crypto'
import { chown, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SandboxFailed } from './errors.ts'
import { findInSystem } from './find-program.ts'
import { killAllOfUser, killAllWithVariable } from './leftovers.ts'
import { defaultLimits, type ProcessLimits, prlimitArguments } from './limits.ts'
import { processesOfUser, processesWithVariable } from './proc.ts'
import { removeFolder } from './remove-folder.ts'
import { type ChildHooks, runChild } from './run-child.ts'
import { pickRunUser, type RunUser } from './run-user.ts'
import type { ProcessJob, ProcessResult, ProcessSandbox, SandboxOptions } from './sandbox.ts'
import { killGroup, preferForOomKill } from './signals.ts'

export interface PlainOptions extends SandboxOptions {
  /** Where the folders of runs are made. Default: the system's folder for temporary files. */
  folder?: string
}

/** Marks the processes of a run, so that one that left its group and its session is found. */
const runVariable = 'SANDBOX_RUN'

/** @throws from `run`: SandboxFailed `sandbox_failed`, `refused` */
export function plainSandbox(options: PlainOptions): ProcessSandbox {
  return { kind: 'plain', run: (job, signal) => runPlain(options, job, signal) }
}

async function runPlain(options: PlainOptions, job: ProcessJob, signal: AbortSignal): Promise<ProcessResult> {
  const { limits = defaultLimits, clock, log } = options
  const prlimit = findInSystem('prlimit')
  if (prlimit === undefined) throw new SandboxFailed('sandbox_failed', 'prlimit (util-linux) is missing')
  const user = pickRunUser(limits.processesMax)
  const folder = await mkdtemp(join(options.folder ?? tmpdir(), 'code-'))
  try {
    const program = join(folder, 'program')
    await writeFile(program, job.program, { mode: 0o444 })
    if (user.number !== undefined) await chown(folder, user.number, user.number)
    const runId = randomUUID()
    const command = [
      ...noNewPrivileges(user),
      ...[prlimit, ...prlimitArguments(limits, user.processesMax), '--'],
      ...[job.file, ...job.arguments, program],
    ]
    const [file = prlimit, ...words] = command
    return await runChild(
      {
        file,
        arguments: words,
        environment: {
          PATH: '/usr/local/bin:/usr/bin:/bin',
          LANG: 'C.UTF-8',
          HOME: folder,
          TMPDIR: folder,
          [runVariable]: runId,
        },
        folder,
        stdin: job.stdin,
        timeoutMs: job.timeoutMs,
      },
      hooksFor(user, runId, limits),
      { limits, signal, clock },
    )
  } finally {
    await removeFolder(folder, log)
  }
}

function noNewPrivileges(user: RunUser): string[] {
  const [setpriv, ...words] = user.commandPrefix
  if (setpriv !== undefined) return [setpriv, '--no-new-privs', '--bounding-set=-all', ...words]
  const program = findInSystem('setpriv')
  return program === undefined ? [] : [program, '--no-new-privs', '--']
}

/** A dropped user has no other processes than those of the run; otherwise they are found by the variable. */
function hooksFor({ number, commandPrefix }: RunUser, runId: string, limits: ProcessLimits): ChildHooks {
  return {
    onStart: preferForOomKill,
    measured: () => (number === undefined ? processesWithVariable(runVariable, runId) : processesOfUser(number)),
    kill: killGroup,
    cleanUp(pid) {
      killGroup(pid)
      return number === undefined
        ? killAllWithVariable(runVariable, runId, limits.endMs)
        : killAllOfUser(number, commandPrefix, limits.endMs)
    },
  }
}
