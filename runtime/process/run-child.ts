/** Runs one child process to its end, with limits on time, memory and output, and leaves no process behind. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { atMost } from '../time/at-most.ts'
import type { Clock } from '../time/clock.ts'
import { CappedOutput } from './capped-output.ts'
import { SandboxFailed } from './errors.ts'
import type { ProcessLimits } from './limits.ts'
import { residentBytes } from './proc.ts'
import type { ProcessEnd, ProcessResult } from './sandbox.ts'

export interface ChildCommand {
  file: string
  arguments: readonly string[]
  environment: Readonly<Record<string, string>>
  /** Its working directory. */
  folder: string
  stdin: string
  /** What it reads from descriptor 3. */
  program?: string
  /** What it reads from descriptor 5, where there is a program too. */
  callFilter?: Uint8Array | undefined
  timeoutMs: number
}

/** What the kind of sandbox does with its child. */
export interface ChildHooks {
  /** Called before anything is written to the child. */
  onStart?(pid: number): void
  /** All that the child has written to descriptor 4 so far. */
  onStatus?(text: string): void
  /** The processes whose memory counts. */
  measured?(pid: number): readonly number[]
  /** Ends the run now; it may be called more than once. */
  kill(pid: number): void
  /** At the end, however it came: ends what is left of the run, its whole group included. */
  cleanUp(pid: number): Promise<void>
}

interface ChildOptions {
  limits: ProcessLimits
  signal: AbortSignal
  clock: Clock
}

const statusCharactersMax = 16_384

/** @throws SandboxFailed where it does not start, or cannot be ended in time; the signal's reason when it aborts */
export async function runChild(
  command: ChildCommand,
  hooks: ChildHooks,
  { limits, signal, clock }: ChildOptions,
): Promise<ProcessResult> {
  signal.throwIfAborted()
  const startedMs = clock.elapsed()
  const child = start(command)
  const pid = await pidOf(child)
  const exited = once(child, 'exit')
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let endedBy: ProcessEnd | undefined
  const stop = (end: ProcessEnd) => {
    endedBy ??= end
    hooks.kill(pid)
  }
  const output = collectOutput(child, limits, () => stop('output_limit'))
  readStatus(child, hooks)
  const onAbort = () => stop('timed_out')
  signal.addEventListener('abort', onAbort, { once: true })
  const timer = clock.after(command.timeoutMs, () => stop('timed_out'))
  const memory = watchMemory(
    limits,
    clock,
    () => hooks.measured?.(pid) ?? [],
    () => stop('memory_limit'),
  )
  try {
    hooks.onStart?.(pid)
    writeInputs(child, command)
    if (signal.aborted) onAbort()
    // A killed process may hang in the kernel: then this fails instead of waiting for ever.
    await atMost(command.timeoutMs + limits.endMs, exited, { clock, onLate: failLate })
  } finally {
    timer.cancel()
    memory.cancel()
    signal.removeEventListener('abort', onAbort)
    if (child.exitCode === null && child.signalCode === null) hooks.kill(pid)
    await hooks.cleanUp(pid)
  }
  await atMost(limits.endMs, closed, { clock, onLate: () => destroyPipes(child) })
  signal.throwIfAborted()
  return {
    end: endedBy ?? 'exited',
    exitCode: child.exitCode,
    signal: child.signalCode,
    stdout: output.stdout.read(),
    stderr: output.stderr.read(),
    durationMs: clock.elapsed() - startedMs,
  }
}

function start(command: ChildCommand): ChildProcess {
  return spawn(command.file, command.arguments, {
    cwd: command.folder,
    env: command.environment,
    // As the leader of a group, which is killed as a whole.
    detached: true,
    stdio: Array<'pipe'>(command.program === undefined ? 3 : command.callFilter === undefined ? 5 : 6).fill('pipe'),
  })
}

async function pidOf(child: ChildProcess): Promise<number> {
  if (child.pid !== undefined) return child.pid
  const [error] = await once(child, 'error').catch((thrown: unknown) => [thrown])
  throw new SandboxFailed('sandbox_failed', 'the sandbox did not start', { cause: error })
}

function collectOutput(child: ChildProcess, limits: ProcessLimits, onTooMuch: () => void) {
  const stdout = new CappedOutput(limits.outputBytes)
  const stderr = new CappedOutput(limits.outputBytes)
  const listen = (stream: Readable | null, output: CappedOutput) => {
    stream?.on('data', (chunk: Buffer) => {
      output.add(chunk)
      if (stdout.totalBytes + stderr.totalBytes > limits.outputBytesTotal) onTooMuch()
    })
  }
  listen(child.stdout, stdout)
  listen(child.stderr, stderr)
  return { stdout, stderr }
}

function readStatus(child: ChildProcess, hooks: ChildHooks): void {
  let text = ''
  const stream = child.stdio[4] as Readable | null | undefined
  stream?.on('data', (chunk: Buffer) => {
    if (text.length > statusCharactersMax) return
    text += chunk.toString('latin1')
    hooks.onStatus?.(text)
  })
}

function writeInputs(child: ChildProcess, command: ChildCommand): void {
  const write = (stream: Writable | null | undefined, text: string | Uint8Array) => {
    // A program need not read its input: a closed pipe is not a failure.
    stream?.on('error', () => stream.destroy())
    stream?.end(text)
  }
  if (command.program !== undefined) write(child.stdio[3] as Writable | null | undefined, command.program)
  // The type covers five only.
  const pipes: readonly unknown[] = child.stdio
  if (command.callFilter !== undefined) write(pipes[5] as Writable | null | undefined, command.callFilter)
  write(child.stdin, command.stdin)
}

function watchMemory(
  limits: ProcessLimits,
  clock: Clock,
  measured: () => readonly number[],
  onTooMuch: () => void,
): { cancel(): void } {
  let timer = clock.after(limits.memoryCheckMs, check)
  function check(): void {
    if (residentBytes(measured()) > limits.residentBytes) onTooMuch()
    else timer = clock.after(limits.memoryCheckMs, check)
  }
  return { cancel: () => timer.cancel() }
}

function failLate(): never {
  throw new SandboxFailed('sandbox_failed', 'the program could not be ended in time')
}

function destroyPipes(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy()
}
