/** Runs programs in a container of an image: no network, nothing writable but a small /tmp. */
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
  /** The PATH of the engine's client, which finds its own parts by it. */
  path: string
}

/** Exit codes of docker and podman themselves: the image or the engine is at fault, not the program. */
const engineFailed = 125
const fileMissing = 127

/** A container that is still being made is killed again and again: the engine does not know its name at once. */
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

/** The program comes first on stdin, by its length, and is cut off there byte by byte: what follows is the program's own input. */
const readProgram = 'dd bs=1 count="$0" of=/tmp/program 2>/dev/null && exec "$@"'

/**
 * The engine's client would add the proxies of its own configuration, passwords included. It leaves alone what is set
 * here.
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

/** What the engine's client needs to find its daemon; nothing of it reaches the container. */
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
  let isKillWanted = false
  let killing: Promise<void> | undefined
  const execOptions = { env: engineEnvironment(path), timeout: limits.endMs, maxBuffer: 65_536 }
  /** Most often it fails because there is no such container: not yet, or no longer. */
  const engineCommand = (...words: string[]) => execFile(engine, [...words, name], execOptions).catch(() => undefined)

  async function kill(client: number): Promise<void> {
    for (let attempt = 0; attempt < killAttempts && isKillWanted; attempt++) {
      await engineCommand('kill')
      await sleep(clock, killPauseMs)
    }
    // The client ends when its container has; one that does not is ended without it.
    if (!isKillWanted) return
    await engineCommand('rm', '-f')
    killGroup(client)
  }

  return {
    kill(client) {
      isKillWanted = true
      killing ??= kill(client)
    },
    async cleanUp() {
      isKillWanted = false
      await engineCommand('rm', '-f')
      await killing
    },
  }
}
