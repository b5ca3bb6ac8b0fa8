/** Runs programs in a container of the operator's image: no network, nothing writable but a small /tmp. */

import { execFile as execFileCallback } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import type { Log } from '../../runtime/log/log.ts'
import { type Clock, sleep } from '../../runtime/time/clock.ts'
import { ToolFailed } from '../tool.ts'
import { runChild } from './child-run.ts'
import { killGroup } from './kill.ts'
import { limits } from './limits.ts'
import { interpreterArguments } from './programs.ts'
import type { RunResult, Sandbox, SandboxJob } from './sandbox.ts'

const execFile = promisify(execFileCallback)

export interface ContainerParts {
  /** Path of docker or podman. */
  engine: string
  image: string
  /** Language to program in the image. */
  interpreters: ReadonlyMap<string, string>
  /** For the engine itself, which finds its own parts by it. */
  path: string
  clock: Clock
  log?: Log
}

/** What docker and podman answer themselves, and no program of ours: the image or the engine is at fault. */
const engineFailed = 125
const interpreterMissing = 127

/** Ends a container that is still being made: the engine does not know its name at once. */
const killAttempts = 12
const killPauseMs = 200

export function containerSandbox(parts: ContainerParts): Sandbox {
  return {
    name: 'container',
    languages: [...parts.interpreters.keys()],
    run: (job, signal) => runContained(parts, job, signal),
  }
}

async function runContained(parts: ContainerParts, job: SandboxJob, signal: AbortSignal): Promise<RunResult> {
  const interpreter = parts.interpreters.get(job.language)
  if (interpreter === undefined) throw new ToolFailed('sandbox_failed', `nothing is here to run ${job.language} with`)
  const name = `code-${randomUUID()}`
  const code = job.code
  const words = runArguments(parts.image, name, [
    String(Buffer.byteLength(code)),
    ...[interpreter, ...interpreterArguments(job.language), '/tmp/program'],
  ])
  const ending = containerEnd(parts, name)
  const result = await runChild(
    {
      ...{ file: parts.engine, arguments: words, environment: engineEnvironment(parts.path), folder: '/' },
      ...{ stdin: code + job.stdin, timeoutMs: job.timeoutMs },
    },
    { kill: ending.kill, clear: ending.clear },
    { signal, clock: parts.clock },
  )
  if (result.end !== 'exited' || result.signal !== null) return result
  if (result.exitCode === engineFailed) {
    parts.log?.warn({ sandbox: 'container', stderr: result.stderr.text.slice(0, 500) }, 'a container did not start')
    throw new ToolFailed('sandbox_failed', 'the container did not start: its image or engine is at fault, not the code')
  }
  if (result.exitCode === interpreterMissing && result.stderr.text.includes(interpreter)) {
    throw new ToolFailed('sandbox_failed', `the container's image has no ${interpreter} to run ${job.language} with`)
  }
  return result
}

/** The code comes first on stdin, by its length, and is cut off there byte by byte: what follows is the program's own. */
const readProgram = 'dd bs=1 count="$0" of=/tmp/program 2>/dev/null && exec "$@"'

/** The engine's client would put in what its own configuration says of proxies, passwords included; a name that is given it leaves alone. */
const noProxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'FTP_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [
  `${name}=`,
  `${name.toLowerCase()}=`,
])

function runArguments(image: string, name: string, program: readonly string[]): string[] {
  const memory = String(limits.residentBytes)
  return [
    ...['run', '--rm', '-i', '--name', name, '--pull', 'never', '--log-driver', 'none', '--hostname', 'sandbox'],
    ...['--network', 'none', '--read-only', '--user', '65534:65534', '--workdir', '/tmp'],
    ...['--memory', memory, '--memory-swap', memory, '--cpus', '1', '--pids-limit', String(limits.processes)],
    ...['--ulimit', `nofile=${limits.openFiles}`, '--ulimit', `fsize=${limits.fileBytes}`, '--ulimit', 'core=0'],
    ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--shm-size', String(limits.sharedMemoryBytes)],
    ...['--tmpfs', `/tmp:rw,nosuid,nodev,noexec,mode=1777,size=${limits.temporaryBytes}`],
    ...['HOME=/tmp', ...noProxies].flatMap((variable) => ['--env', variable]),
    ...['--entrypoint', 'sh', image, '-c', readProgram, ...program],
  ]
}

/** What the engine's client needs to find its daemon; nothing of it reaches the container. */
function engineEnvironment(path: string): Record<string, string> {
  const environment: Record<string, string> = { PATH: path }
  for (const name of ['HOME', 'DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'CONTAINER_HOST', 'XDG_RUNTIME_DIR']) {
    const value = process.env[name]
    if (value !== undefined) environment[name] = value
  }
  return environment
}

/** By its name: ending the client alone would leave the container running. */
function containerEnd(parts: ContainerParts, name: string) {
  let isWanted = false
  let ended: Promise<void> | undefined
  const tell = (...words: string[]) =>
    execFile(parts.engine, [...words, name], {
      ...{ env: engineEnvironment(parts.path), timeout: limits.endMs, maxBuffer: 65_536 },
    }).then(
      () => true,
      () => false, // most often: no such container, because it is not there yet or not any more
    )
  async function end(client: number): Promise<void> {
    for (let attempt = 0; attempt < killAttempts && isWanted; attempt++) {
      await tell('kill')
      await sleep(parts.clock, killPauseMs)
    }
    // The client ends when its container has; one that does not is ended without it.
    if (!isWanted) return
    await tell('rm', '-f')
    killGroup(client)
  }
  return {
    kill(client: number) {
      isWanted = true
      ended ??= end(client)
    },
    async clear() {
      isWanted = false
      await tell('rm', '-f')
      await ended
    },
  }
}
