/**
 * Runs programs as plain children of the service: bounded and cleared up, but on the host, with its network and whatever
 * files the user may read. For hosts that have no better sandbox and whose operator has said that it is allowed.
 */
import { randomUUID } from 'node:crypto'
import { chown, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '../../runtime/log/log.ts'
import type { Clock } from '../../runtime/time/clock.ts'
import { ToolFailed } from '../tool.ts'
import { runChild } from './child-run.ts'
import { killGroup, preferForKilling } from './kill.ts'
import { endAllOfUser, endAllWithVariable } from './leftovers.ts'
import { prlimitArguments } from './limits.ts'
import { ofUser, withVariable } from './processes.ts'
import { findInSystem, interpreterArguments } from './programs.ts'
import { removeFolder } from './remove-folder.ts'
import { type RunUser, runUser } from './run-user.ts'
import type { RunResult, Sandbox, SandboxJob } from './sandbox.ts'

export interface PlainParts {
  interpreters: ReadonlyMap<string, string>
  clock: Clock
  log?: Log
  /** Where folders of runs are made. */
  folder?: string
}

/** By this a process is found that left its group and its session. */
export const runVariable = 'SANDBOX_RUN'

export function plainSandbox(parts: PlainParts): Sandbox {
  return {
    name: 'plain',
    languages: [...parts.interpreters.keys()],
    run: (job, signal) => runPlain(parts, job, signal),
  }
}

async function runPlain(parts: PlainParts, job: SandboxJob, signal: AbortSignal): Promise<RunResult> {
  const interpreter = parts.interpreters.get(job.language)
  const prlimit = findInSystem('prlimit')
  if (interpreter === undefined || prlimit === undefined) {
    throw new ToolFailed('sandbox_failed', `nothing is here to run ${job.language} with`)
  }
  const user = runUser()
  const folder = await mkdtemp(join(parts.folder ?? tmpdir(), 'code-'))
  try {
    const program = join(folder, 'program')
    await writeFile(program, job.code, { mode: 0o444 })
    if (user.dropped !== undefined) await chown(folder, user.dropped, user.dropped)
    const limited = [prlimit, ...prlimitArguments(user.processes), '--']
    const run = [interpreter, ...interpreterArguments(job.language), program]
    const [file = prlimit, ...words] = [...noNewPrivileges(user), ...limited, ...run]
    return await runIn(folder, user, { file, words, job }, { signal, clock: parts.clock })
  } finally {
    await removeFolder(folder, parts.log)
  }
}

function noNewPrivileges(user: RunUser): string[] {
  const [setpriv, ...words] = user.prefix
  if (setpriv !== undefined) return [setpriv, '--no-new-privs', '--bounding-set=-all', ...words]
  const found = findInSystem('setpriv')
  return found === undefined ? [] : [found, '--no-new-privs', '--']
}

function runIn(
  folder: string,
  user: RunUser,
  { file, words, job }: { file: string; words: string[]; job: SandboxJob },
  bounds: { signal: AbortSignal; clock: Clock },
): Promise<RunResult> {
  const mark = randomUUID()
  const environment = {
    ...{ PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', HOME: folder, TMPDIR: folder },
    [runVariable]: mark,
  }
  const command = { file, arguments: words, environment, folder, stdin: job.stdin, timeoutMs: job.timeoutMs }
  return runChild(
    command,
    {
      started: preferForKilling,
      counted: () => (user.dropped === undefined ? withVariable(runVariable, mark) : ofUser(user.dropped)),
      kill: killGroup,
      clear(pid) {
        killGroup(pid)
        if (user.dropped === undefined) return endAllWithVariable(runVariable, mark)
        return endAllOfUser(user.dropped, user.prefix)
      },
    },
    bounds,
  )
}
