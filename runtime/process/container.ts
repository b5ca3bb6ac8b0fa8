/** Runs programs in a container of an image: without network, with a small /tmp as the only writable folder. */
import { execFile as execFileCallback } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { sleep } from '../time/clock.ts'
import { SandboxFailed } from './errors.ts'
import { defaultLimits, type ProcessLimits } from './limits.ts'
import { type ChildHooks, runChild } from './run-child.ts'
import type { ProcessJob, ProcessResult, ProcessSandbox, SandboxOptions } from './sandbox.ts'
import { killGroup } from './signals.ts'

const execFile = promisify(execFileCallback)

export interface ContainerOptions extends SandboxOptions {
  /** Path of docker or podman. */
  engine: string
  image: string
  /** The PATH of the engine's client, in which it finds its plug-ins. */
  path: string
}

/** Exit codes of docker and podman themselves: the image or the engine is at fault, not the program. */
const engineFailed = 125
const fileMissing = 127

/** Killing is repeated: while a container is being created, the engine does not know its name yet. */
const killAttempts = 12
const killPauseMs = 200

/** @throws from `run`: SandboxFailed `sandbox_failed` */
export function containerSandbox(options: ContainerOptions): ProcessSandbox {
  return { kind: 'container', run: (job, signal) => runContained(options, job, signal) }
}

async function runContained(options: ContainerOptions, job: ProcessJob, signal: AbortSignal): Promise<ProcessResult> {
  const { limits = defaultLimits, clock } = options
  const name = `code-${randomUUID()}`
  const insideArguments = [String(Buffer.byteLength(job.program)), job.file, ...job.arguments, '/tmp/program']
  const result = await runChild(
    {
      file: options.engine,
      arguments: runArguments(options.image, name, insideArguments, limits),
      environment: engineEnvironment(options.path),
      folder: '/',
      stdin: job.program + job.stdin,
      timeoutMs: job.timeoutMs,
    },
    removalHooks(options, name, limits),
    { limits, signal, clock },
  )
  if (result.end !== 'exited' || result.signal !== null) return result
  if (result.exitCode === engineFailed) {
    options.log?.warn({ sandbox: 'container', stderr: result.stderr.text.slice(0, 500) }, 'a container did not start')
    throw new SandboxFailed(
      'sandbox_failed',
      'the container did not start: its image or engine is at fault, not the code',
    )
  }
  if (result.exitCode === fileMissing && result.stderr.text.includes(job.file)) {
    throw new SandboxFailed('sandbox_failed', `the container's image has no ${job.file}`)
  }
  return result
}

/** The program comes first on stdin and has a known length. It is read byte by byte, so that its own input stays in the pipe. */
const readProgram = 'dd bs=1 count="$0" of=/tmp/program 2>/dev/null && exec "$@"'

/**
 * Set to nothing here: otherwise the engine's client would add the proxies of its configuration, passwords included.
 */
const noProxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'FTP_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [
  `${name}=`,
  `${name.toLowerCase()}=`,
])

function runArguments(image: string, name: string, inside: readonly string[], limits: ProcessLimits): string[] {
  const memory = String(limits.residentBytes)
  return [
    ...['run', '--rm', '-i', '--name', name, '--pull', 'never', '--log-driver', 'none', '--hostname', 'sandbox'],
    ...['--network', 'none', '--read-only', '--user', '65534:65534', '--workdir', '/tmp'],
    ...['--memory', memory, '--memory-swap', memory, '--cpus', '1', '--pids-limit', String(limits.processesMax)],
    ...['--ulimit', `nofile=${limits.openFilesMax}`, '--ulimit', `fsize=${limits.fileBytes}`, '--ulimit', 'core=0'],
    ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--shm-size', String(limits.sharedMemoryBytes)],
    ...['--tmpfs', `/tmp:rw,nosuid,nodev,noexec,mode=1777,size=${limits.temporaryBytes}`],
    ...['HOME=/tmp', ...noProxies].flatMap((variable) => ['--env', variable]),
    ...['--entrypoint', 'sh', image, '-c', readProgram, ...inside],
  ]
}

/** What the engine's client needs to find its daemon. The container does not see it. */
function engineEnvironment(path: string): Record<string, string> {
  const environment: Record<string, string> = { PATH: path }
  for (const name of ['HOME', 'DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'CONTAINER_HOST', 'XDG_RUNTIME_DIR']) {
    const value = process.env[name]
    if (value !== undefined) environment[name] = value
  }
  return environment
}

/** The container is removed by its name: ending the client alone would leave it running. */
function removalHooks({ engine, path, clock }: ContainerOptions, name: string, limits: ProcessLimits): ChildHooks {
  let mustKill = false
  let killing: Promise<void> | undefined
  const execOptions = { env: engineEnvironment(path), timeout: limits.endMs, maxBuffer: 65_536 }
  /** Its failure is ignored: most often there is no such container, not yet or no longer. */
  const engineCommand = (...words: string[]) => execFile(engine, [...words, name], execOptions).catch(() => undefined)

  async function kill(client: number): Promise<void> {
    for (let attempt = 0; attempt < killAttempts && mustKill; attempt++) {
      await engineCommand('kill')
      await sleep(clock, killPauseMs)
    }
    // The client ends with its container. If the container does not end, it is removed, and the client is killed.
    if (!mustKill) return
    await engineCommand('rm', '-f')
    killGroup(client)
  }

  return {
    kill(client) {
      mustKill = true
      killing ??= kill(client)
    },
    async cleanUp() {
      mustKill = false
      await engineCommand('rm', '-f')
      await killing
    },
  }
}
