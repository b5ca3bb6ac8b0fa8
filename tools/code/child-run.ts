/** Runs one child to its end: inputs in, capped output out, time, memory and output bounded, and all of it ended after. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { type Clock, sleep } from '../../runtime/time/clock.ts'
import { ToolFailed } from '../tool.ts'
import { CappedOutput } from './capped-output.ts'
import { limits } from './limits.ts'
import { residentBytes } from './processes.ts'
import type { RunEnd, RunResult } from './sandbox.ts'

export interface ChildCommand {
  file: string
  arguments: readonly string[]
  environment: Readonly<Record<string, string>>
  folder: string
  stdin: string
  /** What it reads from descriptor 3. */
  program?: string
  /** What it reads from descriptor 5, where there is a program too. */
  filter?: Uint8Array | undefined
  timeoutMs: number
}

export interface ChildCare {
  /** Called before anything is written to the child. */
  started?(pid: number): void
  /** What it says of itself on descriptor 4. */
  status?(text: string): void
  /** Processes whose memory counts. */
  counted?(pid: number): readonly number[]
  /** Ends the run now; it may be called more than once. */
  kill(pid: number): void
  /** At the end, whatever it was: ends what is left of the run, its whole group too. */
  clear(pid: number): Promise<void>
}

const statusBytesMax = 16_384

export async function runChild(
  command: ChildCommand,
  care: ChildCare,
  { signal, clock }: { signal: AbortSignal; clock: Clock },
): Promise<RunResult> {
  signal.throwIfAborted()
  const startedMs = clock.elapsed()
  const child = start(command)
  const pid = await pidOf(child)
  const exited = once(child, 'exit')
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let cut: RunEnd | undefined
  const stop = (end: RunEnd) => {
    cut ??= end
    care.kill(pid)
  }
  const output = collect(child, () => stop('output_limit'))
  listenToStatus(child, care)
  const onAbort = () => stop('timed_out')
  signal.addEventListener('abort', onAbort, { once: true })
  const timer = clock.after(command.timeoutMs, () => stop('timed_out'))
  const watch = watchMemory(pid, care, clock, () => stop('memory_limit'))
  try {
    care.started?.(pid)
    feed(child, command)
    if (signal.aborted) onAbort()
    // Once it is killed it ends, unless the kernel holds it; then we say so instead of waiting with it.
    await within(clock, command.timeoutMs + limits.endMs, exited)
  } finally {
    timer.cancel()
    watch.cancel()
    signal.removeEventListener('abort', onAbort)
    if (child.exitCode === null && child.signalCode === null) care.kill(pid)
    await care.clear(pid)
  }
  await within(clock, limits.endMs, closed).catch(() => destroyPipes(child))
  signal.throwIfAborted()
  return {
    end: cut ?? 'exited',
    exitCode: child.exitCode,
    signal: child.signalCode,
    stdout: output.stdout.kept(),
    stderr: output.stderr.kept(),
    durationMs: clock.elapsed() - startedMs,
  }
}

function start(command: ChildCommand): ChildProcess {
  return spawn(command.file, command.arguments, {
    cwd: command.folder,
    env: command.environment,
    // A group of its own, which is ended as a whole.
    detached: true,
    stdio: Array<'pipe'>(command.program === undefined ? 3 : command.filter === undefined ? 5 : 6).fill('pipe'),
  })
}

async function pidOf(child: ChildProcess): Promise<number> {
  if (child.pid !== undefined) return child.pid
  const [error] = await once(child, 'error').catch((thrown: unknown) => [thrown])
  throw new ToolFailed('sandbox_failed', 'the sandbox did not start', { cause: error })
}

function collect(child: ChildProcess, onFlood: () => void) {
  const stdout = new CappedOutput(limits.outputBytes)
  const stderr = new CappedOutput(limits.outputBytes)
  const listen = (stream: Readable | null, output: CappedOutput) => {
    stream?.on('data', (chunk: Buffer) => {
      output.add(chunk)
      if (stdout.totalBytes + stderr.totalBytes > limits.outputBytesTotal) onFlood()
    })
  }
  listen(child.stdout, stdout)
  listen(child.stderr, stderr)
  return { stdout, stderr }
}

function listenToStatus(child: ChildProcess, care: ChildCare): void {
  let text = ''
  const stream = child.stdio[4] as Readable | null | undefined
  stream?.on('data', (chunk: Buffer) => {
    if (text.length > statusBytesMax) return
    text += chunk.toString('latin1')
    care.status?.(text)
  })
}

function feed(child: ChildProcess, command: ChildCommand): void {
  const give = (stream: Writable | null | undefined, text: string | Uint8Array) => {
    // A program need not read what it is given: a closed pipe is its choice, not our failure.
    stream?.on('error', () => stream.destroy())
    stream?.end(text)
  }
  if (command.program !== undefined) give(child.stdio[3] as Writable | null | undefined, command.program)
  // Beyond the five that its type knows.
  const further: readonly unknown[] = child.stdio
  if (command.filter !== undefined) give(further[5] as Writable | null | undefined, command.filter)
  give(child.stdin, command.stdin)
}

function watchMemory(pid: number, care: ChildCare, clock: Clock, onTooMuch: () => void): { cancel(): void } {
  let timer = clock.after(limits.watchMs, look)
  function look(): void {
    if (residentBytes(care.counted?.(pid) ?? []) > limits.residentBytes) onTooMuch()
    else timer = clock.after(limits.watchMs, look)
  }
  return { cancel: () => timer.cancel() }
}

/** @throws ToolFailed when `what` has not come by then */
async function within(clock: Clock, delayMs: number, what: Promise<unknown>): Promise<void> {
  const waited = new AbortController()
  const late = sleep(clock, delayMs, waited.signal).then(
    () => {
      throw new ToolFailed('sandbox_failed', 'the code could not be ended in time')
    },
    () => {},
  )
  try {
    await Promise.race([what, late])
  } finally {
    waited.abort()
  }
}

function destroyPipes(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy()
}
