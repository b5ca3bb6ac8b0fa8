/** A process of ours under test: its lines as they come, its end, and its certain death when the test is over. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect } from 'vitest'

export interface SpawnedLine {
  msg?: string
  [field: string]: unknown
}

export interface Spawned {
  readonly child: ChildProcess
  readonly pid: number
  readonly lines: SpawnedLine[]
  /** The process ended: its code, or the signal that ended it. */
  readonly end: Promise<number | NodeJS.Signals>
  /** Resolves with the first line whose message contains `text`, past or future. */
  said(text: string): Promise<SpawnedLine>
}

export interface SpawnOptions {
  environment?: Record<string, string>
  nodeOptions?: string[]
  /** Gives it an IPC channel, as a parent would. */
  isForked?: boolean
  node?: string
}

const spawned: Spawned[] = []

export function spawnNode(file: string, args: string[], options: SpawnOptions = {}): Spawned {
  const { environment = {}, nodeOptions = [], isForked = false, node = process.execPath } = options
  const { NODE_OPTIONS: _, ...inherited } = process.env
  const child = spawn(node, [...nodeOptions, file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', ...(isForked ? ['ipc' as const] : [])],
    env: { ...inherited, ...environment },
  })
  const lines: SpawnedLine[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', (line) => lines.push(parsed(line)))
  }
  // With a channel that we closed ourselves, `close` never comes; without one it is later, when all lines are here.
  const end = once(child, isForked ? 'exit' : 'close').then(
    ([code, signal]) => (code ?? signal) as number | NodeJS.Signals,
  )
  const started: Spawned = {
    child,
    pid: child.pid ?? 0,
    lines,
    end,
    async said(text) {
      const find = () => lines.find((line) => line.msg?.includes(text))
      await expect.poll(find, { interval: 20, message: `it never said "${text}"` }).toBeDefined()
      return find() as SpawnedLine
    },
  }
  spawned.push(started)
  return started
}

function parsed(line: string): SpawnedLine {
  try {
    return JSON.parse(line) as SpawnedLine
  } catch {
    return { msg: line }
  }
}

/** For afterEach: whatever the test left running is killed, and awaited. */
export async function endSpawned(): Promise<void> {
  for (const { child, end } of spawned.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await end
  }
}

/** A zombie that nobody has reaped yet is dead. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return process.platform !== 'linux' || !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
